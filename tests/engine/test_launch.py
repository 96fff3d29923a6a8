"""What the owner of a run hears, without a broker."""

from __future__ import annotations

from pathlib import Path

import pytest

from labs.engine.run.experiment import UNUSABLE
from labs.engine.run.launch import Launch, RunnerDied
from tests.engine.arms import experiment

pytestmark = pytest.mark.process


def test_who_stopped_listening_may_listen_again(tmp_path: Path) -> None:
    with Launch(experiment(scenario="no-such-scenario"), tmp_path / "run") as started:
        for event in started:
            assert event["event"] == "error"
            break
        with pytest.raises(RunnerDied) as died:
            list(started)
    assert died.value.status == UNUSABLE
