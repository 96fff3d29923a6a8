"""Loops of Kotlin, which are played as those of Java are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.programs.test_java_loops import KOTLIN
from tests.advisor.programs import SKIP, YES, assert_program

_LABELLED = "all@ for (r in rs) {\ntry { save(r) } catch (e: Exception) { log.error(e); %s }\n}\n"
_EACH = "for (r in rs) save(r)\n"
_FILTERED = "rs.filter { r -> %s }.forEach { r -> log.info(r) }\n"
_VALUE = "val v = try { %s } catch (e: Exception) { log.error(e); null }\n"
_INNER = "val w = try { save(rs) } catch (e: IOException) { %s }\nw"


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        # a label says which loop goes on, or ends
        (_LABELLED % "continue@all", SKIP),
        (_LABELLED % "break@all", SKIP),
        (_LABELLED % "throw e", YES),
        # a limit of time that is about something else
        (f"withTimeoutOrNull(5000) {{ ping() }}\n{_EACH}", YES),
        (f"withTimeoutOrNull(5000) {{ {_EACH} }}\n", SKIP),
        # what cannot be saved is left out of what follows
        (_FILTERED % "runCatching { save(r) }.isSuccess", SKIP),
        # an attempt that has a value, and one inside another
        (_VALUE % "save(rs)", SKIP),
        (_VALUE % _INNER % "null", SKIP),
    ],
)  # fmt: skip
def test_what_a_loop_of_kotlin_does(tmp_path: Path, loop: str, expected: str) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (f"{loop}c.commitSync()", ""), expected)
