"""Commits of one partition, and threads that process a group of records.

Sources: KafkaConsumer javadoc (`commitSync(Map)`); kotlin.collections (`groupBy`).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import BEFORE, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, READER, SCALA

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


_REVOKED = (
    "c.subscribe(ts, new ConsumerRebalanceListener() { public void onPartitionsRevoked(Ps ps) "
    "{ %s } public void onPartitionsAssigned(Ps ps) { } });\n"
)
_BUFFERED = (
    "List<String> buffer = new ArrayList<>();\nwhile (true) {\n"
    "for (var r : c.poll(d)) buffer.add(r.value());\n"
    "if (buffer.size() > 9) { save(buffer); c.commitSync(); buffer.clear(); }\n}"
)


@pytest.mark.parametrize(("revoked", "loop", "expected"), [
    ("c.commitSync();", _BUFFERED, BEFORE),
    ("save(buffer); c.commitSync(); buffer.clear();", _BUFFERED, YES),
    ("buffer.clear();", _BUFFERED, YES),
    ("c.commitSync();", "while (true) { for (var r : c.poll(d)) save(r); c.commitSync(); }", YES),
])  # fmt: skip
def test_a_commit_at_a_rebalance_must_not_cover_buffered_records(
    tmp_path: Path, revoked: str, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.java", READER % f"{_REVOKED % revoked}{loop}", expected)
