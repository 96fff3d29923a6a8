"""The pairs that scenarios are shown with lie on both sides of what the failure model says."""

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
def test_the_model_permits_it_under_the_bad_settings_alone_and_on_each_line(case: Case) -> None:
    events = [event for event in all_events() if event.scenario == case.scenario]
    for line in case.lines:
        bad = pipeline(**case.bad | {"kafka": line})
        assert case.anomaly in possible(events[0], bad), line
    if case.good is not None:
        good = pipeline(**case.good)
        assert case.anomaly not in frozenset().union(*(permitted(event, good) for event in events))


def refused(case: Case, release: str) -> str:
    """Why the products or the scenario do not take a case on a release of the brokers, if so."""
    for stated in filter(None, (case.bad, case.good)):
        for problem in pipeline(**stated | {"kafka": kafka_line(release)}).problems():
            return problem.message
    spec = case.experiment(kafka=release)
    try:
        for arm in spec.arms:
            topology_of(spec, arm)
    except ScenarioError as no:
        return str(no)
    return ""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_says_on_which_lines_it_can_be_run(case: Case) -> None:
    taken = {
        kafka_line(kafka_version)
        for kafka_version in kafka_versions()
        if not refused(case, kafka_version)
    }
    assert taken == set(case.lines)


def test_a_scenario_that_is_not_for_every_line_says_why() -> None:
    oldest = kafka_line(kafka_versions()[-1])
    late = [scenario for scenario in all_scenarios() if scenario.lines[-1] != oldest]
    assert late == [scenario for scenario in all_scenarios() if scenario.why_since]


def test_bad_settings_that_a_line_does_not_act_on_show_nothing_there() -> None:
    case = next(case for case in CASES if case.name == "stale-leads")
    assert case.acts("3.9.2")
    assert case.acts("2.8.2", zookeeper=True)
    acts = case.acts("3.7.2")
    assert case.right("bad", "holds", 0, acts=acts)
    assert not case.right("bad", "broken", 1, acts=acts)
    assert case.right("bad", "broken", 1)
