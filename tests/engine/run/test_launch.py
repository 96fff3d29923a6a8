"""The events and errors that the owner of a run receives. No broker is needed."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path

import pytest

from labs.engine.base.processes import ROOT
from labs.engine.run.experiment import ARM_FAILED, UNUSABLE, main
from labs.engine.run.launch import Launch, RunnerDied
from tests.engine.arms import experiment

pytestmark = pytest.mark.process


def test_events_can_be_read_on_after_a_break(tmp_path: Path) -> None:
    with Launch(experiment(scenario="no-such-scenario"), tmp_path / "run") as started:
        for event in started:
            assert event["event"] == "error"
            break
        with pytest.raises(RunnerDied) as died:
            list(started)
    assert died.value.status == UNUSABLE


def test_a_full_disk_is_reported_as_the_reason(tmp_path: Path) -> None:
    """/dev/full refuses every byte, as a full disk refuses the log and the last tables."""
    spec, folder = tmp_path / "spec.json", tmp_path / "run"
    spec.write_text(experiment().to_json(), "utf-8")
    folder.mkdir()
    for arm in experiment().arms:
        (folder / arm.name).symlink_to("/dev/full")
    with Path("/dev/full").open("wb") as full:
        process = subprocess.run(
            [sys.executable, "-m", "labs.engine.run.experiment", spec, folder],
            cwd=ROOT, stderr=full, stdout=subprocess.PIPE, text=True, timeout=120,
        )  # fmt: skip
    events = [json.loads(line) for line in process.stdout.splitlines()]
    reasons = [event["message"] for event in events if event["event"] == "error"]
    assert len(reasons) == len(experiment().arms)
    assert all("The arm could not be run" in reason for reason in reasons)
    assert events[-1]["event"] == "result"


def test_an_error_that_ends_a_run_is_reported_without_local_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def raise_disk_full(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device", str(tmp_path / "faults.parquet"))

    spec = tmp_path / "spec.json"
    spec.write_text(experiment().to_json(), "utf-8")
    monkeypatch.setattr("labs.engine.run.experiment.run", raise_disk_full)
    assert main(["", str(spec), str(tmp_path)]) == ARM_FAILED
    message = json.loads(capsys.readouterr().out)["message"]
    assert message.startswith("The run could not be carried out: ")
    assert "No space left on device" in message
    assert str(tmp_path) not in message
