"""Loops and chains that process one of the polled records, or a part of them.

Source: KafkaConsumer javadoc (`commitSync()` covers all polled records).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, WITH_METHOD

JAVA = WITH_METHOD % (LOOP % "%s", "%s")


@pytest.mark.parametrize(("program", "body", "methods", "expected"), [
    (KOTLIN, "rs.filter { it.key() != null }.first().let { process(it) }", "", SKIP),
    (JAVA, "StreamSupport.stream(rs.spliterator(), false).filter(r -> r.key() != "
     "null).limit(10).forEach(this::process);", "", SKIP),
    (JAVA, "StreamSupport.stream(rs.spliterator(), false).filter(r -> r.key() != "
     "null).forEach(this::process);", "", YES),
    (KOTLIN, 'val first = rs.firstOrNull { it.key() == "x" }\nrs.forEach { process(it) }', "", YES),
    (JAVA, "Order latest = null;\nfor (var r : rs) { Order o = parse(r.value()); "
     "latest = o; }\nrepo.save(latest);", "", SKIP),
    (JAVA, "R last = null;\nfor (var r : rs) { process(r); last = r; }\nif (last != "
     "null) c.commitSync(Map.of(tp, new OffsetAndMetadata(last.offset() + 1)));", "", YES),
    (JAVA, "R previous = null;\nfor (var r : rs) { if (previous != null && "
     "!previous.key().equals(r.key())) flush(previous.key()); add(r); previous = "
     "r; }", "", YES),
    (JAVA, "for (var r : rs) { current = r; process(r); }", "", YES),
    (JAVA, "ConsumerRecord<String, String> latest = null;\nfor (ConsumerRecord<String, "
     "String> r : rs) { if (latest == null || r.timestamp() > "
     "latest.timestamp()) latest = r; }\nif (latest != null) "
     "store.put(latest.key(), latest.value());", "", SKIP),
    (KOTLIN, "rs.asSequence().filter { it.key() != null }.take(100).forEach { "
     "process(it) }", "", SKIP),
    (JAVA, "process(rs.iterator().next());\nc.commitSync(offsets(rs));", "", SKIP),
    (JAVA, "rs.forEach(this::process);\nc.commitSync(offsets(rs));", "", YES),
])  # fmt: skip
def test_a_record_that_is_not_chosen_is_skipped(
    tmp_path: Path, program: str, body: str, methods: str, expected: str
) -> None:
    end = ";" if program is JAVA else ""
    assert_program(
        tmp_path / "A.java", program % (f"{body}\nc.commitSync(){end}", methods), expected
    )
