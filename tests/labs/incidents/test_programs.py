"""Programs in the folder of an incident: their output, its timing, and their time limit."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from labs.incidents import programs
from labs.incidents.programs import ProgramFailed, rows, run

_PROGRAM = """
import json, os, sys
print("not JSON")
print(json.dumps({"moment": "it has begun"}), flush=True)
while not os.path.exists("heard"):
    pass
print(json.dumps({"count": 3}))
"""


def test_a_moment_is_noted_while_the_program_runs_and_is_not_a_row(tmp_path: Path) -> None:
    noted: list[str] = []

    def note(moment: str) -> None:
        noted.append(moment)
        (tmp_path / "heard").touch()  # the program waits for this

    printed = run((sys.executable, "-c", _PROGRAM), tmp_path, "talks", note=note)
    assert noted == ["it has begun"]
    assert rows(printed) == [{"count": 3}]


def test_a_failed_program_is_refused_with_its_output(tmp_path: Path) -> None:
    command = (sys.executable, "-c", "print('so far'); raise SystemExit('no topic')")
    with pytest.raises(ProgramFailed, match=r"(?s)talks: so far.*no topic"):
        run(command, tmp_path, "talks")


def test_a_program_that_does_not_end_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "_LIMIT_S", 0.5)
    command = (sys.executable, "-c", "import time; time.sleep(60)")
    with pytest.raises(ProgramFailed, match="talks did not end within"):
        run(command, tmp_path, "talks")
