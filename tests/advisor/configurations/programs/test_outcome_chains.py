"""Chains of calls that select the failed results of processing, to log them or to act on them.

Sources: java.util.stream.Stream; kotlin.collections, kotlin.Result; scala.util.Either,
scala.collection.IterableOps (`collect`, `partition`, `partitionMap`).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA

_JAVA_LISTS = [
    "List<O> os = StreamSupport.stream(rs.spliterator(), false).map(r -> process(r)).toList();",
    "List<O> os = new ArrayList<>(); for (var r : rs) os.add(process(r));",
]
_BAD = "List<O> bad = os.stream().filter(O::isFailure).toList();"
_PARTITIONED = (
    "Map<Boolean, List<O>> by = os.stream().collect(Collectors.partitioningBy(O::isFailure));"
)


@pytest.mark.parametrize("results", _JAVA_LISTS, ids=["stream", "loop"])
@pytest.mark.parametrize(("statements", "expected"), [
    ("os.stream().filter(O::isFailure).forEach(o -> log.error(o));", SKIP),
    ("os.stream().filter(O::isFailure).forEach(log::error);", SKIP),
    ("os.stream().filter(o -> !o.isOk()).forEach(o -> log.error(o));", SKIP),
    ("os.stream().filter(o -> o instanceof Failed).forEach(o -> log.error(o));", SKIP),
    ("os.stream().filter(O::isFailure).forEach(o -> { throw new E(o); });", YES),
    ("os.stream().filter(O::isFailure).forEach(o -> letters.send(o));", YES),
    ("os.stream().filter(O::isFailure).findFirst().ifPresent(o -> { throw new E(o); });", YES),
    ("for (O o : os) { if (o.isFailure()) log.error(o); }", SKIP),
    ("for (O o : os) { if (o.isFailure()) throw new E(o); }", YES),
    ("for (O o : os) { if (o.status() == Status.FAILED) { log.error(o); } }", SKIP),
    ("os.forEach(o -> { if (o.isFailure()) log.error(o); });", SKIP),
    ("if (os.stream().anyMatch(O::isFailure)) log.error(1);", SKIP),
    ("if (os.stream().anyMatch(O::isFailure)) throw new E();", YES),
    (f"{_BAD} if (!bad.isEmpty()) log.error(bad);", SKIP),
    (f"{_BAD} bad.forEach(o -> log.warn(o)); if (!bad.isEmpty()) throw new E(bad);", YES),
    ("long n = os.stream().filter(O::isFailure).count(); if (n > 0) log.error(n);", SKIP),
    ("long n = os.stream().filter(O::isFailure).count(); if (n > 0) throw new E();", YES),
    (f"{_PARTITIONED} by.get(true).forEach(o -> log.error(o));", SKIP),
    (f"{_PARTITIONED} if (!by.get(true).isEmpty()) throw new E();", YES),
    ("if (os.contains(Outcome.FAILED)) log.error(1);", SKIP),
    ("if (os.contains(Outcome.FAILED)) throw new E();", YES),
    ("report(os);", YES),
    ("log.info(os.size());", YES),
])  # fmt: skip
def test_logging_the_failures_of_a_java_list_is_a_skip(
    tmp_path: Path, results: str, statements: str, expected: str
) -> None:
    code = READER % (LOOP % f"{results} {statements} c.commitSync();")
    assert_program(tmp_path / "A.java", code, expected)


@pytest.mark.parametrize(("statements", "expected"), [
    ("process(r).ifFailed(e -> log.error(e));", SKIP),
    ("process(r).ifFailed(log::error);", SKIP),
    ("process(r).ifFailed(e -> { log.error(e); throw new E(e); });", YES),
    ("process(r).ifFailed(e -> letters.send(r));", YES),
    ("Optional.ofNullable(process(r)).ifPresent(e -> log.error(e));", SKIP),
    ("Optional.ofNullable(process(r)).ifPresent(e -> { throw e; });", YES),
    ("Optional<Error> error = process(r); error.ifPresent(e -> log.error(e));", SKIP),
    ("process(r).ifPresent(next -> save(next));", YES),
    ("process(r).peek(o -> log.info(o)).getOrElseThrow(e -> new E(e));", YES),
    ("O o = process(r); if (o.isOk()) { continue; } throw new E(o);", YES),
    ("Decision d = rules.evaluate(r); if (d.isRejected()) { log.info(d); } else { apply(d); }",
     YES),
    ("boolean isNew = repo.insertIfAbsent(r.key()); if (!isNew) { log.info(r); }", YES),
    ("if (process(r).isFailure()) log.error(r);", SKIP),
    ("if (process(r).isFailure()) { letters.store(r); }", YES),
    ("if (!process(r).isOk()) { continue; } index(r);", SKIP),
    ("O o = process(r); if (o.getError() != null) throw o.getError();", YES),
    ("O o = process(r); o.getErrors().forEach(e -> log.error(e));", SKIP),
    ("O o = process(r); o.getErrors().forEach(e -> { throw e; });", YES),
    ("process(r).match(o -> metrics.ok(), e -> log.error(e));", SKIP),
    ("process(r).match(o -> metrics.ok(), e -> letters.send(e));", YES),
    ("var a = client.post(r.value()); if (a.statusCode() != 200) log.error(a);", SKIP),
    ("var a = client.post(r.value()); if (a.statusCode() >= 400) throw new E(a);", YES),
    ("var a = client.post(r.value()); if (a.statusCode() == 200) log.info(a); else throw new E();",
     YES),
])  # fmt: skip
def test_logging_a_failed_java_result_is_a_skip(
    tmp_path: Path, statements: str, expected: str
) -> None:
    loop = LOOP % f"for (var r : rs) {{ {statements} }} c.commitSync();"
    assert_program(tmp_path / "A.java", READER % loop, expected)


@pytest.mark.parametrize(("statements", "expected"), [
    ("os.filterIsInstance<Failed>().forEach { log.error(it) }", SKIP),
    ("os.filterIsInstance<Failed>().forEach { letter(it) }", YES),
    ("os.filter { it is Failed }.forEach { log.error(it) }", SKIP),
    ("os.filter { !it.ok }.forEach { log.error(it) }", SKIP),
    ("val bad = os.filterIsInstance<Failed>()\nif (bad.isNotEmpty()) log.error(bad)", SKIP),
    ("val bad = os.filterIsInstance<Failed>()\nif (bad.isNotEmpty()) throw E(bad)", YES),
    ("val (good, bad) = os.partition { it is Ok }\nbad.forEach { log.error(it) }", SKIP),
    ("val (good, bad) = os.partition { it.isSuccess }\nif (bad.isNotEmpty()) throw E()", YES),
    ("for (o in os) { if (o is Failed) log.error(o) }", SKIP),
    ("os.forEach { if (it is Failed) throw E(it) }", YES),
    ("os.forEach { it.onFailure { e -> log.error(e) } }", SKIP),
    ("os.mapNotNull { it.exceptionOrNull() }.forEach { log.error(it) }", SKIP),
    ("os.mapNotNull { it.exceptionOrNull() }.forEach { throw it }", YES),
    ("if (os.any { it is Failed }) log.error(1)", SKIP),
    ("check(os.none { it is Failed })", YES),
    ("os.firstOrNull { it is Failed }?.let { throw E(it) }", YES),
])  # fmt: skip
def test_logging_the_failures_of_a_kotlin_list_is_a_skip(
    tmp_path: Path, statements: str, expected: str
) -> None:
    loop = f"val os = rs.map {{ process(it) }}\n{statements}\nc.commitSync()"
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, ""), expected)


@pytest.mark.parametrize(("statements", "expected"), [
    ("send(r).get().also { if (it is Failed) log.error(it) }", SKIP),
    ("process(r).also { o -> if (o is Failure) { log.error(o) } }", SKIP),
    ("process(r).also { if (it is Failed) throw E(it) }", YES),
    ("process(r).also { log.info(it) }", YES),
    ("process(r).also { if (!it.ok) log.error(it) }", SKIP),
    ("process(r).also { if (it != Status.OK) log.error(it) }", SKIP),
    ("process(r).let { if (it is Result.Failed) log.error(it) }", SKIP),
    ("process(r).let { if (it is Failed) letters.send(it) }", YES),
    ("process(r).run { if (this is Failed) log.error(this) }", SKIP),
    ("process(r).takeIf { it is Failed }?.let { log.error(it) }", SKIP),
    ("(process(r) as? Failed)?.let { log.error(it) }", SKIP),
    ("process(r).onFailure { log.error(it) }", SKIP),
    ("process(r).onFailure { log.error(it) }.getOrThrow()", YES),
    ("process(r)?.also { log.info(it) }?.let { publish(it) }", YES),
])  # fmt: skip
def test_logging_a_failed_kotlin_result_is_a_skip(
    tmp_path: Path, statements: str, expected: str
) -> None:
    loop = f"for (r in rs) {{\n{statements}\n}}\nc.commitSync()"
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, ""), expected)


_PARTITION = "val (bad, good) = os.partition(_.isLeft)\n"


@pytest.mark.parametrize(("statements", "expected"), [
    ("os.collect { case Left(e) => log.error(e) }", SKIP),
    ("os.collect { case f: Failed => log.error(f) }", SKIP),
    ("os.collect { case Left(e) => e }.foreach(e => log.error(e))", SKIP),
    ("os.collect { case Left(e) => e }.foreach(e => letters.send(e))", YES),
    ("os.collect { case Left(e) => throw e }", YES),
    ("os.foreach { case Left(e) => log.error(e); case Right(_) => () }", SKIP),
    ("os.foreach {\ncase Left(e) => throw e\ncase Right(_) => ()\n}", YES),
    (f"{_PARTITION}bad.foreach(e => log.error(e))", SKIP),
    (f"{_PARTITION}if (bad.nonEmpty) throw new E(bad)", YES),
    ("val (bad, good) = os.partitionMap(identity)\nbad.foreach(e => log.error(e))", SKIP),
    ("val (bad, good) = os.partitionMap(identity)\nbad.foreach(e => letters.send(e))", YES),
    ("os.filter(_.isLeft).foreach(e => log.error(e))", SKIP),
    ("os.find(_.isLeft).foreach(e => throw new E(e))", YES),
    ("for (Left(e) <- os) log.error(e)", SKIP),
    ("for (o <- os) o match {\ncase Left(e) => log.error(e)\ncase Right(_) =>\n}", SKIP),
    ("os.foreach(_.left.foreach(e => log.error(e)))", SKIP),
    ("os.foreach(o => o.fold(e => log.error(e), _ => ()))", SKIP),
    ("os.foreach(_.fold(e => throw e, _ => ()))", YES),
    ("if (os.exists(_.isLeft)) log.warn(1)", SKIP),
    ("if (os.exists(_.isLeft)) throw new E()", YES),
    ("os.sequence match {\ncase Left(e) => log.error(e)\ncase Right(_) => ()\n}", SKIP),
    ("store.saveAll(os)", YES),
])  # fmt: skip
def test_logging_the_failures_of_a_scala_list_is_a_skip(
    tmp_path: Path, statements: str, expected: str
) -> None:
    loop = f"val os = rs.asScala.map(process).toList\n{statements}\nc.commitSync()"
    assert_program(tmp_path / "A.scala", SCALA % (loop, ""), expected)


@pytest.mark.parametrize(("statements", "expected"), [
    ("val os = for (r <- rs.asScala) yield process(r)\nos.filter(_.isLeft).foreach(println)", SKIP),
    ("for (r <- rs.asScala) {\nOption(process(r)).foreach(e => log.error(e))\n}", SKIP),
    ("for (r <- rs.asScala) {\nOption(lookup(r)).foreach(v => save(v))\n}", YES),
    ("for (r <- rs.asScala) {\nprocess(r).tap { o => if (o.isLeft) log.error(o) }\n}", SKIP),
    ("val es = rs.asScala.flatMap(r => process(r).left.toOption)\nes.foreach(e => log.error(e))",
     SKIP),
    ("val es = rs.asScala.flatMap(r => process(r).left.toOption)\nif (es.nonEmpty) throw es.head",
     YES),
    ("rs.asScala.map(process).collectFirst { case Left(e) => e }.foreach(e => log.error(e))", SKIP),
    ("rs.asScala.map(process).collectFirst { case Left(e) => e }.foreach(e => throw e)", YES),
    ("for (r <- rs.asScala) {\nif (process(r).isLeft) log.error(1)\n}", SKIP),
    ("for (r <- rs.asScala) {\nprocess(r).left.foreach(e => throw e)\n}", YES),
    ("for (r <- rs.asScala) {\nprocess(r).foreach(v => log.info(v))\n}", YES),
])  # fmt: skip
def test_logging_a_failed_scala_result_is_a_skip(
    tmp_path: Path, statements: str, expected: str
) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (f"{statements}\nc.commitSync()", ""), expected)
