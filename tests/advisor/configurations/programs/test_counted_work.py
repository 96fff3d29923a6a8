"""Programs on the JVM that count what other threads have processed, wait for coroutines in a
supervisor scope, or start futures that nothing waits for.

A latch that only counts successes, and whose time limit is checked, lets no failed record pass
(CountDownLatch javadoc, await).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import BEFORE, SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA

_LATCH = "CountDownLatch l = new CountDownLatch(rs.count());\n"
_COUNTED = f"{_LATCH}for (var r : rs) pool.submit(() -> {{ %s }});\n%s\nc.commitSync();"
_AFTER = "save(r); l.countDown();"
_LIMITED = "l.await(30, TimeUnit.SECONDS)"
_PERMITS = "Semaphore s = new Semaphore(0);\nfor (var r : rs) pool.execute(() -> { %s });\n"
_PERMITS += "s.acquire(rs.count());\nc.commitSync();"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (_COUNTED % (_AFTER, f"if (!{_LIMITED}) throw new X();"), YES),
        (_COUNTED % (_AFTER, f"boolean done = {_LIMITED}; if (!done) throw new X();"), YES),
        (_COUNTED % (_AFTER, f"if (!{_LIMITED}) {{ rewind(rs); continue; }}"), YES),
        (_COUNTED % (_AFTER, "l.await();"), YES),
        (_COUNTED % (_AFTER, f"if (!{_LIMITED}) log.warn(x);"), SKIP),
        (_COUNTED % (_AFTER, f"boolean done = {_LIMITED}; log.info(done);"), SKIP),
        (_COUNTED % (_AFTER, f"{_LIMITED};"), SKIP),
        (_COUNTED % (_AFTER, f"if (!{_LIMITED}) continue;"), SKIP),
        (f"{_LATCH}for (var r : rs) pool.submit(() -> {{ {_AFTER} }});\n"
         f"if ({_LIMITED}) c.commitSync();", SKIP),
        (_COUNTED % ("l.countDown(); save(r);", f"if (!{_LIMITED}) throw new X();"), SKIP),
        (_COUNTED % ("try { save(r); } finally { l.countDown(); }",
                     f"if (!{_LIMITED}) throw new X();"), SKIP),
        (_PERMITS % "save(r); s.release();", YES),
        (_PERMITS % "try { save(r); } finally { s.release(); }", SKIP),
    ],
)  # fmt: skip
def test_a_count_of_successes_lets_no_failed_record_pass(
    code: str, expected: str, tmp_path: Path
) -> None:
    assert_program(tmp_path / "A.java", READER % (LOOP % code), expected)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("val l = CountDownLatch(rs.count())\nrs.forEach { pool.submit { save(it); "
         "l.countDown() } }\ncheck(l.await(30, TimeUnit.SECONDS))", YES),
        ("supervisorScope { rs.map { r -> launch { save(r) } }.joinAll() }", SKIP),
        ("supervisorScope { rs.map { r -> async { save(r) } }.awaitAll() }", YES),
        ("coroutineScope { rs.map { r -> launch { save(r) } }.joinAll() }", YES),
        # a block that is the alternative to a value
        ("for (r in rs) { val o = runCatching { read(r) }.getOrNull() ?: run { log.warn(x); null } "
         "?: continue\nsave(o) }", SKIP),
        ("rs.forEach { r ->\nval o = runCatching { read(r) }.getOrNull() ?: run {\nlog.warn(x)\n"
         "return@forEach\n}\nsave(o)\n}", SKIP),
        ("for (r in rs) {\nval o = runCatching { read(r) }.getOrNull() ?: run {\n"
         "letters.send(r).get()\nnull\n} ?: continue\nsave(o)\n}", YES),
        ("for (r in rs) {\nval o = read(r) ?: run {\nletters.send(r).get()\nnull\n}\n"
         "o?.let { save(it) }\n}", YES),
    ],
)  # fmt: skip
def test_kotlin_programs_wait_and_replace_values(code: str, expected: str, tmp_path: Path) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (f"{code}\nc.commitSync()", ""), expected)


_OUTCOME = "{ case Success(_) => log.info(x); case Failure(e) => log.error(x, e) }"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (f"rs.asScala.foreach {{ r => save(r).onComplete {_OUTCOME} }}", BEFORE),
        (f"val all = Future.traverse(rs.asScala.toList)(r => save(r))\nall.onComplete {_OUTCOME}",
         BEFORE),
        ("val all = Future.traverse(rs.asScala.toList)(r => save(r))\nAwait.result(all, d)", YES),
    ],
)  # fmt: skip
def test_a_future_that_only_a_callback_sees_is_not_awaited(
    code: str, expected: str, tmp_path: Path
) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (f"{code}\nc.commitSync()", ""), expected)


def test_errors_in_a_concurrent_set_that_are_only_logged_skip_records(tmp_path: Path) -> None:
    code = "Set<Long> bad = ConcurrentHashMap.newKeySet();\n"
    code += "for (var r : rs) { try { save(r); } catch (Exception e) { bad.add(r.offset()); } }\n"
    code += "if (!bad.isEmpty()) log.error(bad);\nc.commitSync();"
    assert_program(tmp_path / "A.java", READER % (LOOP % code), SKIP)
