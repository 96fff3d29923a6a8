"""Clients that die or wait too little: what bad settings make of it, and good ones do not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from advisor.reasoning.assess import assess
from advisor.reasoning.guarantees import Anomaly
from tests.cluster.conftest import Run
from tests.engine.arms import arm, pipeline

pytestmark = [pytest.mark.cluster, pytest.mark.spark, pytest.mark.timeout(400)]

Settings = dict[str, Any]
# A run is so short that a group may not have committed anything when its member dies.
AFTER: Settings = {
    "consumer__auto_offset_reset": "earliest",
    "application__commit": "after-processing",
}
SAFE: Settings = AFTER | {"topic__min_insync_replicas": 2, "application__sink": "idempotent"}
IN_TRANSACTIONS: Settings = {
    "producer__transactional_id": "orders-1",
    "application__restart": "resumes",
}
IMPATIENT: Settings = {
    "producer__delivery_timeout_ms": 1500,
    "producer__request_timeout_ms": 1000,
}


@dataclass(frozen=True)
class Case:
    """Settings that show `anomaly` in a scenario, held against `want`, and settings that do not."""

    name: str
    scenario: str
    want: str
    anomaly: Anomaly
    bad: Settings
    good: Settings
    shorter: dict[str, float] = field(default_factory=dict)


CASES = [
    Case(
        "plain-sink", "consumer-killed-before-commit", "exactly-once", Anomaly.EFFECT_DUPLICATED,
        AFTER,
        SAFE,
    ),
    Case(
        "commits-first", "consumer-killed-before-processing", "at-least-once",
        Anomaly.EFFECT_MISSING,
        AFTER | {"application__commit": "before-processing"},
        AFTER,
        {"standing_s": 0.2},
    ),
    Case(
        "forgets", "producer-killed", "at-least-once", Anomaly.GIVEN_UP,
        AFTER | {"application__restart": "forgets"},
        AFTER | {"application__restart": "resumes"},
    ),
    Case(
        "works-too-long", "rebalance-during-processing", "exactly-once",
        Anomaly.EFFECT_DUPLICATED,
        AFTER | {"consumer__max_poll_interval_ms": 4000},
        SAFE | {"consumer__max_poll_interval_ms": 4000},
        {"working_s": 6.0, "healed_s": 1.0},
    ),
    Case(
        "reads-uncommitted", "transaction-left-open", "exactly-once", Anomaly.EFFECT_DUPLICATED,
        AFTER | IN_TRANSACTIONS | {"consumer__isolation_level": "read_uncommitted"},
        AFTER | IN_TRANSACTIONS | {"consumer__isolation_level": "read_committed"},
    ),
    Case(
        "sends-again", "sends-time-out", "exactly-once", Anomaly.EFFECT_DUPLICATED,
        AFTER | IMPATIENT | {"application__resend": "on-error"},
        SAFE,
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_bad_settings_show_it_and_good_ones_do_not(run: Run, case: Case) -> None:
    arms, _ = run(
        arm("bad", case.want, **case.bad), arm("good", case.want, **case.good),
        scenario=case.scenario, **case.shorter,
    )  # fmt: skip
    bad, good = arms["bad"], arms["good"]
    assert bad["verdict"] == "broken", bad["reason"]
    assert bad["counts"][case.anomaly] > 0, bad["reason"]
    assert good["counts"][case.anomaly] == 0
    assert good["verdict"] == "holds", good["reason"]
    for told, settings in ((bad, case.bad), (good, case.good)):
        assert {row["phase"] for row in told["fault_evidence"]} == {"complete"}
        seen = {anomaly for anomaly in Anomaly if told["counts"].get(anomaly)}
        failures = assess(pipeline(**settings)).failures
        possible = {anomaly for each in failures for anomaly in {**each.permits, **each.absorbed}}
        assert seen <= possible, f"the advisor has no reason for {seen - possible}"
        staged = [each for each in failures if each.event.scenario == case.scenario]
        permitted = {anomaly for each in staged for anomaly in each.permits}
        assert (case.anomaly in permitted) == (told is bad)
