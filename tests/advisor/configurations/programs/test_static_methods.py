"""Methods that are called on their class, or on its only instance."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import BEFORE, IGNORED, SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA

_TRY_EACH = "for (R r : rs) { try { save(r); } catch (Exception e) { %s } }\nc.commitSync();"
_LOGS = "static void tell(Exception e) { log.error(e); }"
_LETTER = "static void tell(Exception e, R r) { letters.send(r).get(); }"
_TRIED = (
    "static boolean tried(R r) { try { save(r); return true; }"
    " catch (Exception e) { return false; } }"
)
_KOTLIN_LOOP = (
    "for (r in rs) { try { save(r) } catch (e: Exception) { Errors.tell(e) } }\nc.commitSync()"
)
_SCALA_LOOP = (
    "for (r <- rs.asScala) {\ntry { save(r) } catch { case e: Exception => %s }\n}\nc.commitSync()"
)
_SENDS = (
    "import org.apache.kafka.clients.producer.*;\nclass A { void run() {\n"
    "Properties p = new Properties();\n"
    'p.put("acks", "all");\nKafkaProducer<String, String> k = new KafkaProducer<>(p);\n%s\n}\n'
    f"{_LOGS}\n}}\n"
)


@pytest.mark.parametrize(("handler", "declarations", "expected"), [
    ("A.tell(e);", _LOGS, SKIP),
    ("Errors.tell(e);", f"static class Errors {{ {_LOGS} }}", SKIP),
    ("Errors.INSTANCE.tell(e);", "enum Errors { INSTANCE; void tell(E e) { log.warn(e); } }", SKIP),
    ("tell(e); tell(1);", f"{_LOGS} static void tell(int n) {{ log.warn(n); }}", SKIP),
    ("for (var l : logs) l.error(e);", "", SKIP),
    ("for (var l : letters) l.error(e);", "", YES),
    ("A.tell(e, r);", _LETTER, YES),
    ("Errors.tell(e);", "", YES),
])  # fmt: skip
def test_a_static_java_method_that_only_logs_is_reported(
    tmp_path: Path, handler: str, declarations: str, expected: str
) -> None:
    code = (READER % (LOOP % (_TRY_EACH % handler))).replace("}}\n", f"}}\n{declarations}\n}}\n")
    assert_program(tmp_path / "A.java", code, expected)


@pytest.mark.parametrize(("loop", "declarations", "expected"), [
    ("for (R r : rs) { A.tried(r); } c.commitSync();", _TRIED, SKIP),
    ("A.ack(c); for (R r : rs) { save(r); }", "static void ack(Consumer c) { c.commitSync(); }",
     BEFORE),
])  # fmt: skip
def test_a_static_java_method_that_skips_or_commits_is_reported(
    tmp_path: Path, loop: str, declarations: str, expected: str
) -> None:
    code = (READER % (LOOP % loop)).replace("}}\n", f"}}\n{declarations}\n}}\n")
    assert_program(tmp_path / "A.java", code, expected)


@pytest.mark.parametrize("sends", [
    "for (var r : rows) { try { k.send(r).get(); } catch (Exception e) { A.tell(e); } }",
    "for (var r : rows) { k.send(r, (m, e) -> { if (e != null) A.tell(e); }); }\nk.flush();",
])  # fmt: skip
def test_a_send_error_that_a_static_method_only_logs_is_reported(
    tmp_path: Path, sends: str
) -> None:
    assert_program(tmp_path / "A.java", _SENDS % sends, IGNORED)


@pytest.mark.parametrize(("declaration", "expected"), [
    ("object Errors { fun tell(e: Exception) { log.error(e) } }", SKIP),
    ("object Errors { fun tell(e: Exception) = log.error(e) }", SKIP),
    ("class Errors { companion object { fun tell(e: Exception) { log.error(e) } } }", SKIP),
    ("object Errors { fun tell(e: Exception) { throw e } }", YES),
])  # fmt: skip
def test_a_kotlin_object_method_that_only_logs_is_reported(
    tmp_path: Path, declaration: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (_KOTLIN_LOOP, declaration), expected)


@pytest.mark.parametrize(("call", "declarations", "expected"), [
    ("A.tell(e)", "def tell(e: E): Unit = { log.error(e) }\n", SKIP),
    ("Errors.tell(e)", "}\nobject Errors { def tell(e: E): Unit = log.error(e)\n", SKIP),
    ("A.tell(e)", "def tell(e: E): Unit = { throw e }\n", YES),
])  # fmt: skip
def test_a_scala_object_method_that_only_logs_is_reported(
    tmp_path: Path, call: str, declarations: str, expected: str
) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (_SCALA_LOOP % call, declarations), expected)
