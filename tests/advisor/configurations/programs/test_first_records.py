"""Commits after the first record of a poll, whose other records are processed later.

Source: KafkaConsumer javadoc (commitSync commits the position after the whole poll).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import BEFORE, SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER
from tests.advisor.programs.python import BATCH
from tests.advisor.programs.python import READER as PYTHON_READER

_ITERATOR = "Iterator<R> it = rs.iterator(); "


@pytest.mark.parametrize(("loop", "expected"), [
    (_ITERATOR + "save(it.next()); c.commitSync(); while (it.hasNext()) { save(it.next()); }",
     BEFORE),
    (_ITERATOR + "while (it.hasNext()) { save(it.next()); c.commitSync(); }", BEFORE),
    (_ITERATOR + "save(it.next()); while (it.hasNext()) { save(it.next()); } c.commitSync();", YES),
])  # fmt: skip
def test_a_java_commit_after_the_first_record_is_reported(
    tmp_path: Path, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.java", READER % (LOOP % loop), expected)


@pytest.mark.parametrize(("loop", "expected"), [
    ("val it = rs.iterator()\nsave(it.next())\nc.commitSync()\n"
     "while (it.hasNext()) save(it.next())",
     BEFORE),
    ("val all = rs.toList()\nsave(all.first())\nc.commitSync()\nall.drop(1).forEach { save(it) }",
     BEFORE),
])  # fmt: skip
def test_a_kotlin_commit_after_the_first_record_is_reported(
    tmp_path: Path, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, ""), expected)


@pytest.mark.parametrize(("body", "expected"), [
    ("it = iter(ms)\n    save(next(it))\n    c.commit()\n    for m in it:\n        save(m)",
     BEFORE),
    ("it = iter(ms)\n    save(next(it))\n    c.commit()", SKIP),
    ("save(ms[0])\n    c.commit()\n    for m in ms[1:]:\n        save(m)", BEFORE),
    ("it = iter(ms)\n    save(next(it))\n    for m in it:\n        save(m)\n    c.commit()", YES),
    ("it = iter(ms)\n    while (m := next(it, None)) is not None:\n        save(m)\n    c.commit()",
     YES),
])  # fmt: skip
def test_a_python_commit_after_the_first_message_is_reported(
    tmp_path: Path, body: str, expected: str
) -> None:
    code = f"{PYTHON_READER}{BATCH}    {body}\n"
    assert_program(tmp_path / "a.py", code, expected)
