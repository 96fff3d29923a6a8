"""Where groups keep their positions: as sure as the copies of __consumer_offsets, no more."""

from __future__ import annotations

import pytest

from advisor.reasoning.assess import assess
from advisor.reasoning.failures import all_events
from advisor.reasoning.fields import from_fields
from advisor.reasoning.guarantees import Anomaly, Boundary, Guarantee
from advisor.reasoning.recommend import recommend
from tests.advisor.pipelines import SAFE, broken, described, permits

LEAST = "application.offsets.topic.min.insync.replicas"
ONE = SAFE | {LEAST: "1"}
AGAIN = {Anomaly.REDELIVERY, Anomaly.EFFECT_DUPLICATED}
SKIP = {Anomaly.SKIPPED, Anomaly.EFFECT_MISSING}
STOP = {"consumer.auto.offset.reset": "none"}
TRANSACTION = STOP | {
    "producer.transactional.id": "copy", "consumer.enable.auto.commit": "false",
    "application.commit": "in-transaction", "consumer.isolation.level": "read_committed",
}  # fmt: skip
EXACTLY = {"need.guarantee": "exactly-once"}
LATEST = {"consumer.auto.offset.reset": "latest"}
UNCLEAN = {"broker.unclean.leader.election.enable": "true"}


def made(fields: dict[str, str]) -> dict[str, object]:
    recommendation = recommend(described(fields))
    assert not recommendation.impossible
    assert not broken(recommendation.pipeline)
    return {
        f"{change.component}.{change.setting}": change.after for change in recommendation.changes
    }


@pytest.mark.parametrize("line", ["3.3", "3.9", "4.0", "4.3"])
def test_a_commit_that_one_broker_has_goes_back_with_it(line: str) -> None:
    pipeline = described(ONE | STOP | {"kafka": line})
    assert permits(pipeline, "offsets-topic-lost") >= AGAIN
    assert not SKIP & permits(pipeline, "offsets-topic-lost")
    assert permits(described(ONE | LATEST | {"kafka": line}), "offsets-topic-lost") >= SKIP
    assert not permits(described(SAFE | {"kafka": line}), "offsets-topic-lost")


COPIES = "broker.offsets.topic.replication.factor"


@pytest.mark.parametrize(("copies", "least", "survive", "racks", "goes_back"), [
    # all of them may be lost, or all but one that is behind
    ("3", "2", "3", "3", True), ("2", "1", "2", "3", True),
    # none is behind, there is no other, or they go together
    ("3", "3", "3", "3", False), ("1", "1", "3", "3", False), ("3", "2", "1", "1", False),
])  # fmt: skip
def test_fewer_copies_may_be_lost_than_all_of_them(
    copies: str, least: str, survive: str, racks: str, goes_back: bool
) -> None:
    fields = {COPIES: copies, LEAST: least, "need.survive": survive, "application.racks": racks}
    permitted = permits(described(SAFE | STOP | {"brokers": "6"} | fields), "offsets-topic-lost")
    assert Anomaly.BLOCKED in permitted
    assert (permitted >= AGAIN) is goes_back


@pytest.mark.parametrize(("fields", "sure"), [
    ({}, False), ({"broker.min.insync.replicas": "2"}, True),
    ({"broker.min.insync.replicas": "2", LEAST: "1"}, False), ({LEAST: "2"}, True),
    ({LEAST: "2", "need.survive": "2"}, False),
    ({LEAST: "3", "need.survive": "2"}, True),
    ({LEAST: "2", "kafka": "3.9", "broker.offsets.commit.required.acks": "1"}, False),
    ({LEAST: "2", "kafka": "3.9", "broker.offsets.commit.required.acks": "-1"}, True),
])  # fmt: skip
def test_a_commit_has_as_many_copies_as_the_brokers_wait_for(
    fields: dict[str, str], sure: bool
) -> None:
    plain = {name: value for name, value in SAFE.items() if name != LEAST}
    assert (not permits(described(plain | STOP | fields), "offsets-topic-lost")) is sure


def test_exactly_once_with_offsets_in_the_transaction_asks_for_the_second_copy() -> None:
    weak = described(ONE | TRANSACTION | EXACTLY)
    assert assess(weak).guarantees[Boundary.END_TO_END] is Guarantee.AT_LEAST_ONCE
    assert made(ONE | TRANSACTION | EXACTLY) == {LEAST: 2}
    older = ONE | TRANSACTION | EXACTLY | {"kafka": "3.9"}
    assert made(older | {LEAST: "2", "broker.offsets.commit.required.acks": "1"}) == {
        "broker.offsets.commit.required.acks": -1
    }


def test_an_application_is_not_bent_where_a_setting_does_it() -> None:
    plain = {"application.sink": "plain", "consumer.auto.offset.reset": "earliest"}
    assert "application.sink" not in made(ONE | TRANSACTION | EXACTLY | plain)


@pytest.mark.parametrize(("fields", "expected"), [
    (UNCLEAN, AGAIN), (UNCLEAN | {LEAST: "3"}, set()), ({}, set()),
    ({"topic.unclean.leader.election.enable": "true"}, set()),
    (UNCLEAN | {"topic.unclean.leader.election.enable": "false"}, AGAIN),
    (UNCLEAN | {"broker.offsets.topic.replication.factor": "1"}, set()),
])  # fmt: skip
def test_the_brokers_unclean_elections_are_those_of_the_offsets(
    fields: dict[str, str], expected: set[Anomaly]
) -> None:
    pipeline = described(SAFE | STOP | fields)
    assert permits(pipeline, "offsets-unclean-election") - {Anomaly.BLOCKED} == expected
    [event] = [event for event in all_events() if event.name == "offsets-unclean-election"]
    assert event.in_scope(described(SAFE | {"need.survive": "0"}))


def test_a_commit_that_waits_for_no_other_broker_may_be_missing_at_the_next_coordinator() -> None:
    older = SAFE | TRANSACTION | {"kafka": "3.9", "need.survive": "0"}
    alone = {"broker.offsets.commit.required.acks": "1"}
    assert permits(described(older | alone), "group-coordinator-away") >= AGAIN
    assert not permits(described(older), "group-coordinator-away") - {Anomaly.BLOCKED}


STREAMS = {
    "family": "streams",
    "topic.replication.factor": "3",
    "topic.min.insync.replicas": "2",
    "topic.unclean.leader.election.enable": "false",
    "streams.replication.factor": "3",
    "streams.topic.min.insync.replicas": "2",
    "broker.unclean.leader.election.enable": "true",
}


@pytest.mark.parametrize(("fields", "expected"), [
    ({}, {Anomaly.STATE_LOST, Anomaly.EFFECT_MISSING}),
    ({"broker.unclean.leader.election.enable": "false"}, set()),
    ({"streams.topic.min.insync.replicas": "3"}, set()),
    ({"application.state": "none"}, set()),
])  # fmt: skip
def test_the_brokers_unclean_elections_are_those_of_the_topics_that_streams_makes(
    fields: dict[str, str], expected: set[Anomaly]
) -> None:
    pipeline = described(STREAMS | fields)
    assert permits(pipeline, "streams-unclean-election") == expected
    assert made(STREAMS | fields) == (
        {"broker.unclean.leader.election.enable": False} if expected else {}
    )


def test_the_brokers_unclean_elections_are_those_of_where_segments_are() -> None:
    tiered = {"topic.remote.storage.enable": "true"}
    own = SAFE | UNCLEAN | {"topic.unclean.leader.election.enable": "false"}
    assert Anomaly.LOST_WRITE in permits(described(own | tiered), "unclean-election")
    assert Anomaly.LOST_WRITE not in permits(described(own), "unclean-election")
    three = {"application.remote.metadata.min.insync.replicas": "3"}
    assert Anomaly.LOST_WRITE not in permits(described(own | tiered | three), "unclean-election")


def test_clean_elections_of_the_brokers_are_a_change_of_their_own() -> None:
    own = {"topic.unclean.leader.election.enable": "false"}
    assert made(SAFE | TRANSACTION | EXACTLY | UNCLEAN | own) == {
        "broker.unclean.leader.election.enable": False
    }


@pytest.mark.parametrize(("acks", "fine"), [("-2", False), ("-1", True), ("3", True), ("4", False)])
def test_brokers_start_with_no_more_acknowledgements_of_commits_than_copies(
    acks: str, fine: bool
) -> None:
    fields = SAFE | {"kafka": "3.9", "broker.offsets.commit.required.acks": acks}
    pipeline, problems = from_fields(fields)
    assert (pipeline is not None) is fine
    assert fine or "must be greater or equal to -1 and less or equal to" in problems[0].message
