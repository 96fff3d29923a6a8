"""Methods of one name: the number of arguments says which of them a call refers to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import JAVA_APP, KOTLIN

EACH = "for (R r : rs) { try { save(r); } catch (Exception e) { failed(r, e); } } c.commitSync();"
LOGS = "void failed(R r, Exception e) { log.error(r, e); }"
STORES = "void failed(R r, Exception e) { letters.store(r); }"


@pytest.mark.parametrize(("body", "more", "expected"), [
    (EACH, f"{LOGS} void failed(R r) {{ letters.store(r); }}", SKIP),
    (EACH, f"{STORES} void failed(R r) {{ log.error(r); }}", YES),
    (EACH, "void failed(R r, Exception e) { failed(r, e, 0); }\n"
     "void failed(R r, Exception e, int n) { log.error(r, e); }", SKIP),
    (EACH, "void failed(R r, Exception e) { this.failed(r, e, 0); }\n"
     "void failed(R r, Exception e, int n) { throw new Failed(e); }", YES),
    ("for (R r : rs) { handle(r, 3); } c.commitSync();", "void handle(R r) { save(r); }\n"
     "void handle(R r, int n) { try { handle(r); } catch (E e) { log.warn(e); } }", SKIP),
])  # fmt: skip
def test_the_method_with_as_many_parameters_is_followed(
    tmp_path: Path, body: str, more: str, expected: str
) -> None:
    code = JAVA_APP.format(before="", more=more, body=body)
    assert_program(tmp_path / "App.java", code, expected)


def test_a_kotlin_function_may_be_overloaded(tmp_path: Path) -> None:
    body = (
        "for (r in rs) {\ntry { save(r) } catch (e: Exception) { failed(r, e) }\n}\nc.commitSync()"
    )
    more = "fun failed(r: R, e: Exception) { log.error(r, e) }\nfun failed(r: R) = letters.store(r)"
    assert_program(tmp_path / "A.kt", KOTLIN % (body, more), SKIP)
