"""Results of Kotlin and Scala that a list has, a flag that decides of a commit or an error, and
places for what failed that others made.

A `Result` keeps its error until something asks for it (kotlin.Result, `getOrThrow`).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.programs.test_java_loops import KOTLIN, LOOP, READER, SCALA
from tests.advisor.programs import SKIP, YES, assert_program

_KEPT = "val results = rs.map { runCatching { save(it) } }\n"
_COUNT = "val failed = rs.map { runCatching { save(it) } }.count { it.isFailure }\n"
_TRIES = "val results = rs.asScala.map(r => Try(save(r)))\n"
_FAILS = "rs.asScala.map(r => Try(save(r))).collect { case Failure(e) => e }"


@pytest.mark.parametrize(("loop", "expected"), [
    (f"{_KEPT}results.forEach {{ log.info(it) }}", SKIP),
    (f'{_KEPT}results.forEach {{ r -> r.onFailure {{ log.warn("x", it) }} }}', SKIP),
    (f"{_KEPT}if (results.any {{ it.isFailure }}) log.error(results)", SKIP),
    (f"{_COUNT}log.warn(failed)", SKIP),
    (f"{_KEPT}results.forEach {{ it.getOrThrow() }}", YES),
    (f"{_KEPT}for (x in results) x.getOrThrow()", YES),
    ("rs.map { runCatching { save(it) } }.forEach { it.getOrThrow() }", YES),
    ("val all = runBlocking { rs.map { async { runCatching { save(it) } } }.awaitAll() }\n"
     "all.forEach { it.getOrThrow() }", YES),
    (f"{_KEPT}if (results.any {{ it.isFailure }}) throw E()", YES),
    (f"{_KEPT}check(results.all {{ it.isSuccess }})", YES),
    (f"{_COUNT}if (failed > 0) throw E()", YES),
    ("for (r in rs) {\nval done = runCatching { save(r) }.getOrDefault(NONE)\nlog.info(done)\n}",
     SKIP),
    ("for (r in rs) { service.charge(r).also { ok -> if (!ok) log.warn(r) } }", SKIP),
    ("for (r in rs) { service.charge(r).also { ok -> if (!ok) throw E() } }", YES),
    # a place for what failed
    ("for (r in rs) {\nrunCatching { save(r) }.onFailure { deadLetters.put(r) }\n}", YES),
    ("val letters = mutableListOf<R>()\nfor (r in rs) {\n"
     "runCatching { save(r) }.onFailure { letters.add(r) }\n}", SKIP),
])  # fmt: skip
def test_what_kotlin_does_with_results_that_a_list_has(
    tmp_path: Path, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (f"{loop}\nc.commitSync()", ""), expected)


def test_a_commit_where_all_succeeded_sends_nobody_back(tmp_path: Path) -> None:
    loop = f"{_KEPT}if (results.all {{ it.isSuccess }}) c.commitSync()"
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, ""), SKIP)


@pytest.mark.parametrize(("loop", "expected"), [
    (f"{_TRIES}if (results.exists(_.isFailure)) log.error(results)", SKIP),
    (f"val failures = {_FAILS}\nfailures.foreach(e => log.error(e))", SKIP),
    (f"{_TRIES}val (ok, bad) = results.partition(_.isSuccess)\nbad.foreach(t => log.error(t))",
     SKIP),
    (f"{_TRIES}if (results.exists(_.isFailure)) throw new E()", YES),
    (f"{_TRIES}results.find(_.isFailure).foreach(_.get)", YES),
    (f"val failures = {_FAILS}\nfailures.headOption.foreach(e => throw e)", YES),
])  # fmt: skip
def test_what_scala_does_with_results_that_a_list_has(
    tmp_path: Path, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (f"{loop}\nc.commitSync()", ""), expected)


@pytest.mark.parametrize(("made", "fails", "asked"), [
    ("AtomicBoolean failed = new AtomicBoolean(false)", "failed.set(true)", "!failed.get()"),
    ("boolean failed = false", "failed = true", "!failed"),
    ("int failed = 0", "failed++", "failed == 0"),
])  # fmt: skip
@pytest.mark.parametrize(("other", "expected"), [
    ("else { throw new IllegalStateException(); }", YES), ("else { log.warn(rs); }", SKIP),
])  # fmt: skip
def test_a_flag_that_decides_of_a_commit_or_an_error(
    tmp_path: Path, made: str, fails: str, asked: str, other: str, expected: str
) -> None:
    loop = (
        f"{made};\nfor (R r : rs) {{ try {{ save(r); }} catch (Exception e) {{ {fails}; }} }}\n"
        f"if ({asked}) {{ c.commitSync(); }} {other}"
    )
    assert_program(tmp_path / "A.java", READER % (LOOP % loop), expected)
