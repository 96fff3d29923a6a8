"""Each broker scenario shows its anomaly under bad settings and none of it under good ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from advisor.reasoning.assess import assess
from advisor.reasoning.guarantees import Anomaly
from tests.cluster.conftest import Run
from tests.engine.arms import arm, pipeline

pytestmark = [pytest.mark.cluster, pytest.mark.spark, pytest.mark.timeout(400)]

Settings = dict[str, Any]
# A run is so short that a group may not have committed anything when its brokers die.
EARLIEST: Settings = {"consumer__auto_offset_reset": "earliest"}
SAFE: Settings = EARLIEST | {"topic__min_insync_replicas": 2}

OF_POLLS = {Anomaly.NONMONOTONIC_POLL, Anomaly.POLL_SKIP}
"""No event speaks of these, and no guarantee forbids them. One is seen wherever a log was cut
below what its group had read: the next poll starts before the end of the one before."""


@dataclass(frozen=True)
class Case:
    """Settings that show `anomaly` in a scenario, and settings that must not."""

    name: str
    scenario: str
    anomaly: Anomaly
    bad: Settings
    good: Settings
    want: str = "at-least-once"


CASES = [
    Case(
        "unclean", "isr-shrunk-leader-killed", Anomaly.LOST_WRITE,
        {"topic__unclean_leader_election_enable": True, "producer__enable_idempotence": False},
        SAFE,
    ),
    Case(
        "acks-1", "isr-shrunk-leader-killed", Anomaly.LOST_WRITE,
        SAFE | {"producer__acks": "1"},
        EARLIEST,
    ),
    Case(
        "one-copy", "leader-disk-lost", Anomaly.LOST_WRITE,
        {"topic__min_insync_replicas": 1},
        SAFE,
    ),
    Case(
        "impatient", "brokers-below-min-isr", Anomaly.GIVEN_UP,
        SAFE | {"producer__delivery_timeout_ms": 4000, "producer__request_timeout_ms": 2000},
        SAFE,
    ),
    Case(
        "never-flushed", "all-replicas-power-cut", Anomaly.LOST_WRITE,
        SAFE,
        SAFE | {"topic__flush_messages": 1},
    ),
    Case(
        "acks-0", "leader-killed", Anomaly.LOST_WRITE,
        SAFE | {"producer__acks": "0"},
        SAFE,
    ),
    Case(
        "two-leaders", "leader-cut-off", Anomaly.LOST_WRITE,
        SAFE | {"producer__acks": "1"},
        SAFE,
    ),
    Case(
        "blind-retry", "acknowledgement-lost", Anomaly.DUPLICATE,
        SAFE | {"producer__enable_idempotence": False},
        SAFE,
        "exactly-once",
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_bad_settings_show_it_and_good_ones_do_not(run: Run, case: Case) -> None:
    pair = arm("bad", case.want, **case.bad), arm("good", case.want, **case.good)
    arms, _ = run(*pair, scenario=case.scenario)
    bad, good = arms["bad"], arms["good"]
    assert bad["verdict"] == "broken", bad["reason"]
    assert bad["counts"][case.anomaly] > 0, bad["reason"]
    assert good["counts"][case.anomaly] == 0
    assert good["verdict"] == "holds", good["reason"]
    for told, settings in ((bad, case.bad), (good, case.good)):
        assert {row["phase"] for row in told["fault_evidence"]} == {"complete"}
        seen = {anomaly for anomaly in Anomaly if told["counts"].get(anomaly)} - OF_POLLS
        failures = assess(pipeline(**settings)).failures
        possible = {anomaly for failure in failures for anomaly in failure.permits}
        assert seen <= possible, f"the advisor has no reason for {seen - possible}"


def test_the_only_copy_away_is_an_outage_and_no_loss(run: Run) -> None:
    alone, three = arm("alone", topic__replication_factor=1, **EARLIEST), arm("three", **SAFE)
    arms, _ = run(alone, three, scenario="only-replica-down")
    assert {told["verdict"] for told in arms.values()} == {"holds"}
    assert {told["counts"]["lost_write"] for told in arms.values()} == {0}
    assert arms["alone"]["unavailable_ms"] > arms["three"]["unavailable_ms"] > 0
