"""Commits of the whole poll inside a chain of calls that processes its records.

Streams of Java and sequences of Kotlin pass one record through all steps before the next one
(java.util.stream, package summary); collections of Kotlin and Scala run each step for all records.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import BEFORE, SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA

_STREAM = "StreamSupport.stream(rs.spliterator(), false)"
_LAST = "i == rs.count() - 1"


@pytest.mark.parametrize(("loop", "expected"), [
    ("rs.onEach { log.info(it) }.run { c.commitSync(); forEach { save(it) } }", BEFORE),
    ("rs.onEach { check(it) }.run { c.commitSync(); forEach { save(it) } }", BEFORE),
    ("rs.filter { ok(it) }.apply { c.commitSync() }.forEach { save(it) }", BEFORE),
    ("rs.asSequence().onEach { save(it) }.onEach { c.commitSync() }.count()", BEFORE),
    ("for (r in rs.onEach { c.commitSync() }) {\nsave(r)\n}", BEFORE),
    ("repo.saveAll(rs.map { parse(it) }.also { c.commitSync() })", BEFORE),
    ("val all = rs.map { parse(it) }.onEach { c.commitSync() }\nrepo.saveAll(all)", BEFORE),
    ("rs.onEach { save(it) }.run { c.commitSync() }", YES),
    ("repo.saveAll(rs.map { parse(it) }).also { c.commitSync() }", YES),
    ('val all = rs.map { save(it) }.also { c.commitSync() }\nlog.info("${all.size}")', YES),
    # loops with an index
    ("for ((i, r) in rs.withIndex()) {\nif (i == 0) c.commitSync()\nsave(r)\n}", BEFORE),
    ("for ((i, r) in rs.withIndex()) {\nsave(r)\nif (i % 100 == 0) c.commitSync()\n}", BEFORE),
    ("rs.withIndex().forEach { (i, r) ->\nsave(r)\nif (i == 9) c.commitSync()\n}", BEFORE),
    ("rs.forEachIndexed { i, r ->\nif (i == 0) c.commitSync()\nsave(r)\n}", BEFORE),
    ("for ((i, r) in rs.withIndex()) {\ntry { save(r) } catch (e: Exception) { log.warn(e) }\n}\n"
     "c.commitSync()", SKIP),
    (f"rs.forEachIndexed {{ i, r ->\nsave(r)\nif ({_LAST}) c.commitSync()\n}}", YES),
    (f"for ((i, r) in rs.withIndex()) {{\nsave(r)\nif ({_LAST}) c.commitSync()\n}}", YES),
    ("for ((i, r) in rs.withIndex()) {\nsave(r)\n}\nc.commitSync()", YES),
])  # fmt: skip
def test_a_commit_in_a_kotlin_chain_before_the_processing_is_reported(
    tmp_path: Path, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, ""), expected)


@pytest.mark.parametrize(("loop", "expected"), [
    (f"{_STREAM}.peek(r -> c.commitSync()).forEach(r -> save(r));", BEFORE),
    ("list(rs).stream().peek(r -> c.commitSync()).forEach(r -> save(r));", BEFORE),
    ("Streams.stream(rs).map(r -> { c.commitSync(); return r; }).forEach(r -> save(r));", BEFORE),
    ("List<R> all = new ArrayList<>(); rs.forEach(all::add);\n"
     "all.stream().peek(r -> c.commitSync()).forEach(r -> save(r));", BEFORE),
    (f"var all = {_STREAM}.map(r -> parse(r)).peek(o -> c.commitSync()).toList();\n"
     "repository.saveAll(all);", BEFORE),
    (f"repository.saveAll({_STREAM}.map(r -> parse(r)).peek(o -> c.commitSync()).toList());",
     BEFORE),
    ("Flux.fromIterable(rs).doFirst(() -> c.commitSync()).flatMap(r -> repository.save(r))"
     ".blockLast();", BEFORE),
    (f"{_STREAM}.map(r -> parse(r)).forEach(o -> repository.save(o));\nc.commitSync();", YES),
    ("Flux.fromIterable(rs).flatMap(r -> repository.save(r))"
     ".then(Mono.fromRunnable(() -> c.commitSync())).block();", YES),
    ("Iterator<R> it = rs.iterator();\nwhile (it.hasNext()) {\nR r = it.next();\nsave(r);\n"
     "if (!it.hasNext()) { c.commitSync(); }\n}", YES),
])  # fmt: skip
def test_a_commit_in_a_java_stream_before_the_processing_is_reported(
    tmp_path: Path, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.java", READER % (LOOP % loop), expected)


@pytest.mark.parametrize("loop", [
    "for ((r, i) <- rs.asScala.zipWithIndex) {\nif (i == 0) c.commitSync()\nsave(r)\n}",
    "rs.asScala.zipWithIndex.foreach { case (r, i) =>\nsave(r)\nif (i % 9 == 0) c.commitSync()\n}",
    "rs.asScala.map { r => c.commitSync(); r }.foreach(save)",
    "rs.asScala.tap(_ => c.commitSync()).foreach(save)",
])  # fmt: skip
def test_a_commit_in_a_scala_chain_before_the_processing_is_reported(
    tmp_path: Path, loop: str
) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (loop, ""), BEFORE)


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("rs.map { parse(it) }.also { c.commitSync() }.forEach { save(it) }", BEFORE),
        ("rs.filter { it.value() != null }.apply { c.commitSync() }.forEach { save(it) }", BEFORE),
        ("rs.toList().also { c.commitSync() }.forEach { save(it) }", BEFORE),
        ("val all = rs.map { parse(it) }.also { c.commitSync() }.map { save(it) }", BEFORE),
        ("rs.onEach { handle(it) }.also { c.commitSync() }.forEach { save(it) }", BEFORE),
        ("rs.asSequence().onEach { save(it) }.also { c.commitSync() }.forEach { log.info(it) }",
         BEFORE),
        ("rs.onEach { save(it) }.also { c.commitSync() }.forEach { log.info(it) }", YES),
        ("rs.onEach { save(it) }.also { c.commitSync() }", YES),
        ("rs.forEach { save(it) }\nc.commitSync()\nrs.forEach { mail(it) }", BEFORE),
        ("rs.forEach { save(it) }\nc.commitSync()\nprogress.add(rs.count())", YES),
    ],
)  # fmt: skip
def test_a_commit_between_two_steps_of_the_processing_is_reported(
    tmp_path: Path, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, ""), expected)
