"""Scenarios: how they are found, drawn from a seed and described, and what they refuse."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from advisor.reasoning.failures import all_events
from advisor.reasoning.guarantees import Anomaly
from labs.calibration.cases import CASES
from labs.engine.scenarios import ScenarioError, all_scenarios, find
from labs.engine.scenarios.model import Rate, draw
from tests.engine.arms import pipeline

LEADER = find("leader-killed-followers-behind")
CARELESS: list[dict[str, Any]] = [
    {"producer__acks": "1"},
    {"topic__replication_factor": 1},
    {"application__commit": "before-processing"},
    {"application__processing": "asynchronous"},
    {"application__processing_errors": "close"},
    {"application__processing_errors": "skip", "application__dead_letter": "unacknowledged"},
    {"application__processing_errors": "skip"},
    {"consumer__auto_offset_reset": "latest"},
    {"consumer__auto_offset_reset": "latest", "application__outage_ms": 864_000_000},
    {"application__restart": "forgets"},
    {"family": "librdkafka", "producer__partitioner": "random"},
    {"application__restart": "resumes"},
    {"application__resend": "on-error"},
    {"producer__transactional_id": "orders-1"},
    {
        "producer__transactional_id": "orders-1",
        "application__commit": "in-transaction",
        "application__abort": "continues",
    },
    {"producer__transactional_id": "orders-1", "consumer__isolation_level": "read_committed"},
    {"topic__unclean_leader_election_enable": True},
    {"consumer__group_instance_id": "reader-1"},
    {"family": "spark"},
    {
        "family": "spark",
        "consumer__maxOffsetsPerTrigger": 200,
        "application__outage_ms": 864_000_000,
    },
    {"family": "spark", "application__speculation": True},
    {"streams__processing_guarantee": "at_least_once", "application__state": "unlogged"},
    {"streams__processing_guarantee": "exactly_once_v2", "application__sink": "plain"},
    {"application__delivery_errors": "ignored"},
    {"producer__max_block_ms": 1000},
    {"application__timestamps": "from-source"},
    {"topic__cleanup_policy": "compact"},
    {"application__largest_message_bytes": 2_000_000},
    {"broker__offsets_topic_replication_factor": 1},
    {"broker__unclean_leader_election_enable": True},
    {"streams__replication_factor": 3, "broker__unclean_leader_election_enable": True},
    {"application__outage_ms": 864_000_000},
    {"producer__transactional_id": "orders-1", "broker__transaction_state_log_min_isr": 1},
    {"broker__producer_id_expiration_ms": 60_000},
    {"application__producer_byte_rate": 10_000},
    {"application__topic_recreated": "while-running"},
    {"application__clock_skew_ms": 7_200_000},
    {
        "application__processing": "asynchronous",
        "application__commit": "after-processing",
        "consumer__enable_auto_commit": False,
    },
]
"""For each event that can be staged, some of these settings permit its anomalies."""


def test_every_scenario_is_named_after_its_file_and_shows_known_anomalies() -> None:
    assert all_scenarios()
    for scenario in all_scenarios():
        file = import_module(f"labs.engine.scenarios.{scenario.name.replace('-', '_')}")
        assert file.SCENARIO is scenario
        assert set(scenario.shows) <= {str(anomaly) for anomaly in Anomaly}
        assert scenario.title
        assert scenario.story


def test_events_and_scenarios_name_each_other() -> None:
    assert {event.scenario for event in all_events()} == {
        scenario.name for scenario in all_scenarios()
    }
    for event in all_events():
        pipelines = [pipeline(**stated) for stated in CARELESS]
        matching = [pipeline for pipeline in pipelines if pipeline.family in event.families]
        permitted = {str(anomaly) for pipeline in matching for anomaly in event.permits(pipeline)}
        assert permitted & set(find(event.scenario).shows), event.name


def test_an_unknown_name_is_an_error_that_suggests_the_nearest_one() -> None:
    with pytest.raises(ScenarioError, match="did you mean leader-killed-followers-behind"):
        find("leader-killed-follower-behind")


def test_a_seed_determines_a_schedule_within_the_ranges() -> None:
    first = draw(LEADER, 1, {})
    assert first == draw(LEADER, 1, {})
    assert first != draw(LEADER, 2, {})
    for name, (least, most) in LEADER.durations.items():
        assert least <= first.durations[name] <= most


def test_an_override_changes_no_other_value() -> None:
    drawn, schedule = draw(LEADER, 1, {}), draw(LEADER, 1, {"behind_s": 0.1, "rate_per_s": 5})
    assert schedule.durations == {**drawn.durations, "behind_s": 0.1}
    assert (schedule.rate_per_s, schedule.quiet) == (5, False)
    assert draw(LEADER, 1, {"faults": "none"}).quiet


@pytest.mark.parametrize("override", [{"behind": 1}, {"faults": "some"}])
def test_an_unknown_override_is_refused(override: dict[str, Any]) -> None:
    with pytest.raises(ScenarioError):
        draw(LEADER, 1, override)


def test_a_scenario_showed_its_anomaly_in_every_run_or_states_why_not() -> None:
    for scenario in all_scenarios():
        for rate in scenario.measured:
            assert rate.anomaly in scenario.shows, scenario.name
            assert 0 < rate.shown <= rate.runs
            assert rate.shown == rate.runs or scenario.chance, scenario.name


def test_the_certainty_of_a_scenario_is_stated_with_its_numbers() -> None:
    assert replace(LEADER, measured=(), chance="").certainty == "Not measured yet."
    certain = replace(LEADER, measured=(Rate("lost_write", 10, 10),), chance="")
    assert certain.certainty == "Settings that permit it showed lost_write in 10 of 10 runs."
    uncertain = replace(LEADER, measured=(Rate("lost_write", 7, 10),), chance="it is a race")
    assert uncertain.certainty == (
        "A matter of chance: it is a race. Settings that permit it showed lost_write in 7 of 10 "
        "runs."
    )


def test_every_scenario_has_a_case_and_every_case_a_scenario() -> None:
    assert {case.scenario for case in CASES} == {scenario.name for scenario in all_scenarios()}
