"""Sends that throw themselves, and futures that only the other sends have.

Sources: KafkaProducer javadoc, `send` (SerializationException, InterruptException);
scala.util.Try; kotlin.Result.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import JAVA as TOPIC
from tests.advisor.configurations.asking import assert_file
from tests.advisor.configurations.programs.test_sends import IGNORED, JAVA, KOTLIN, SCALA, YES

_READS = "consumer.auto.offset.reset=earliest consumer.enable.auto.commit=false"
_IN_SCALA = (
    "val fs = ListBuffer[JFuture[RecordMetadata]]()\nfor (r <- rows) {\n%s\n}\nfs.foreach(_.get())"
)
_METHOD_OF_SCALA = (
    "val fs = ListBuffer[JFuture[RecordMetadata]]()\ndef add(r: R): Unit = {\n%s\n}\n"
    "rows.foreach(add)\nfs.foreach(_.get())"
)
_IN_KOTLIN = (
    "val fs = mutableListOf<Future<RecordMetadata>>()\nfor (r in rows) {\n%s\n}\n"
    "fs.forEach { it.get() }"
)
_IN_JAVA = (
    "List<Future<RecordMetadata>> fs = new ArrayList<>(); for (R r : rows) { %s } "
    "for (var f : fs) f.get();"
)


@pytest.mark.parametrize("whole", [_IN_SCALA, _METHOD_OF_SCALA], ids=["loop", "method"])
@pytest.mark.parametrize(("does", "expected"), [
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
])  # fmt: skip
def test_a_send_of_scala_that_throws(tmp_path: Path, whole: str, does: str, expected: str) -> None:
    _ask(tmp_path / "A.scala", SCALA % (whole % does, ""), expected)


@pytest.mark.parametrize(("does", "expected"), [
    ("try { fs.add(k.send(r)); } catch (Exception e) { log.error(e); }", IGNORED),
    ("try { fs.add(k.send(r)); } catch (Exception e) { throw e; }", YES),
    ("while (true) { try { fs.add(k.send(r)); break; } catch (Exception e) { log.warn(e); } }",
     YES),
    ("Try.of(() -> k.send(r)).onSuccess(fs::add).onFailure(e -> log.error(e));", IGNORED),
    ("Try.of(() -> k.send(r)).onSuccess(fs::add).getOrElseThrow(E::new);", YES),
])  # fmt: skip
def test_a_send_of_java_that_throws(tmp_path: Path, does: str, expected: str) -> None:
    _ask(tmp_path / "A.java", JAVA % (_IN_JAVA % does, ""), expected)


@pytest.mark.parametrize(("does", "expected"), [
    ("runCatching { fs += k.send(r) }.onFailure { log.error(it) }", IGNORED),
    ("runCatching { k.send(r) }.onSuccess { fs += it }.onFailure { log.error(it) }", IGNORED),
    ("runCatching { k.send(r) }.fold({ fs += it }, { log.error(it) })", IGNORED),
    ("runCatching { k.send(r) }.fold({ fs += it }, { throw it })", YES),
    ("fs += runCatching { k.send(r) }.getOrThrow()", YES),
])  # fmt: skip
def test_a_send_of_kotlin_that_throws(tmp_path: Path, does: str, expected: str) -> None:
    _ask(tmp_path / "A.kt", KOTLIN % (_IN_KOTLIN % does, ""), expected)


def _ask(path: Path, code: str, expected: str) -> None:
    assert_file(path, code, "", f"{TOPIC} {_READS}", 0 if expected == YES else 1, expected)
