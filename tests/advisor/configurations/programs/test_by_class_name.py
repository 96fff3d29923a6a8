"""Methods that are called by their class, or by the one object of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.programs.test_java_loops import KOTLIN, LOOP, READER, SCALA
from tests.advisor.programs import BEFORE, IGNORED, SKIP, YES, assert_program

_TRIES = "for (R r : rs) { try { save(r); } catch (Exception e) { %s } }\nc.commitSync();"
_TELL = "static void tell(Exception e) { log.error(e); }"
_LETTER = "static void tell(Exception e, R r) { letters.send(r).get(); }"
_TRIED = (
    "static boolean tried(R r) { try { save(r); return true; }"
    " catch (Exception e) { return false; } }"
)
_IN_KOTLIN = (
    "for (r in rs) { try { save(r) } catch (e: Exception) { Errors.tell(e) } }\nc.commitSync()"
)
_IN_SCALA = (
    "for (r <- rs.asScala) {\ntry { save(r) } catch { case e: Exception => %s }\n}\nc.commitSync()"
)
_SENDS = (
    "import org.apache.kafka.clients.producer.*;\nclass A { void run() {\n"
    "Properties p = new Properties();\n"
    'p.put("acks", "all");\nKafkaProducer<String, String> k = new KafkaProducer<>(p);\n%s\n}\n'
    f"{_TELL}\n}}\n"
)


@pytest.mark.parametrize(("does", "more", "expected"), [
    ("A.tell(e);", _TELL, SKIP),
    ("Errors.tell(e);", f"static class Errors {{ {_TELL} }}", SKIP),
    ("Errors.INSTANCE.tell(e);", "enum Errors { INSTANCE; void tell(E e) { log.warn(e); } }", SKIP),
    ("tell(e); tell(1);", f"{_TELL} static void tell(int n) {{ log.warn(n); }}", SKIP),
    ("for (var l : logs) l.error(e);", "", SKIP),
    ("for (var l : letters) l.error(e);", "", YES),
    ("A.tell(e, r);", _LETTER, YES),
    ("Errors.tell(e);", "", YES),
])  # fmt: skip
def test_what_java_calls_by_its_class(tmp_path: Path, does: str, more: str, expected: str) -> None:
    code = (READER % (LOOP % (_TRIES % does))).replace("}}\n", f"}}\n{more}\n}}\n")
    assert_program(tmp_path / "A.java", code, expected)


@pytest.mark.parametrize(("loop", "more", "expected"), [
    ("for (R r : rs) { A.tried(r); } c.commitSync();", _TRIED, SKIP),
    ("A.ack(c); for (R r : rs) { save(r); }", "static void ack(Consumer c) { c.commitSync(); }",
     BEFORE),
])  # fmt: skip
def test_what_java_does_by_its_class(tmp_path: Path, loop: str, more: str, expected: str) -> None:
    code = (READER % (LOOP % loop)).replace("}}\n", f"}}\n{more}\n}}\n")
    assert_program(tmp_path / "A.java", code, expected)


@pytest.mark.parametrize("sends", [
    "for (var r : rows) { try { k.send(r).get(); } catch (Exception e) { A.tell(e); } }",
    "for (var r : rows) { k.send(r, (m, e) -> { if (e != null) A.tell(e); }); }\nk.flush();",
])  # fmt: skip
def test_what_a_send_tells_a_class(tmp_path: Path, sends: str) -> None:
    assert_program(tmp_path / "A.java", _SENDS % sends, IGNORED)


@pytest.mark.parametrize(("made", "expected"), [
    ("object Errors { fun tell(e: Exception) { log.error(e) } }", SKIP),
    ("object Errors { fun tell(e: Exception) = log.error(e) }", SKIP),
    ("class Errors { companion object { fun tell(e: Exception) { log.error(e) } } }", SKIP),
    ("object Errors { fun tell(e: Exception) { throw e } }", YES),
])  # fmt: skip
def test_what_kotlin_calls_by_an_object(tmp_path: Path, made: str, expected: str) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (_IN_KOTLIN, made), expected)


@pytest.mark.parametrize(("call", "more", "expected"), [
    ("A.tell(e)", "def tell(e: E): Unit = { log.error(e) }\n", SKIP),
    ("Errors.tell(e)", "}\nobject Errors { def tell(e: E): Unit = log.error(e)\n", SKIP),
    ("A.tell(e)", "def tell(e: E): Unit = { throw e }\n", YES),
])  # fmt: skip
def test_what_scala_calls_by_an_object(tmp_path: Path, call: str, more: str, expected: str) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (_IN_SCALA % call, more), expected)
