"""Predictions and observations: what counts as a contradiction and what does not."""

from __future__ import annotations

from itertools import chain

import pytest

from advisor.catalog import Component
from advisor.reasoning.failures import all_events
from advisor.reasoning.guarantees import Anomaly
from labs.calibration.edges import event_of
from labs.calibration.table import (
    ALSO,
    COMPANIONS,
    Comparison,
    Observed,
    Row,
    compare,
    possible,
)
from tests.engine.arms import pipeline

EVENT = "leader-killed-followers-behind"
WEAK = pipeline(producer__acks="1", producer__enable_idempotence=False)
STRONG = pipeline(producer__acks="all", topic__min_insync_replicas=2)


def run(pipeline=STRONG, *seen: Anomaly, event: str = EVENT, link: str = "/a/") -> Observed:
    return Observed(event, pipeline, frozenset(seen), "acks", link)


def row(pipeline: Comparison, anomaly: Anomaly) -> Row:
    section = pipeline.section(EVENT)
    assert section is not None
    return next(row for row in section.rows if row.anomaly is anomaly)


def test_an_observed_anomaly_that_no_event_permits_is_a_contradiction():
    impossible = run(STRONG, Anomaly.DUPLICATE)
    (contradiction,) = compare([run(WEAK, Anomaly.LOST_WRITE), impossible]).contradictions
    assert (contradiction.anomaly, contradiction.run) == (Anomaly.DUPLICATE, impossible)


@pytest.mark.parametrize(
    "seen", [Anomaly.UNAVAILABLE, Anomaly.BLOCKED, Anomaly.NONMONOTONIC_POLL, Anomaly.POLL_SKIP]
)
def test_outages_and_anomalies_outside_the_model_contradict_nothing(seen):
    assert compare([run(STRONG, seen)]).contradictions == ()


def test_giving_up_is_no_contradiction_if_the_outage_outlasts_every_timeout():
    long_outage, short = (
        compare([run(STRONG, Anomaly.GIVEN_UP, event=event)]).contradictions
        for event in ("producer-state-expired", "acknowledgement-lost")
    )
    assert long_outage == ()
    assert [contradiction.anomaly for contradiction in short] == [Anomaly.GIVEN_UP]


def test_an_anomaly_that_a_companion_event_permits_is_no_contradiction():
    assert Anomaly.REDELIVERY in possible(event_of(EVENT), STRONG)
    assert compare([run(STRONG, Anomaly.REDELIVERY)]).contradictions == ()


def test_only_a_message_that_may_be_lost_may_lack_its_effect():
    """Found by a run with acks=0 whose records a broker refused (clocks-differ, seed 2450)."""
    heard = pipeline(
        producer__acks="all",
        application__clock_skew_ms=7_200_000,
        consumer__auto_offset_reset="earliest",
    )
    unheard = heard.with_setting(Component.PRODUCER, "acks", "0")
    lost = run(unheard, Anomaly.LOST_WRITE, Anomaly.EFFECT_MISSING, event="clocks-differ")
    assert compare([lost]).contradictions == ()
    given_up = run(heard, Anomaly.GIVEN_UP, Anomaly.EFFECT_MISSING, event="clocks-differ")
    (contradiction,) = compare([given_up]).contradictions
    assert contradiction.anomaly is Anomaly.EFFECT_MISSING


def test_a_failure_that_is_not_staged_excuses_nothing():
    cut = next(event for event in all_events() if event.name == "all-replicas-lose-power")
    assert Anomaly.LOST_WRITE in cut.permits(STRONG)
    (contradiction,) = compare([run(STRONG, Anomaly.LOST_WRITE)]).contradictions
    assert contradiction.anomaly is Anomaly.LOST_WRITE


def test_a_transaction_that_a_failure_interrupts_is_aborted():
    for isolation, impossible in (("read_uncommitted", 0), ("read_committed", 1)):
        described = pipeline(
            producer__transactional_id="orders-1", consumer__isolation_level=isolation,
            consumer__enable_auto_commit=False, application__commit="in-transaction",
        )  # fmt: skip
        read = run(described, Anomaly.ABORTED_READ, event="transaction-log-lost")
        assert len(compare([read]).contradictions) == impossible, isolation


def test_the_companions_are_events():
    assert {event.name for event in all_events()} >= COMPANIONS | {*chain(*ALSO.values())}


def test_effects_of_another_event_that_the_scenario_causes_are_no_contradiction():
    alone = pipeline(producer__acks="1", topic__replication_factor=1)
    for name in ("isr-shrunk-leader-lost", "followers-killed-leader-lost"):
        lost = run(alone, Anomaly.LOST_WRITE, event=name)
        assert compare([lost]).contradictions == (), name
    followers = run(alone, Anomaly.LOST_WRITE, event="isr-shrunk-leader-down")
    assert compare([followers]).contradictions, "no disk is lost there"


def test_a_row_counts_runs_by_prediction_and_by_observation():
    comparison = compare([run(WEAK, Anomaly.LOST_WRITE), run(WEAK), run(STRONG), run(STRONG)])
    lost = row(comparison, Anomaly.LOST_WRITE)
    assert [len(side) for side in (lost.possible.runs, lost.possible.seen)] == [2, 1]
    duplicate = row(comparison, Anomaly.DUPLICATE)
    assert [len(side) for side in (duplicate.impossible.runs, duplicate.impossible.seen)] == [2, 0]
    assert comparison.runs == 4


def test_a_contradiction_is_also_shown_in_its_row():
    comparison = compare([run(STRONG, Anomaly.DUPLICATE)])
    assert len(row(comparison, Anomaly.DUPLICATE).impossible.seen) == 1
    section = comparison.section(EVENT)
    assert section is not None
    assert section.summary.endswith("1 that the advice calls impossible")


def test_runs_that_permit_no_harm_are_summarized():
    section = compare([run(STRONG), run(STRONG)]).section(EVENT)
    assert section is not None
    assert section.summary == (
        "2 runs tried only settings that permit no harm, "
        "and saw none that the advice calls impossible"
    )


def test_runs_of_another_event_are_not_counted_for_this_one():
    comparison = compare([run(WEAK, Anomaly.LOST_WRITE, event="leader-killed")])
    section = comparison.section(EVENT)
    assert section is not None
    assert (section.runs, section.summary) == (0, "")


def test_the_producer_that_feeds_an_application_may_give_up_too() -> None:
    """It sends without transactions, so aborted and repeated output is not its own."""
    event = event_of("group-coordinator-away")
    copies = pipeline(
        topic__min_insync_replicas=2, application__commit="in-transaction",
        producer__transactional_id="orders-1", producer__request_timeout_ms=1_500,
    )  # fmt: skip
    brief = copies.with_setting(Component.PRODUCER, "delivery.timeout.ms", 3_000)
    given_up = {Anomaly.GIVEN_UP, Anomaly.DUPLICATE}
    assert given_up <= possible(event, brief)
    assert not given_up & possible(event, copies)


def test_librdkafka_in_place_of_java_may_write_duplicates() -> None:
    java = pipeline(producer__enable_idempotence=True, producer__request_timeout_ms=1_500)
    brief = java.with_setting(Component.PRODUCER, "delivery.timeout.ms", 3_000)
    event = event_of("leader-killed")
    assert Anomaly.DUPLICATE not in event.permits(brief)
    assert Anomaly.DUPLICATE in possible(event, brief)
    assert Anomaly.DUPLICATE not in possible(event, java)
