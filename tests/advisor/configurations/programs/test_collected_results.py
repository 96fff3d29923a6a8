"""Kotlin and Scala results that are collected in a list, flags that decide between a commit and an
error, and collections of failed records.

A `Result` keeps its error until something reads it (kotlin.Result, `getOrThrow`).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA

_RESULTS = "val results = rs.map { runCatching { save(it) } }\n"
_COUNT = "val failed = rs.map { runCatching { save(it) } }.count { it.isFailure }\n"
_TRY_EACH = "val results = rs.asScala.map(r => Try(save(r)))\n"
_FAILURES = "rs.asScala.map(r => Try(save(r))).collect { case Failure(e) => e }"


@pytest.mark.parametrize(("loop", "expected"), [
    (f"{_RESULTS}results.forEach {{ log.info(it) }}", SKIP),
    (f'{_RESULTS}results.forEach {{ r -> r.onFailure {{ log.warn("x", it) }} }}', SKIP),
    (f"{_RESULTS}if (results.any {{ it.isFailure }}) log.error(results)", SKIP),
    (f"{_COUNT}log.warn(failed)", SKIP),
    (f"{_RESULTS}results.forEach {{ it.getOrThrow() }}", YES),
    (f"{_RESULTS}for (x in results) x.getOrThrow()", YES),
    ("rs.map { runCatching { save(it) } }.forEach { it.getOrThrow() }", YES),
    ("val all = runBlocking { rs.map { async { runCatching { save(it) } } }.awaitAll() }\n"
     "all.forEach { it.getOrThrow() }", YES),
    (f"{_RESULTS}if (results.any {{ it.isFailure }}) throw E()", YES),
    (f"{_RESULTS}check(results.all {{ it.isSuccess }})", YES),
    (f"{_COUNT}if (failed > 0) throw E()", YES),
    ("for (r in rs) {\nval done = runCatching { save(r) }.getOrDefault(NONE)\nlog.info(done)\n}",
     SKIP),
    ("for (r in rs) { service.charge(r).also { ok -> if (!ok) log.warn(r) } }", SKIP),
    ("for (r in rs) { service.charge(r).also { ok -> if (!ok) throw E() } }", YES),
    # a collection of failed records
    ("for (r in rs) {\nrunCatching { save(r) }.onFailure { deadLetters.put(r) }\n}", YES),
    ("val letters = mutableListOf<R>()\nfor (r in rs) {\n"
     "runCatching { save(r) }.onFailure { letters.add(r) }\n}", SKIP),
])  # fmt: skip
def test_kotlin_results_in_a_list_must_be_checked(tmp_path: Path, loop: str, expected: str) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (f"{loop}\nc.commitSync()", ""), expected)


def test_withholding_a_commit_does_not_rewind_the_consumer(tmp_path: Path) -> None:
    loop = f"{_RESULTS}if (results.all {{ it.isSuccess }}) c.commitSync()"
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, ""), SKIP)


@pytest.mark.parametrize(("loop", "expected"), [
    (f"{_TRY_EACH}if (results.exists(_.isFailure)) log.error(results)", SKIP),
    (f"val failures = {_FAILURES}\nfailures.foreach(e => log.error(e))", SKIP),
    (f"{_TRY_EACH}val (ok, bad) = results.partition(_.isSuccess)\nbad.foreach(t => log.error(t))",
     SKIP),
    (f"{_TRY_EACH}if (results.exists(_.isFailure)) throw new E()", YES),
    (f"{_TRY_EACH}results.find(_.isFailure).foreach(_.get)", YES),
    (f"val failures = {_FAILURES}\nfailures.headOption.foreach(e => throw e)", YES),
])  # fmt: skip
def test_scala_results_in_a_list_must_be_checked(tmp_path: Path, loop: str, expected: str) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (f"{loop}\nc.commitSync()", ""), expected)


@pytest.mark.parametrize(("declaration", "marks_failure", "condition"), [
    ("AtomicBoolean failed = new AtomicBoolean(false)", "failed.set(true)", "!failed.get()"),
    ("boolean failed = false", "failed = true", "!failed"),
    ("int failed = 0", "failed++", "failed == 0"),
])  # fmt: skip
@pytest.mark.parametrize(("alternative", "expected"), [
    ("else { throw new IllegalStateException(); }", YES), ("else { log.warn(rs); }", SKIP),
])  # fmt: skip
def test_a_flag_must_lead_to_a_commit_or_an_error(
    tmp_path: Path,
    declaration: str,
    marks_failure: str,
    condition: str,
    alternative: str,
    expected: str,
) -> None:
    loop = (
        f"{declaration};\nfor (R r : rs) {{ try {{ save(r); }} "
        f"catch (Exception e) {{ {marks_failure}; }} }}\n"
        f"if ({condition}) {{ c.commitSync(); }} {alternative}"
    )
    assert_program(tmp_path / "A.java", READER % (LOOP % loop), expected)
