"""A limited number of attempts to process a record, with a flag that says whether one succeeded.

Source: KafkaConsumer javadoc (`commitSync()` covers all polled records).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA

JAVA = READER % (LOOP % "%s%s")
_TRY = "try { save(r); ok = true; %s} catch (Exception e) { log.warn(e); }"
_LOOP = f"boolean ok = false; for (int i = 0; i < 3 && !ok; i++) {{ {_TRY % ''} }} "
_BREAK = f"boolean ok = false; for (int i = 0; i < 3; i++) {{ {_TRY % 'break; '} }} "
_KOTLIN = "try { save(r); ok = true; break } catch (e: Exception) { log.warn(e) }"
_SCALA = (
    "var ok = false\nvar n = 0\nwhile (!ok && n < 3) {\ntry { save(r); ok = true } catch {\n"
    "case e: Exception%s => n += 1; log.warn(e)\n}\n}\n"
)


@pytest.mark.parametrize(("program", "attempts", "expected"), [
    (JAVA, f"{_LOOP}if (!ok) letters.store(r);", YES),
    (JAVA, f"{_LOOP}if (!ok) log.error(r);", SKIP),
    (JAVA, f"{_LOOP}if (!ok) throw new E();", YES),
    (JAVA, _LOOP, SKIP),
    (JAVA, f"{_BREAK}if (!ok) letters.store(r);", YES),
    (JAVA, f"{_BREAK}if (!ok) log.error(r);", SKIP),
    (KOTLIN, f"var ok = false\nfor (i in 1..3) {{ {_KOTLIN} }}\nif (!ok) letters.store(r)", YES),
    (KOTLIN, f"var ok = false\nfor (i in 1..3) {{ {_KOTLIN} }}\nif (!ok) log.error(r)", SKIP),
    (KOTLIN, "runCatching { save(r) }.onFailure { log.warn(it) }.onFailure { letters.store(r) }",
     YES),
    (KOTLIN, "runCatching { save(r) }.onFailure { log.warn(it) }.onFailure { failed.increment() }",
     SKIP),
    (SCALA, _SCALA % " if n < 2", YES),
    (SCALA, _SCALA % "", SKIP),
    (SCALA, f"{_SCALA % ''}if (!ok) letters.store(r)", YES),
])  # fmt: skip
def test_a_record_whose_attempts_all_fail_must_be_handled(
    tmp_path: Path, program: str, attempts: str, expected: str
) -> None:
    heads = {JAVA: "for (R r : rs)", KOTLIN: "for (r in rs)", SCALA: "for (r <- rs.asScala)"}
    end = "c.commitSync();" if program is JAVA else "c.commitSync()"
    body = f"{heads[program]} {{\n{attempts}\n}}\n{end}"
    assert_program(tmp_path / "A.java", program % (body, ""), expected)
