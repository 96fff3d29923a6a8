"""The pairs that scenarios are shown with lie on both sides of what the failure model says."""

from __future__ import annotations

import pytest

from advisor.reasoning.failures import all_events
from labs.calibration.edges import permitted
from labs.calibration.table import possible
from tests.engine.arms import pipeline
from tests.engine.cases import CASES, Case


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_model_permits_it_under_the_bad_settings_alone(case: Case) -> None:
    events = [event for event in all_events() if event.scenario == case.scenario]
    assert case.anomaly in possible(events[0].name, pipeline(**case.bad))
    if case.good is None:
        return
    good = pipeline(**case.good)
    assert case.anomaly not in frozenset().union(*(permitted(event, good) for event in events))
