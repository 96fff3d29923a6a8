"""A finding that nobody looked at is told, and so is a reason that nothing needs any more."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from benchmarks import audit
from benchmarks.fuzz import examples, fuzz, mutated, parsers


def finding(file: str, number: str) -> dict[str, Any]:
    return {"filename": file, "test_id": number, "line_number": 7, "issue_text": "why"}


TRIAGED = [finding(f"./{file}", number) for file, number in audit.TRIAGED]


def test_what_was_looked_at_is_not_told_again() -> None:
    assert list(audit.untriaged([*TRIAGED, finding("labs/tasks.py", "B603")])) == []


def test_a_new_finding_is_told_with_its_line() -> None:
    new = finding("labs/pages/experiments/views.py", "B608")
    assert list(audit.untriaged([*TRIAGED, new])) == ["labs/pages/experiments/views.py:7: B608 why"]


def test_a_reason_that_nothing_needs_is_told() -> None:
    (line,) = audit.untriaged(TRIAGED[1:])
    assert line.startswith(TRIAGED[0]["filename"].removeprefix("./"))


def test_locks_that_nobody_could_be_asked_of_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audit, "bandit", lambda: TRIAGED)
    monkeypatch.setattr(audit, "audited", lambda _: (0, []))
    assert audit.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:] == [
        f"pip-audit: its service did not answer for {lock}: not audited" for lock in audit.LOCKS
    ]


def test_the_same_seed_changes_the_same_files_and_every_reader_is_asked() -> None:
    texts = examples()
    assert mutated(Random(3), texts) == mutated(Random(3), texts)
    data = fuzz(2, seed=5)
    assert (data.inputs, data.readings, data.wrong) == (2, 2 * len(parsers()), [])
