"""Deletions of what is not there: an error that says so leaves nothing undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA
from tests.advisor.programs.python import LOOP as PYTHON_LOOP
from tests.advisor.programs.python import READER as PYTHON_READER

_EACH = "for (R r : rs) {{ {} }} c.commitSync();"
_DELETES = "try { api.%s(r.key()); } catch (%s e) { log.info(1); }"
_KOTLIN_DELETES = (
    "for (r in rs) { try { api.%s(r.key()) } catch (e: %s) { log.info(1) } }\nc.commitSync()"
)
_SCALA_DELETES = (
    "for (r <- rs.asScala) {\ntry api.%s(r.key()) catch { case e: %s => log.info(1) }\n}\n"
    "c.commitSync()"
)
_TRY_PASS = "try:\n        %s\n    except %s:\n        pass"


@pytest.mark.parametrize(("loop", "expected"), [
    (_EACH.format(_DELETES % ("delete", "NotFoundException")), YES),
    (_EACH.format(_DELETES % ("deleteById", "NoSuchElementException")), YES),
    (_EACH.format(_DELETES % ("update", "NotFoundException")), SKIP),
    (_EACH.format(_DELETES % ("delete", "IOException")), SKIP),
])  # fmt: skip
def test_a_java_deletion_of_a_missing_object_loses_nothing(
    tmp_path: Path, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.java", READER % (LOOP % loop), expected)


@pytest.mark.parametrize(("call", "expected"), [
    (("delete", "NotFoundException"), YES),
    (("update", "NotFoundException"), SKIP),
    (("delete", "IOException"), SKIP),
])  # fmt: skip
@pytest.mark.parametrize(("name", "template", "loop"), [
    ("A.kt", KOTLIN, _KOTLIN_DELETES), ("A.scala", SCALA, _SCALA_DELETES),
])  # fmt: skip
def test_a_kotlin_or_scala_deletion_of_a_missing_object_loses_nothing(
    tmp_path: Path, name: str, template: str, loop: str, call: tuple[str, str], expected: str
) -> None:
    assert_program(tmp_path / name, template % (loop % call, ""), expected)


@pytest.mark.parametrize(("body", "expected"), [
    (_TRY_PASS % ("api.delete(m.key())", "NotFoundError"), YES),
    (_TRY_PASS % ("os.remove(m.key())", "FileNotFoundError"), YES),
    (_TRY_PASS % ("api.update(m.key())", "NotFoundError"), SKIP),
    (_TRY_PASS % ("api.delete(m.key())", "TimeoutError"), SKIP),
])  # fmt: skip
def test_a_python_deletion_of_a_missing_object_loses_nothing(
    tmp_path: Path, body: str, expected: str
) -> None:
    code = f"{PYTHON_READER}{PYTHON_LOOP}    {body}\n    c.commit(m)\n"
    assert_program(tmp_path / "a.py", code, expected)
