"""Programs on the JVM whose flows drop records, that commit at fixed times, or that go on after a
record that failed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import BEFORE, SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER


@pytest.mark.parametrize(
    ("chain", "expected"),
    [
        ("asFlow().conflate().collect { save(it) }", SKIP),
        ("asFlow().debounce(100).collect { save(it) }", SKIP),
        ("asFlow().buffer(9, BufferOverflow.DROP_OLDEST).collect { save(it) }", SKIP),
        ("asFlow().buffer(9).collect { save(it) }", YES),
        ("asFlow().collectLatest { save(it) }", SKIP),
        ("asFlow().mapLatest { save(it) }.collect()", SKIP),
        ("asFlow().map { save(it) }.collect()", YES),
    ],
)
def test_flows_may_drop_records(chain: str, expected: str, tmp_path: Path) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (f"rs.{chain}\nc.commitSync()", ""), expected)


_OFFSETS = "var m = new HashMap<TopicPartition, OffsetAndMetadata>();\nfor (var r : rs) { "
_OFFSETS += (
    "try { save(r); } catch (Exception e) { log.error(e); break; } m.put(p(r), next(r)); }\n"
)
_POSITIONS = "var m = new HashMap<TopicPartition, OffsetAndMetadata>();\n"
_POSITIONS += "rs.partitions().forEach(t -> m.put(t, new OffsetAndMetadata(c.position(t))));\n"
_SAVE = "for (var r : rs) save(r);\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        # the records after the one that failed are not polled again
        (f"{_OFFSETS}c.commitSync(m);", SKIP),
        (f"{_OFFSETS}c.commitSync(m); throw new X();", YES),
        (f"{_OFFSETS.replace('break;', 'c.seek(p(r), r.offset()); break;')}c.commitSync(m);", YES),
        # a position is the offset after all polled records
        (f"{_POSITIONS}c.commitSync(m);\n{_SAVE}", BEFORE),
        (f"{_SAVE}{_POSITIONS}c.commitSync(m);", YES),
        (f"{_SAVE}timer.scheduleAtFixedRate(() -> c.commitSync(), 5, 5, SECONDS);", BEFORE),
        (f"{_SAVE}timer.scheduleAtFixedRate(c::commitSync, 5, 5, SECONDS);", BEFORE),
        (f"{_SAVE}timer.scheduleAtFixedRate(() -> report(), 5, 5, SECONDS); c.commitSync();", YES),
    ],
)  # fmt: skip
def test_commits_of_some_offsets(code: str, expected: str, tmp_path: Path) -> None:
    assert_program(tmp_path / "A.java", READER % (LOOP % code), expected)
