"""Methods that return a function, and futures inside another value.

A function is not called where it is created. `submit` and `async` return another future, `Try` and
`runCatching` a result; `get` on these returns the future of the send (KafkaProducer javadoc, send).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.programs.test_aborts import _READS as READS
from tests.advisor.programs import BEFORE, IGNORED, SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA

_JAVA = (
    "import org.apache.kafka.clients.producer.*;\nclass A { void run() {\n"
    'Properties p = new Properties();\np.put("acks", "all");\n'
    "KafkaProducer<String, String> k = new KafkaProducer<>(p);\n%s\n}\n%s\n}\n"
)
_IN_KOTLIN = (
    "import org.apache.kafka.clients.producer.*\nfun main() {\nval p = Properties()\n"
    'p["acks"] = "all"\nval k = KafkaProducer<String, String>(p)\n%s\n}\n%s\n'
)
_IN_SCALA = (
    "import org.apache.kafka.clients.producer._\nobject A { def run(): Unit = {\n"
    'val p = new Properties()\np.put("acks", "all")\n'
    "val k = new KafkaProducer[String, String](p)\n%s\n}\n%s\n}\n"
)
_FOR = "for (var r : rows) {{ {} }}"
_SENDER = "Function<R, Future<M>> of(KafkaProducer<String, String> k) { return r -> k.send(r); }"
_CONSUMER = "Consumer<R> of(KafkaProducer<String, String> k) { return r -> k.send(r); }"
_REFERENCE = "Function<R, Future<M>> of(KafkaProducer<String, String> k) { return k::send; }"
_RUNNABLE = "Runnable of(KafkaProducer<String, String> k, R r) { return () -> k.send(r); }"
_HANDLER = "Consumer<R> all() { return r -> { try { save(r); } catch (Exception e) { %s } }; }"
_KOTLIN_FUN = "fun of(k: KafkaProducer<String, String>): (R) -> Unit = { r -> k.send(r) }"
_SCALA_DEF = "def of(k: KafkaProducer[String, String]): R => Future[M] = r => k.send(r)"
_CURRIED = "def of(k: KafkaProducer[String, String])(r: R): Unit = { k.send(r) }"


@pytest.mark.parametrize(("statements", "definitions", "expected"), [
    (_FOR.format("of(k).apply(r);"), _SENDER, IGNORED),
    (_FOR.format("of(k).apply(r).get();"), _SENDER, YES),
    (_FOR.format("of(k).accept(r);"), _CONSUMER, IGNORED),
    (f"Consumer<R> s = of(k);\n{_FOR.format('s.accept(r);')}", _CONSUMER, IGNORED),
    ("rows.forEach(of(k));", _CONSUMER, IGNORED),
    (_FOR.format("of(k).apply(r);"), _REFERENCE, IGNORED),
    (_FOR.format("of(k, r).run();"), _RUNNABLE, IGNORED),
    (_FOR.format("Function<R, Future<M>> s = k::send; s.apply(r).get();"), "", YES),
    (_FOR.format("Function<R, Future<M>> s = k::send; s.apply(r);"), "", IGNORED),
    (_FOR.format("Future<Future<M>> f = pool.submit(() -> k.send(r)); f.get();"), "", IGNORED),
    (_FOR.format("Future<Future<M>> f = pool.submit(() -> k.send(r)); f.get().get();"), "", YES),
])  # fmt: skip
def test_sends_in_a_returned_function_of_java_are_followed(
    tmp_path: Path, statements: str, definitions: str, expected: str
) -> None:
    assert_program(tmp_path / "A.java", _JAVA % (statements, definitions), expected, READS)


@pytest.mark.parametrize(("statements", "definitions", "expected"), [
    ("for (r in rows) of(k)(r)", _KOTLIN_FUN, IGNORED),
    ("for (r in rows) of(k).invoke(r)", _KOTLIN_FUN.replace("r -> k.send(r)", "k.send(it)"),
     IGNORED),
    ("val s = of(k)\nfor (r in rows) s(r)", _KOTLIN_FUN, IGNORED),
    ("rows.forEach(of(k))", _KOTLIN_FUN, IGNORED),
    ("for (r in rows) { val f = runCatching { k.send(r) }\nf.getOrThrow() }", "", IGNORED),
    ("for (r in rows) { val f = runCatching { k.send(r) }\nf.getOrThrow().get() }", "", YES),
])  # fmt: skip
def test_sends_in_a_returned_function_of_kotlin_are_followed(
    tmp_path: Path, statements: str, definitions: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", _IN_KOTLIN % (statements, definitions), expected, READS)


@pytest.mark.parametrize(("statements", "definitions", "expected"), [
    ("for (r <- rows) { of(k)(r) }", _SCALA_DEF, IGNORED),
    ("for (r <- rows) { of(k)(r).get() }", _SCALA_DEF, YES),
    ("for (r <- rows) { of(k)(r) }", _CURRIED, IGNORED),
    ("rows.foreach(of(k))", _SCALA_DEF, IGNORED),
    ("for (r <- rows) {\nval f = Try(k.send(r))\nf.get\n}", "", IGNORED),
    ("for (r <- rows) {\nval f = for { f <- Try(k.send(r)) } yield f\nf.get.get()\n}", "", YES),
])  # fmt: skip
def test_sends_in_a_returned_function_of_scala_are_followed(
    tmp_path: Path, statements: str, definitions: str, expected: str
) -> None:
    assert_program(tmp_path / "A.scala", _IN_SCALA % (statements, definitions), expected, READS)


@pytest.mark.parametrize(("statements", "definitions", "expected"), [
    ("for (R r : rs) { all().accept(r); } c.commitSync();", _HANDLER % "log.error(e);", SKIP),
    ("rs.forEach(all()); c.commitSync();", _HANDLER % "log.error(e);", SKIP),
    ("rs.forEach(all()); c.commitSync();", _HANDLER % "throw e;", YES),
    ("all().run(); for (R r : rs) { save(r); }", "Runnable all() { return () -> c.commitSync(); }",
     BEFORE),
])  # fmt: skip
def test_work_in_a_returned_function_of_java_is_followed(
    tmp_path: Path, statements: str, definitions: str, expected: str
) -> None:
    code = (READER % (LOOP % statements)).removesuffix("}\n") + f"{definitions}\n}}\n"
    assert_program(tmp_path / "A.java", code, expected)


def test_work_in_a_returned_function_of_kotlin_and_scala_is_followed(tmp_path: Path) -> None:
    kotlin = (
        "fun all(): (R) -> Unit = { r -> try { save(r) } catch (e: Exception) { log.error(e) } }"
    )
    loop = "val h = all()\nfor (r in rs) h(r)\nc.commitSync()"
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, kotlin), SKIP)
    scala = (
        "def all(): R => Unit = { r => try save(r) catch { case e: Exception => log.error(e) } }\n"
    )
    loop = "for (r <- rs.asScala) all()(r)\nc.commitSync()"
    assert_program(tmp_path / "A.scala", SCALA % (loop, scala), SKIP)
