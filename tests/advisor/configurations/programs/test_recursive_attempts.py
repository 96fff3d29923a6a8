"""Programs on the JVM that try a record again by a method that calls itself, and give up."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import IGNORED, SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA

_EACH = LOOP % "for (var r : rs) attempt(r, %s);\nc.commitSync();"
_METHOD = "class B { %s attempt(ConsumerRecord<String, String> r, %s) { %s } }"
_AGAIN = "try { save(r); } catch (Exception e) { attempt(r, n + 1); }"
_SAVED = "try { save(r); return true; } catch (Exception e) { return attempt(r, n + 1); }"
_CHECKED = LOOP % "for (var r : rs) { if (!attempt(r, 0)) throw new X(); }\nc.commitSync();"
_JAVA = [
    ("0", "void", "int n", 'if (n >= 3) { log.error("gave up"); return; } ' + _AGAIN, SKIP),
    ("0", "void", "int n", f"if (n < 3) {{ {_AGAIN} }}", SKIP),
    ("0", "void", "int n", "if (n == MAX) { metrics.increment(); return; } "
     "try { save(r); } catch (Exception e) { backoff(n); this.attempt(r, n + 1); }", SKIP),
    ("0", "void", "int n", "if (n >= 3) { letters.put(r); return; } " + _AGAIN, YES),
    ("0", "void", "int n", "if (n >= 3) throw new X(); " + _AGAIN, YES),
    ("0", "void", "int n", _AGAIN, YES),
    ("3", "void", "int left", "if (left == 0) return; "
     "try { save(r); } catch (Exception e) { attempt(r, left - 1); }", SKIP),
    ("3", "void", "int left", "if (left == 0) throw new X(); "
     "try { save(r); } catch (Exception e) { attempt(r, left - 1); }", YES),
    ("0", "boolean", "int n", "if (n >= 3) return false; " + _SAVED, SKIP),
    ("false", "void", "boolean last", "try { save(r); } catch (Exception e) { "
     "if (last) { log.error(e); return; } attempt(r, true); }", SKIP),
    ("true", "void", "boolean again", "try { save(r); } catch (Exception e) { "
     "if (again) attempt(r, false); }", SKIP),
    ("true", "void", "boolean again", "try { save(r); } catch (Exception e) { "
     "if (!again) throw e; attempt(r, false); }", YES),
]  # fmt: skip


@pytest.mark.parametrize(("first", "type_", "parameter", "body", "expected"), _JAVA)
def test_a_method_that_calls_itself_may_give_up(
    first: str, type_: str, parameter: str, body: str, expected: str, tmp_path: Path
) -> None:
    code = READER % (_EACH % first) + _METHOD % (type_, parameter, body)
    assert_program(tmp_path / "A.java", code, expected)


def test_a_caller_may_check_the_last_attempt(tmp_path: Path) -> None:
    method = _METHOD % ("boolean", "int n", "if (n >= 3) return false; " + _SAVED)
    assert_program(tmp_path / "A.java", READER % _CHECKED + method, YES)


_KOTLIN = "fun attempt(r: ConsumerRecord<String, String>, left: Int = 3) {\n%s\n}"
_SCALA = "def attempt(r: ConsumerRecord[String, String], n: Int): Unit = {\n%s\n}"
_KOTLIN_TRY = "try { save(r) } catch (e: Exception) { attempt(r, left - 1) }"
_SCALA_TRY = "else try { save(r) } catch { case e: Exception => attempt(r, n + 1) }"


@pytest.mark.parametrize(
    ("name", "code", "expected"),
    [
        # in Kotlin, the value of `return` is in its own line
        ("A.kt", KOTLIN % ("for (r in rs) attempt(r)\nc.commitSync()",
                           _KOTLIN % f"if (left <= 0) return\n{_KOTLIN_TRY}"), SKIP),
        ("A.kt", KOTLIN % ("for (r in rs) attempt(r)\nc.commitSync()",
                           _KOTLIN % f"check(left > 0)\n{_KOTLIN_TRY}"), YES),
        ("A.scala", SCALA % ("for (r <- rs.asScala) attempt(r, 0)\nc.commitSync()",
                             _SCALA % f"if (n > 3) log.error(x)\n{_SCALA_TRY}"), SKIP),
        ("A.scala", SCALA % ("for (r <- rs.asScala) attempt(r, 0)\nc.commitSync()",
                             _SCALA % f"if (n > 3) throw new X()\n{_SCALA_TRY}"), YES),
    ],
)  # fmt: skip
def test_a_function_that_calls_itself_may_give_up(
    name: str, code: str, expected: str, tmp_path: Path
) -> None:
    assert_program(tmp_path / name, code, expected)


def test_a_send_is_tried_again_and_given_up(tmp_path: Path) -> None:
    code = (
        "import org.apache.kafka.clients.producer.*;\nclass A { void run() {\n"
        'Properties p = new Properties(); p.put("acks", "all");\n'
        "KafkaProducer<String, String> k = new KafkaProducer<>(p);\n"
        "for (String s : lines) deliver(k, s, 0);\nk.close();\n}\n"
        "void deliver(KafkaProducer<String, String> k, String s, int n) { if (n > 3) return;\n"
        "try { k.send(record(s)).get(); } catch (Exception e) { deliver(k, s, n + 1); } } }"
    )
    assert_program(tmp_path / "A.java", code, IGNORED)
