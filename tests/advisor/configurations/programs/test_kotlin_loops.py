"""Kotlin loops, which are analysed like Java loops."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN

_LABELLED = "all@ for (r in rs) {\ntry { save(r) } catch (e: Exception) { log.error(e); %s }\n}\n"
_EACH = "for (r in rs) save(r)\n"
_FILTERED = "rs.filter { r -> %s }.forEach { r -> log.info(r) }\n"
_VALUE = "val v = try { %s } catch (e: Exception) { log.error(e); null }\n"
_INNER = "val w = try { save(rs) } catch (e: IOException) { %s }\nw"


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        # a label names the loop that continues or ends
        (_LABELLED % "continue@all", SKIP),
        (_LABELLED % "break@all", SKIP),
        (_LABELLED % "throw e", YES),
        # a timeout of another call, and of the processing
        (f"withTimeoutOrNull(5000) {{ ping() }}\n{_EACH}", YES),
        (f"withTimeoutOrNull(5000) {{ {_EACH} }}\n", SKIP),
        # records that cannot be saved are dropped
        (_FILTERED % "runCatching { save(r) }.isSuccess", SKIP),
        # a try expression, and one inside another
        (_VALUE % "save(rs)", SKIP),
        (_VALUE % _INNER % "null", SKIP),
    ],
)  # fmt: skip
def test_a_kotlin_loop_that_skips_records_is_reported(
    tmp_path: Path, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (f"{loop}c.commitSync()", ""), expected)
