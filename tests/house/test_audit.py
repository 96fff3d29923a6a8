"""The audit reports findings that are not triaged and triage entries that are not used."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from benchmarks import audit
from benchmarks.fuzz import examples, fuzz, mutated, parsers


def finding(file: str, number: str) -> dict[str, Any]:
    return {"filename": file, "test_id": number, "line_number": 7, "issue_text": "why"}


TRIAGED = [finding(f"./{file}", number) for file, number in audit.TRIAGED]


def test_a_triaged_finding_is_not_reported() -> None:
    assert list(audit.untriaged([*TRIAGED, finding("labs/tasks.py", "B603")])) == []


def test_a_new_finding_is_reported_with_its_line() -> None:
    new = finding("labs/pages/experiments/views.py", "B608")
    assert list(audit.untriaged([*TRIAGED, new])) == ["labs/pages/experiments/views.py:7: B608 why"]


def test_an_unused_triage_entry_is_reported() -> None:
    (line,) = audit.untriaged(TRIAGED[1:])
    assert line.startswith(TRIAGED[0]["filename"].removeprefix("./"))


def test_locks_that_could_not_be_audited_are_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audit, "bandit", lambda: TRIAGED)
    monkeypatch.setattr(audit, "audited", lambda _: (0, []))
    assert audit.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:] == [
        f"pip-audit: its service did not answer for {lock}: not audited" for lock in audit.LOCKS
    ]


def test_the_same_seed_changes_the_same_files_and_every_reader_gets_one() -> None:
    texts = examples()
    assert mutated(Random(3), texts) == mutated(Random(3), texts)
    report = fuzz(2, seed=5)
    assert (report.inputs, report.readings, report.wrong) == (2, 2 * len(parsers()), [])
