"""Sends that throw immediately, and the futures of the sends that do not throw.

Sources: KafkaProducer javadoc, `send` (SerializationException, InterruptException);
scala.util.Try; kotlin.Result.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import JAVA as TOPIC
from tests.advisor.configurations.asking import assert_file
from tests.advisor.configurations.programs.test_sends import IGNORED, YES
from tests.advisor.programs.jvm_senders import JAVA, KOTLIN, SCALA

_READS = "consumer.auto.offset.reset=earliest consumer.enable.auto.commit=false"
_SCALA_LOOP = (
    "val fs = ListBuffer[JFuture[RecordMetadata]]()\nfor (r <- rows) {\n%s\n}\nfs.foreach(_.get())"
)
_SCALA_METHOD = (
    "val fs = ListBuffer[JFuture[RecordMetadata]]()\ndef add(r: R): Unit = {\n%s\n}\n"
    "rows.foreach(add)\nfs.foreach(_.get())"
)
_KOTLIN_LOOP = (
    "val fs = mutableListOf<Future<RecordMetadata>>()\nfor (r in rows) {\n%s\n}\n"
    "fs.forEach { it.get() }"
)
_JAVA_LOOP = (
    "List<Future<RecordMetadata>> fs = new ArrayList<>(); for (R r : rows) { %s } "
    "for (var f : fs) f.get();"
)

_NO_FUTURE = "F f = null; try { f = k.send(r); } catch (Exception e) { log.warn(e); f = null; }"


@pytest.mark.parametrize("template", [_SCALA_LOOP, _SCALA_METHOD], ids=["loop", "method"])
@pytest.mark.parametrize(("statements", "expected"), [
    ("Try { fs += k.send(r) } match { case Failure(e) => log.error(e) ; case _ => }", IGNORED),
    ("Try { fs += k.send(r) } match { case Failure(e) => throw e ; case _ => }", YES),
    ("Try { fs += k.send(r) }.recover { case e => log.error(e) }", IGNORED),
    ("Try { fs += k.send(r) }.failed.foreach(e => log.error(e))", IGNORED),
    ("Try { fs += k.send(r) }.failed.foreach { e => throw e }", YES),
    ("Try { fs += k.send(r) }.get", YES),
    ("fs ++= Try(k.send(r)).toOption", IGNORED),
    ("Try(k.send(r)) match {\ncase Success(f) => fs += f\ncase Failure(e) => log.error(e)\n}",
     IGNORED),
    ("Try(k.send(r)) match {\ncase Success(f) => fs += f\ncase Failure(e) => throw e\n}", YES),
    ("Try(k.send(r)).fold(e => log.error(e), f => fs += f)", IGNORED),
    ("Try(k.send(r)).fold(e => throw e, f => fs += f)", YES),
    ("try fs += k.send(r) catch { case NonFatal(e) => log.error(e) }", IGNORED),
    ("val f = Try(k.send(r)).getOrElse(null)\nif (f != null) f.get()", IGNORED),
    ("val f = Try(k.send(r)).getOrElse(null)\nif (f != null) f.get() else throw new E", YES),
    ("val m = for { f <- Try(k.send(r)); m <- Try(f.get()) } yield m\nm.get", YES),
    ("val m = for { f <- Try(k.send(r)); m <- Try(f.get()) } yield m\nm.foreach(log.info)",
     IGNORED),
    ("val m = Try(k.send(r).get())\nm.foreach(x => log.info(x.offset))", IGNORED),
])  # fmt: skip
def test_a_scala_send_that_throws_must_not_only_be_logged(
    tmp_path: Path, template: str, statements: str, expected: str
) -> None:
    _assert_answer(tmp_path / "A.scala", SCALA % (template % statements, ""), expected)


@pytest.mark.parametrize(("statements", "expected"), [
    ("try { fs.add(k.send(r)); } catch (Exception e) { log.error(e); }", IGNORED),
    ("try { fs.add(k.send(r)); } catch (Exception e) { throw e; }", YES),
    ("while (true) { try { fs.add(k.send(r)); break; } catch (Exception e) { log.warn(e); } }",
     YES),
    ("Try.of(() -> k.send(r)).onSuccess(fs::add).onFailure(e -> log.error(e));", IGNORED),
    ("Try.of(() -> k.send(r)).onSuccess(fs::add).getOrElseThrow(E::new);", YES),
    (f"{_NO_FUTURE} if (f != null) f.get();", IGNORED),
    (f"{_NO_FUTURE} if (f == null) throw new E(); f.get();", YES),
])  # fmt: skip
def test_a_java_send_that_throws_must_not_only_be_logged(
    tmp_path: Path, statements: str, expected: str
) -> None:
    _assert_answer(tmp_path / "A.java", JAVA % (_JAVA_LOOP % statements, ""), expected)


@pytest.mark.parametrize(("statements", "expected"), [
    ("val fs = all.collect { case Success(f) => f }\nfs.foreach(_.get())", IGNORED),
    ("all.foreach(_.get.get())", YES),
    ("if (all.exists(_.isFailure)) throw new E\nall.foreach(_.get.get())", YES),
])  # fmt: skip
def test_a_list_of_attempted_sends_must_be_checked(
    tmp_path: Path, statements: str, expected: str
) -> None:
    code = SCALA % (f"val all = rows.map(r => Try(k.send(r)))\n{statements}", "")
    _assert_answer(tmp_path / "A.scala", code, expected)


@pytest.mark.parametrize(("statements", "expected"), [
    ("runCatching { fs += k.send(r) }.onFailure { log.error(it) }", IGNORED),
    ("runCatching { k.send(r) }.onSuccess { fs += it }.onFailure { log.error(it) }", IGNORED),
    ("runCatching { k.send(r) }.fold({ fs += it }, { log.error(it) })", IGNORED),
    ("runCatching { k.send(r) }.fold({ fs += it }, { throw it })", YES),
    ("fs += runCatching { k.send(r) }.getOrThrow()", YES),
    ("runCatching { k.send(r) }.getOrNull()?.let { fs += it }", IGNORED),
    ("val f = try { k.send(r) } catch (e: Exception) { null }\nf?.get()", IGNORED),
    ("val f = try { k.send(r) } catch (e: Exception) { null } ?: throw E()\nf.get()", YES),
])  # fmt: skip
def test_a_kotlin_send_that_throws_must_not_only_be_logged(
    tmp_path: Path, statements: str, expected: str
) -> None:
    _assert_answer(tmp_path / "A.kt", KOTLIN % (_KOTLIN_LOOP % statements, ""), expected)


def _assert_answer(path: Path, code: str, expected: str) -> None:
    assert_file(path, code, "", f"{TOPIC} {_READS}", 0 if expected == YES else 1, expected)
