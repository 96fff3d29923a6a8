"""Methods that make a function, and what is done with a future in another value.

A function is not called where it is made. `submit` and `async` give another future, `Try` and
`runCatching` a result, of which `get` gives the future of the send (KafkaProducer javadoc, send).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.programs.test_aborts import _READS as READS
from tests.advisor.configurations.programs.test_java_loops import KOTLIN, LOOP, READER, SCALA
from tests.advisor.programs import BEFORE, IGNORED, SKIP, YES, assert_program

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
_EACH = "for (var r : rows) {{ {} }}"
_SENDER = "Function<R, Future<M>> of(KafkaProducer<String, String> k) { return r -> k.send(r); }"
_GIVEN = "Consumer<R> of(KafkaProducer<String, String> k) { return r -> k.send(r); }"
_REFERS = "Function<R, Future<M>> of(KafkaProducer<String, String> k) { return k::send; }"
_LATER = "Runnable of(KafkaProducer<String, String> k, R r) { return () -> k.send(r); }"
_HANDLES = "Consumer<R> all() { return r -> { try { save(r); } catch (Exception e) { %s } }; }"
_KOTLIN_OF = "fun of(k: KafkaProducer<String, String>): (R) -> Unit = { r -> k.send(r) }"
_SCALA_OF = "def of(k: KafkaProducer[String, String]): R => Future[M] = r => k.send(r)"
_CURRIED = "def of(k: KafkaProducer[String, String])(r: R): Unit = { k.send(r) }"


@pytest.mark.parametrize(("does", "more", "expected"), [
    (_EACH.format("of(k).apply(r);"), _SENDER, IGNORED),
    (_EACH.format("of(k).apply(r).get();"), _SENDER, YES),
    (_EACH.format("of(k).accept(r);"), _GIVEN, IGNORED),
    (f"Consumer<R> s = of(k);\n{_EACH.format('s.accept(r);')}", _GIVEN, IGNORED),
    ("rows.forEach(of(k));", _GIVEN, IGNORED),
    (_EACH.format("of(k).apply(r);"), _REFERS, IGNORED),
    (_EACH.format("of(k, r).run();"), _LATER, IGNORED),
    (_EACH.format("Function<R, Future<M>> s = k::send; s.apply(r).get();"), "", YES),
    (_EACH.format("Function<R, Future<M>> s = k::send; s.apply(r);"), "", IGNORED),
    (_EACH.format("Future<Future<M>> f = pool.submit(() -> k.send(r)); f.get();"), "", IGNORED),
    (_EACH.format("Future<Future<M>> f = pool.submit(() -> k.send(r)); f.get().get();"), "", YES),
])  # fmt: skip
def test_what_java_sends_by_a_function(tmp_path: Path, does: str, more: str, expected: str) -> None:
    assert_program(tmp_path / "A.java", _JAVA % (does, more), expected, READS)


@pytest.mark.parametrize(("does", "more", "expected"), [
    ("for (r in rows) of(k)(r)", _KOTLIN_OF, IGNORED),
    ("for (r in rows) of(k).invoke(r)", _KOTLIN_OF.replace("r -> k.send(r)", "k.send(it)"),
     IGNORED),
    ("val s = of(k)\nfor (r in rows) s(r)", _KOTLIN_OF, IGNORED),
    ("rows.forEach(of(k))", _KOTLIN_OF, IGNORED),
    ("for (r in rows) { val f = runCatching { k.send(r) }\nf.getOrThrow() }", "", IGNORED),
    ("for (r in rows) { val f = runCatching { k.send(r) }\nf.getOrThrow().get() }", "", YES),
])  # fmt: skip
def test_what_kotlin_sends_by_a_function(
    tmp_path: Path, does: str, more: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", _IN_KOTLIN % (does, more), expected, READS)


@pytest.mark.parametrize(("does", "more", "expected"), [
    ("for (r <- rows) { of(k)(r) }", _SCALA_OF, IGNORED),
    ("for (r <- rows) { of(k)(r).get() }", _SCALA_OF, YES),
    ("for (r <- rows) { of(k)(r) }", _CURRIED, IGNORED),
    ("rows.foreach(of(k))", _SCALA_OF, IGNORED),
    ("for (r <- rows) {\nval f = Try(k.send(r))\nf.get\n}", "", IGNORED),
    ("for (r <- rows) {\nval f = for { f <- Try(k.send(r)) } yield f\nf.get.get()\n}", "", YES),
])  # fmt: skip
def test_what_scala_sends_by_a_function(
    tmp_path: Path, does: str, more: str, expected: str
) -> None:
    assert_program(tmp_path / "A.scala", _IN_SCALA % (does, more), expected, READS)


@pytest.mark.parametrize(("does", "more", "expected"), [
    ("for (R r : rs) { all().accept(r); } c.commitSync();", _HANDLES % "log.error(e);", SKIP),
    ("rs.forEach(all()); c.commitSync();", _HANDLES % "log.error(e);", SKIP),
    ("rs.forEach(all()); c.commitSync();", _HANDLES % "throw e;", YES),
    ("all().run(); for (R r : rs) { save(r); }", "Runnable all() { return () -> c.commitSync(); }",
     BEFORE),
])  # fmt: skip
def test_what_java_does_by_a_function(tmp_path: Path, does: str, more: str, expected: str) -> None:
    code = (READER % (LOOP % does)).removesuffix("}\n") + f"{more}\n}}\n"
    assert_program(tmp_path / "A.java", code, expected)


def test_what_others_do_by_a_function(tmp_path: Path) -> None:
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
