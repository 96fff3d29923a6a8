"""Commits of one partition, and threads that process a group of records.

Sources: KafkaConsumer javadoc (`commitSync(Map)`); kotlin.collections (`groupBy`).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.programs.test_java_loops import KOTLIN, SCALA
from tests.advisor.programs import BEFORE, YES, assert_program

_NEXT = "c.commitSync(Map(tp -> new OffsetAndMetadata(%s + 1)).asJava)\n"
_PARTITION = "rs.partitions.asScala.foreach { tp =>\nval all = rs.records(tp).asScala\n%s}"
_GROUPS = "rs.groupBy { it.partition() }"


@pytest.mark.parametrize(("program", "loop", "expected"), [
    (SCALA, _PARTITION % f"{_NEXT % 'all.last.offset'}all.foreach(process)\n", BEFORE),
    (SCALA, _PARTITION % f"all.foreach(process)\n{_NEXT % 'all.last.offset'}", YES),
    (SCALA, _PARTITION % f"val last = all.last.offset\n{_NEXT % 'last'}all.foreach(process)\n",
     BEFORE),
    (KOTLIN, f"{_GROUPS}.values.map {{ part -> scope.launch {{ part.forEach {{ process(it) }} }} }}"
     "\nc.commitSync()", BEFORE),
    (KOTLIN, f"{_GROUPS}.map {{ (_, part) -> scope.async {{ part.forEach {{ process(it) }} }} }}"
     "\nc.commitSync()", BEFORE),
    (KOTLIN, f"runBlocking {{ {_GROUPS}.map {{ (_, part) -> async {{ part.forEach {{ process(it) }}"
     " } }.awaitAll() }\nc.commitSync()", YES),
])  # fmt: skip
def test_a_commit_before_a_group_of_records_is_processed_is_reported(
    tmp_path: Path, program: str, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.java", program % (loop, ""), expected)
