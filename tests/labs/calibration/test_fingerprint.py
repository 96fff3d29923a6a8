"""The fingerprint of a run covers its scenario, the engine and the code that predicts it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

import pytest

from advisor.reasoning.failures import all_events
from labs.calibration.fingerprint import fingerprint, predicting_files
from labs.calibration.table import possible
from labs.engine.base.processes import ROOT
from labs.engine.scenarios import ScenarioError
from tests.engine.arms import pipeline

_ADVISOR = [ROOT / "advisor" / room for room in ("reasoning", "catalog")]
_NOT_PREDICTING = [ROOT / "advisor" / "reasoning" / room for room in ("rules", "levers")]
EVENTS = {
    "leader-killed-followers-behind": "leader_killed_followers_behind.py",
    "consumer-killed-before-commit": "consumer_killed_before_commit.py",
}


def executed_files(event: str) -> set[Path]:
    """The advisor's files whose code is executed to predict a run of the event's scenario."""
    (staged,) = (item for item in all_events() if item.name == event)
    files = set[Path]()

    def watch(frame: FrameType, *_: object) -> None:
        file = Path(frame.f_code.co_filename)
        if not set(_ADVISOR).isdisjoint(file.parents):
            files.add(file)

    settings = pipeline(producer__acks="1", topic__min_insync_replicas=2)
    sys.setprofile(watch)
    try:
        possible(staged, settings)
    finally:
        sys.setprofile(None)
    return files


def test_fingerprints_of_two_scenarios_share_the_engine_alone() -> None:
    first, second = (fingerprint(scenario) for scenario in EVENTS)
    assert first["scenario"] != second["scenario"]
    assert first["engine"] == second["engine"]
    assert first["rules"] != second["rules"]
    assert {len(name) for name in first.values()} == {12}


@pytest.mark.parametrize("event", EVENTS)
def test_all_code_that_predicts_a_run_is_in_its_fingerprint(event: str) -> None:
    files = predicting_files(event)
    assert EVENTS[event] in {file.name for file in files}
    assert executed_files(event) <= files


@pytest.mark.parametrize("event", EVENTS)
def test_code_of_findings_and_changes_alone_is_not_in_the_fingerprint(event: str) -> None:
    assert not [
        file
        for file in predicting_files(event)
        if not set(_NOT_PREDICTING).isdisjoint(file.parents)
    ]


def test_an_unknown_scenario_has_no_fingerprint() -> None:
    with pytest.raises(ScenarioError):
        fingerprint("no-such-scenario")
