"""How scenarios use the described settings: their topologies and pins, and what they refuse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from labs.challenges.schedule import plan
from labs.engine.scenarios import ScenarioError, find
from labs.engine.scenarios.model import Topology

LEADER = find("leader-killed-followers-behind")


@pytest.mark.parametrize(("replicas", "brokers"), [(1, 3), (3, 3), (5, 5)])
def test_there_are_enough_brokers_for_all_replicas(replicas: int, brokers: int) -> None:
    assert LEADER.topology({"topic": {"replication.factor": replicas}}) == Topology(
        brokers, replicas
    )


def test_more_replicas_than_the_lab_boots_is_an_error() -> None:
    with pytest.raises(ScenarioError, match="at most 5 brokers"):
        LEADER.topology({"topic": {"replication.factor": 6}})


@pytest.mark.parametrize(
    "name", ["isr-shrunk-leader-killed", "leader-disk-lost", "brokers-below-min-isr"]
)
def test_a_fourth_replica_is_refused_where_all_followers_are_stopped(name: str) -> None:
    assert find(name).topology({"topic": {"replication.factor": 3}}) == Topology(3, 3)
    with pytest.raises(ScenarioError, match="controllers' majority"):
        find(name).topology({"topic": {"replication.factor": 4}})


def test_the_topology_has_the_flush_messages_of_the_topic() -> None:
    settings = {"topic": {"replication.factor": 3, "flush.messages": 1}}
    assert find("all-replicas-power-cut").topology(settings).flush_messages == 1


def test_a_scenario_without_broker_failures_has_one_broker_with_a_note() -> None:
    scenario = find("producer-killed")
    one_copy = scenario.topology({"topic": {"replication.factor": 1}})
    assert one_copy == Topology(1, 1)
    three_copies = scenario.topology({"topic": {"replication.factor": 3}})
    assert (three_copies.brokers, three_copies.replication_factor) == (1, 1)
    assert "1 instead of 3" in three_copies.note


def test_an_open_transaction_requires_a_transactional_id() -> None:
    settings: dict[str, dict[str, Any]] = {
        "topic": {"replication.factor": 1},
        "producer": {"transactional.id": "orders-1"},
    }
    topology = find("transaction-left-open").topology
    assert topology(settings) == Topology(1, 1)
    with pytest.raises(ScenarioError, match=r"transactional\.id is not stated"):
        topology({**settings, "producer": {}})


@pytest.mark.parametrize(
    ("retention_ms", "outage_ms", "policy", "is_overtaken"),
    [
        (345_000, None, "delete", True), (345_001, None, "delete", False),
        (345_000, 0, "delete", True), (10**6, 10**6, "delete", True),
        (10**6, 999_999, "delete", False),
        (-1, None, "delete", False), (1000, None, "compact", False),
    ],
)  # fmt: skip
def test_retention_ms_is_shortened_only_if_readers_may_be_away_for_longer(
    retention_ms: int, outage_ms: int | None, policy: str, is_overtaken: bool
) -> None:
    settings: dict[str, dict[str, Any]] = {
        "topic": {"retention.ms": retention_ms, "cleanup.policy": policy},
        "application": {} if outage_ms is None else {"outage.ms": outage_ms},
    }
    pinned = find("retention-overtakes-reader").topic_pins(settings)
    assert ("retention.ms" in pinned) == is_overtaken


@pytest.mark.parametrize(
    ("retention_bytes", "load", "is_limited"),
    [
        (-1, {}, False), (2**30 - 1, {}, True), (2**30, {}, False), (2**30, {"outage.ms": 1}, True),
        (34_500, {"rate": 10, "message.bytes": 10}, True),
        (34_501, {"rate": 10, "message.bytes": 10}, False),
        (10**8 + 1, {"rate": 10, "message.bytes": 10, "outage.ms": 10**9}, False),
        (10**8, {"rate": 10, "message.bytes": 10, "outage.ms": 10**9}, True),
    ],
)  # fmt: skip
def test_retention_bytes_is_lowered_only_if_more_may_arrive_while_readers_are_away(
    retention_bytes: int, load: dict[str, int], is_limited: bool
) -> None:
    settings: dict[str, dict[str, Any]] = {
        "topic": {
            "retention.ms": -1,
            "retention.bytes": retention_bytes,
            "cleanup.policy": "delete",
        },
        "application": load,
    }
    pinned = find("retention-overtakes-reader").topic_pins(settings)
    assert ("retention.bytes" in pinned, "segment.ms" in pinned) == (is_limited, is_limited)
    assert "retention.ms" not in pinned


@pytest.mark.parametrize(
    ("policy", "is_short"), [("delete", False), ("compact", True), ("compact,delete", True)]
)
def test_segments_are_short_if_the_topic_is_compacted(policy: str, is_short: bool) -> None:
    pinned = find("log-compaction").topic_pins({"topic": {"cleanup.policy": policy}})
    assert ("segment.ms" in pinned) == is_short


def test_a_group_offset_out_of_range_is_refused_for_spark() -> None:
    settings: dict[str, dict[str, Any]] = {
        "topic": {"replication.factor": 1}, "consumer": {"failOnDataLoss": True},
    }  # fmt: skip
    with pytest.raises(ScenarioError, match="in a checkpoint, and not in a group"):
        find("offset-out-of-range").topology(settings)


def test_a_scenario_about_a_spark_query_requires_one() -> None:
    settings: dict[str, dict[str, Any]] = {
        "topic": {"replication.factor": 1}, "consumer": {"failOnDataLoss": True},
    }  # fmt: skip
    assert find("spark-restarted").topology(settings) == Topology(1, 1)
    with pytest.raises(ScenarioError, match="not a Spark query"):
        find("spark-restarted").topology({**settings, "consumer": {"auto.offset.reset": "latest"}})


@pytest.mark.parametrize(
    ("retention_ms", "policy", "pinned_ms"),
    [(14_400_000, "delete", 12_000), (86_400_000, "compact,delete", 72_000), (1, "delete", 1),
     (-1, "delete", None), (14_400_000, "compact", None)],
)  # fmt: skip
def test_an_hour_of_retention_becomes_three_seconds_in_query_falls_behind(
    retention_ms: int, policy: str, pinned_ms: int | None
) -> None:
    pinned = find("query-falls-behind").topic_pins(
        {"topic": {"retention.ms": retention_ms, "cleanup.policy": policy}}
    )
    assert (pinned["retention.ms"].lab if pinned else None) == pinned_ms


def test_query_falls_behind_has_two_brokers_and_at_most_two_replicas() -> None:
    topology = find("query-falls-behind").topology
    consumer = {"failOnDataLoss": True}
    three = topology({"topic": {"replication.factor": 3}, "consumer": consumer})
    assert (three.brokers, three.replication_factor) == (2, 2)
    assert "2 instead of 3" in three.note
    one = topology({"topic": {"replication.factor": 1}, "consumer": consumer})
    assert (one.brokers, one.replication_factor, one.note) == (2, 1, "")


def test_an_abort_of_input_requires_offsets_in_the_transaction() -> None:
    settings: dict[str, dict[str, Any]] = {
        "topic": {"replication.factor": 1},
        "producer": {"transactional.id": "orders-1"},
        "application": {"commit": "in-transaction"},
    }
    topology = find("aborted-input-not-read-again").topology
    assert topology(settings) == Topology(1, 1)
    with pytest.raises(ScenarioError, match="commit is after-processing"):
        topology({**settings, "application": {"commit": "after-processing"}})


@pytest.mark.parametrize("replicas", [1, 2])
def test_a_reassignment_requires_three_replicas(replicas: int) -> None:
    topology = find("reassignment-during-failure").topology
    with pytest.raises(ScenarioError, match=f"replication.factor is {replicas}"):
        topology({"topic": {"replication.factor": replicas}})
    assert topology({"topic": {"replication.factor": 3}}).controllers == 1


@pytest.mark.parametrize(
    ("disk_lost", "unclean", "is_elected"),
    [
        ("replica-elected", False, True),
        ("returns-empty", False, False),
        ("replica-elected", True, False),
    ],
)
def test_an_operator_elects_a_replica_only_if_the_team_does_and_the_controller_does_not(
    disk_lost: str, unclean: bool, is_elected: bool
) -> None:
    settings: dict[str, dict[str, Any]] = {
        "topic": {"replication.factor": 3, "unclean.leader.election.enable": unclean},
        "application": {"disk.lost": disk_lost},
    }
    scenario = find("followers-killed-leader-lost")
    assert scenario.topology(settings).replica_elected is is_elected
    steps = [step.text for step in plan(scenario.name, settings, {}).steps]
    assert ("newest log restarted" in steps) is is_elected


@pytest.mark.parametrize("unclean", [False, True])
@pytest.mark.parametrize("name", ["isr-shrunk-leader-killed", "rolling-restart"])
def test_a_play_waits_for_a_leader_only_if_unclean_election_is_enabled(
    name: str, unclean: bool
) -> None:
    settings: dict[str, dict[str, Any]] = {
        "topic": {"replication.factor": 3, "unclean.leader.election.enable": unclean},
    }
    steps = [step.text for step in plan(name, settings, {}).steps]
    detected = steps.index("until dead brokers are noticed")
    assert ("elected" in steps[detected + 1]) is unclean, steps
    assert not any("elected" in step for step in steps[:detected])


@pytest.mark.parametrize("racks", [None, 1])
def test_the_loss_of_a_rack_requires_several_racks(racks: int | None) -> None:
    settings: dict[str, dict[str, Any]] = {
        "topic": {"replication.factor": 3}, "application": {"racks": racks},
    }  # fmt: skip
    with pytest.raises(ScenarioError, match=f"racks is {racks or 'not stated'}"):
        find("rack-lost").topology(settings)
    three = find("rack-lost").topology({**settings, "application": {"racks": 3}})
    assert (three.brokers, three.replication_factor) == (3, 3)
    assert "stands for a rack" in three.note


@pytest.mark.parametrize(("replicas", "racks"), [(4, 3), (5, 5), (6, 3)])
def test_five_replicas_in_three_racks_are_staged_and_other_combinations_are_refused(
    replicas: int, racks: int
) -> None:
    topology = find("rack-lost").topology
    five = topology({"topic": {"replication.factor": 5}, "application": {"racks": 3}})
    assert (five.brokers, five.replication_factor) == (5, 5)
    with pytest.raises(ScenarioError, match=f"replication.factor is {replicas}"):
        topology({"topic": {"replication.factor": replicas}, "application": {"racks": racks}})


@pytest.mark.parametrize("replicas", [1, 3])
def test_two_racks_require_an_even_number_of_replicas(replicas: int) -> None:
    topology = find("rack-lost").topology
    with pytest.raises(ScenarioError, match=f"replication.factor is {replicas}"):
        topology({"topic": {"replication.factor": replicas}, "application": {"racks": 2}})
    two = topology({"topic": {"replication.factor": 4}, "application": {"racks": 2}})
    assert (two.brokers, two.racks, two.controllers) == (4, 2, 3)


@pytest.mark.parametrize(
    ("streams", "reason"),
    [({}, "not a Kafka Streams"), ({"group.protocol": "streams"}, "longer than a run")],
)
def test_streams_scenarios_refuse_other_applications_and_long_sessions(
    streams: dict[str, Any], reason: str
) -> None:
    settings: dict[str, dict[str, Any]] = {"topic": {"replication.factor": 1}, "streams": streams}
    for event in ("instance-killed", "state-lost", "internal-topics-lost"):
        with pytest.raises(ScenarioError, match=reason):
            find(f"streams-{event}").topology(settings)
    classic = {**settings, "streams": {"group.protocol": "classic"}}
    assert find("streams-instance-killed").topology(classic) == Topology(1, 1)


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("streams-state-lost", "none"),
        ("streams-internal-topics-lost", "none"),
        ("streams-internal-topics-lost", "unlogged"),
    ],
)
def test_a_loss_of_state_requires_an_application_with_such_state(name: str, state: str) -> None:
    settings: dict[str, dict[str, Any]] = {
        "topic": {"replication.factor": 3}, "streams": {"replication.factor": 1},
        "application": {"state": state},
    }  # fmt: skip
    with pytest.raises(ScenarioError, match=f"application state is {state}"):
        find(name).topology(settings)
    logged = find(name).topology({**settings, "application": {"state": "logged"}})
    assert logged.brokers == (1 if name == "streams-state-lost" else 3)


@pytest.mark.parametrize(("protocol", "is_pinned"), [("consumer", True), ("classic", False)])
def test_the_session_timeout_of_the_consumer_protocol_is_shortened_on_the_brokers(
    protocol: str, is_pinned: bool
) -> None:
    pinned = find("static-member-lost").broker_pins({"consumer": {"group.protocol": protocol}})
    assert ("group.consumer.session.timeout.ms" in pinned) == is_pinned


@pytest.mark.parametrize(
    ("name", "controllers"), [("controllers-lost", 3), ("unclean-election", 1)]
)
def test_dedicated_controllers_of_a_scenario_are_stated_in_a_note(
    name: str, controllers: int
) -> None:
    topology = find(name).topology({"topic": {"replication.factor": 3}})
    assert replace(topology, note="") == Topology(3, 3, controllers=controllers)
    assert topology.note.startswith(f"{controllers} dedicated controller")


@pytest.mark.parametrize(
    ("delivery_timeout_ms", "expiration_ms", "transactional_id", "is_expired"),
    [
        (120_000, 86_400_000, "", False), (120_000, 60_000, "", True), (60_000, 60_000, "", False),
        (0, 86_400_000, "", True), (120_000, 60_000, "orders-1", False),
    ],
)  # fmt: skip
def test_producer_ids_expire_only_if_the_producer_may_retry_for_longer(
    delivery_timeout_ms: int, expiration_ms: int, transactional_id: str, is_expired: bool
) -> None:
    settings: dict[str, dict[str, Any]] = {
        "producer": {
            "delivery.timeout.ms": delivery_timeout_ms,
            "transactional.id": transactional_id,
        },
        "broker": {"producer.id.expiration.ms": expiration_ms},
        "topic": {"replication.factor": 1},
    }
    scenario = find("producer-state-expired")
    assert ("producer.id.expiration.ms" in scenario.broker_pins(settings)) == is_expired
    assert scenario.topology(settings) == Topology(1, 1)


@pytest.mark.parametrize(
    ("retention_minutes", "outage_ms", "is_expired"),
    [(5, None, True), (6, None, False), (6, 360_000, True), (6, 359_999, False)],
)
def test_offsets_expire_only_if_readers_may_be_away_for_longer(
    retention_minutes: int, outage_ms: int | None, is_expired: bool
) -> None:
    settings: dict[str, dict[str, Any]] = {
        "broker": {"offsets.retention.minutes": retention_minutes},
        "application": {"outage.ms": outage_ms},
    }  # fmt: skip
    pinned = find("group-offsets-expired").broker_pins(settings)
    assert ("offsets.retention.minutes" in pinned) == is_expired


@pytest.mark.parametrize("copies", [1, 2, 3])
def test_topics_created_on_one_broker_are_reassigned_to_the_described_copies(copies: int) -> None:
    key = "offsets.topic.replication.factor"
    settings: dict[str, dict[str, Any]] = {
        "topic": {"replication.factor": 3}, "broker": {key: copies}, "consumer": {},
    }  # fmt: skip
    scenario = find("group-coordinator-away")
    topology = scenario.topology(settings)
    assert topology.grown == {"orders": 3, "__consumer_offsets": copies}
    pinned = scenario.broker_pins(settings)
    assert (pinned[key].lab if key in pinned else copies) == 1
    steps = [step.text for step in plan(scenario.name, settings, {}).steps]
    assert steps[0] == "orders reassigned"
    assert steps.count("__consumer_offsets reassigned") == (copies > 1)


@pytest.mark.parametrize(
    ("name", "copies"),
    [
        ("offsets-topic-lost", "offsets.topic.replication.factor"),
        ("group-coordinator-away", "offsets.topic.replication.factor"),
        ("transaction-log-lost", "transaction.state.log.replication.factor"),
    ],
)
def test_a_scenario_that_loses_an_internal_topic_has_three_replicas_of_the_topic(
    name: str, copies: str
) -> None:
    settings: dict[str, dict[str, Any]] = {
        "topic": {"replication.factor": 1}, "broker": {copies: 1}, "consumer": {},
        "producer": {"transactional.id": "orders-1"},
    }  # fmt: skip
    scenario = find(name)
    assert copies in scenario.kept_broker_settings
    topology = scenario.topology(settings)
    assert (topology.brokers, topology.replication_factor) == (3, 3)
    assert "3 instead of 1" in topology.note
    with pytest.raises(ScenarioError, match="boots 3 brokers"):
        scenario.topology({**settings, "broker": {copies: 4}})
