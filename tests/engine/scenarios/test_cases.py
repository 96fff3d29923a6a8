"""Cases of scenarios: the failure model permits the anomaly for the bad settings, not the good."""

from __future__ import annotations

import pytest

from advisor.catalog import kafka_line
from advisor.reasoning.failures import all_events
from labs.calibration.cases import CASES, Case
from labs.calibration.edges import permitted
from labs.calibration.table import possible
from labs.engine.distributions.distribution import kafka_versions
from labs.engine.run.shape import topology_of
from labs.engine.scenarios import ScenarioError, all_scenarios
from tests.engine.arms import pipeline


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_model_permits_the_anomaly_only_for_the_bad_settings_on_each_line(case: Case) -> None:
    events = [event for event in all_events() if event.scenario == case.scenario]
    for line in case.lines:
        bad = pipeline(**case.bad | {"kafka": line})
        assert case.anomaly in possible(events[0], bad), line
    if case.good is not None:
        good = pipeline(**case.good)
        assert case.anomaly not in frozenset().union(*(permitted(event, good) for event in events))


def refusal(case: Case, release: str) -> str:
    """Why a product or the scenario refuses a case on a release of the brokers, if one does."""
    for stated in filter(None, (case.bad, case.good)):
        for problem in pipeline(**stated | {"kafka": kafka_line(release)}).problems():
            return problem.message
    spec = case.experiment(kafka=release)
    try:
        for arm in spec.arms:
            topology_of(spec, arm)
    except ScenarioError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_states_the_lines_on_which_it_can_be_run(case: Case) -> None:
    accepted = {
        kafka_line(kafka_version)
        for kafka_version in kafka_versions()
        if not refusal(case, kafka_version)
    }
    assert accepted == set(case.lines)


def test_a_scenario_that_does_not_support_every_line_states_why() -> None:
    oldest = kafka_line(kafka_versions()[-1])
    restricted = [scenario for scenario in all_scenarios() if scenario.lines[-1] != oldest]
    assert restricted == [scenario for scenario in all_scenarios() if scenario.why_since]


def test_bad_settings_that_have_no_effect_on_a_line_must_hold_there() -> None:
    case = next(case for case in CASES if case.name == "stale-leads")
    assert case.acts("3.9.2")
    assert case.acts("2.8.2", zookeeper=True)
    acts = case.acts("3.7.2")
    assert case.right("bad", "holds", 0, acts=acts)
    assert not case.right("bad", "broken", 1, acts=acts)
    assert case.right("bad", "broken", 1)
