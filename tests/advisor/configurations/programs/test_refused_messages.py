"""Programs that check whether a message can be processed, and then commit all messages: predicates
in a chain, and limits or locks that may refuse a message.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import LOOP, READER, SCALA, WITH_METHOD

_JAVA = "boolean tried(R r) { try { save(r); return true; } catch (Exception e) { return false; } }"
_SCALA = "def tried(r: R): Boolean = try { save(r); true } catch { case e: Exception => false }"


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("stream(rs).allMatch(this::tried);", SKIP),
        ("stream(rs).takeWhile(r -> tried(r)).forEach(r -> log.info(r));", SKIP),
        ("long n = stream(rs).filter(r -> !tried(r)).count();\nlog.warn(n);", SKIP),
        ("boolean all = stream(rs).allMatch(r -> tried(r));\nif (!all) throw new E();", YES),
        ("if (!stream(rs).allMatch(this::tried)) throw new E();", YES),
        ("for (var r : rs) { if (!limiter.tryAcquire()) continue; save(r); }", SKIP),
        ("for (var r : rs) { if (lock.tryLock(1, SECONDS)) { save(r); } }", SKIP),
        ("for (var r : rs) { if (!locks.get(r.key()).tryLock()) { continue; } save(r); }", SKIP),
        (
            "for (var r : rs) { boolean got = lock.tryLock(); if (!got) { continue; } save(r); }",
            SKIP,
        ),
        ("for (var r : rs) { boolean got = lock.tryLock(); if (!got) { wait(); } save(r); }", YES),
        ("for (var r : rs) { boolean open = breaker.isOpen(); if (!open) { save(r); } }", SKIP),
        ("for (var r : rs) { if (healthCheck.isUp()) { save(r); } }", SKIP),
        ("for (var r : rs) { if (!db.isConnected()) { throw new E(); } save(r); }", YES),
        ("for (var r : rs) { if (device.isUp()) { save(r); } }", YES),
        ("for (var r : rs) { if (!lock.tryLock()) throw new E(); save(r); }", YES),
        ("for (var r : rs) { limiter.acquire(); save(r); }", YES),
    ],
)
def test_records_that_a_java_condition_refuses_are_reported(
    tmp_path: Path, loop: str, expected: str
) -> None:
    poll_loop = LOOP % f"{loop}\nc.commitSync();"
    code = WITH_METHOD % (poll_loop, _JAVA) if "tried" in loop else READER % poll_loop
    assert_program(tmp_path / "A.java", code, expected)


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("rs.asScala.forall(tried)", SKIP),
        ("rs.asScala.takeWhile(r => tried(r)).foreach(r => log.info(r))", SKIP),
        ("if (!rs.asScala.forall(tried)) throw new E()", YES),
    ],
)
def test_records_that_a_scala_predicate_refuses_are_reported(
    tmp_path: Path, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (f"{loop}\nc.commitSync()", _SCALA), expected)
