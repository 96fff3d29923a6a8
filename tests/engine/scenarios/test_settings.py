"""What scenarios make of the settings that are described: brokers, topics, and what they refuse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from labs.challenges.schedule import plan
from labs.engine.scenarios import ScenarioError, find
from labs.engine.scenarios.model import Topology

LEADER = find("leader-killed-followers-behind")


@pytest.mark.parametrize(("replicas", "brokers"), [(1, 3), (3, 3), (5, 5)])
def test_there_are_brokers_for_all_replicas(replicas: int, brokers: int) -> None:
    assert LEADER.topology({"topic": {"replication.factor": replicas}}) == Topology(
        brokers, replicas
    )


def test_more_replicas_than_the_lab_boots_is_an_error() -> None:
    with pytest.raises(ScenarioError, match="at most 5 brokers"):
        LEADER.topology({"topic": {"replication.factor": 6}})


@pytest.mark.parametrize(
    "name", ["isr-shrunk-leader-killed", "leader-disk-lost", "brokers-below-min-isr"]
)
def test_the_last_of_more_than_two_followers_could_not_leave_cleanly(name: str) -> None:
    assert find(name).topology({"topic": {"replication.factor": 3}}) == Topology(3, 3)
    with pytest.raises(ScenarioError, match="controllers' majority"):
        find(name).topology({"topic": {"replication.factor": 4}})


def test_the_topology_knows_when_replicas_flush() -> None:
    settings = {"topic": {"replication.factor": 3, "flush.messages": 1}}
    assert find("all-replicas-power-cut").topology(settings).flush_messages == 1


def test_where_no_broker_fails_one_is_enough_and_that_is_said() -> None:
    scenario = find("producer-killed")
    alone = scenario.topology({"topic": {"replication.factor": 1}})
    assert alone == Topology(1, 1)
    three = scenario.topology({"topic": {"replication.factor": 3}})
    assert (three.brokers, three.replication_factor) == (1, 1)
    assert "1 instead of 3" in three.note


def test_without_a_transactional_id_there_is_no_transaction_to_leave_open() -> None:
    settings: dict[str, dict[str, Any]] = {
        "topic": {"replication.factor": 1},
        "producer": {"transactional.id": "orders-1"},
    }
    topology = find("transaction-left-open").topology
    assert topology(settings) == Topology(1, 1)
    with pytest.raises(ScenarioError, match=r"transactional\.id is not stated"):
        topology({**settings, "producer": {}})


@pytest.mark.parametrize(
    ("kept", "away", "policy", "overtaken"),
    [
        (345_000, None, "delete", True), (345_001, None, "delete", False),
        (345_000, 0, "delete", True), (10**6, 10**6, "delete", True),
        (10**6, 999_999, "delete", False),
        (-1, None, "delete", False), (1000, None, "compact", False),
    ],
)  # fmt: skip
def test_days_pass_in_seconds_only_where_readers_may_be_away_for_longer(
    kept: int, away: int | None, policy: str, overtaken: bool
) -> None:
    settings: dict[str, dict[str, Any]] = {
        "topic": {"retention.ms": kept, "cleanup.policy": policy},
        "application": {} if away is None else {"outage.ms": away},
    }
    pinned = find("retention-overtakes-reader").topic_pins(settings)
    assert ("retention.ms" in pinned) == overtaken


@pytest.mark.parametrize(
    ("kept", "load", "full"),
    [
        (-1, {}, False), (2**30 - 1, {}, True), (2**30, {}, False), (2**30, {"outage.ms": 1}, True),
        (34_500, {"rate": 10, "message.bytes": 10}, True),
        (34_501, {"rate": 10, "message.bytes": 10}, False),
        (10**8 + 1, {"rate": 10, "message.bytes": 10, "outage.ms": 10**9}, False),
        (10**8, {"rate": 10, "message.bytes": 10, "outage.ms": 10**9}, True),
    ],
)  # fmt: skip
def test_there_is_little_room_only_where_more_may_come_while_readers_are_away(
    kept: int, load: dict[str, int], full: bool
) -> None:
    settings: dict[str, dict[str, Any]] = {
        "topic": {"retention.ms": -1, "retention.bytes": kept, "cleanup.policy": "delete"},
        "application": load,
    }
    pinned = find("retention-overtakes-reader").topic_pins(settings)
    assert ("retention.bytes" in pinned, "segment.ms" in pinned) == (full, full)
    assert "retention.ms" not in pinned


@pytest.mark.parametrize(
    ("policy", "short"), [("delete", False), ("compact", True), ("compact,delete", True)]
)
def test_segments_are_short_where_they_are_compacted(policy: str, short: bool) -> None:
    pinned = find("log-compaction").topic_pins({"topic": {"cleanup.policy": policy}})
    assert ("segment.ms" in pinned) == short


def test_sparks_position_is_in_no_group() -> None:
    settings: dict[str, dict[str, Any]] = {
        "topic": {"replication.factor": 1}, "consumer": {"failOnDataLoss": True},
    }  # fmt: skip
    with pytest.raises(ScenarioError, match="in a checkpoint, and not in a group"):
        find("offset-out-of-range").topology(settings)


def test_a_scenario_about_a_query_needs_one() -> None:
    settings: dict[str, dict[str, Any]] = {
        "topic": {"replication.factor": 1}, "consumer": {"failOnDataLoss": True},
    }  # fmt: skip
    assert find("spark-restarted").topology(settings) == Topology(1, 1)
    with pytest.raises(ScenarioError, match="not a Spark query"):
        find("spark-restarted").topology({**settings, "consumer": {"auto.offset.reset": "latest"}})


@pytest.mark.parametrize(
    ("kept_ms", "policy", "pinned_ms"),
    [(14_400_000, "delete", 12_000), (86_400_000, "compact,delete", 72_000), (1, "delete", 1),
     (-1, "delete", None), (14_400_000, "compact", None)],
)  # fmt: skip
def test_an_hour_of_retention_passes_in_three_seconds_of_the_night(
    kept_ms: int, policy: str, pinned_ms: int | None
) -> None:
    pinned = find("query-falls-behind").topic_pins(
        {"topic": {"retention.ms": kept_ms, "cleanup.policy": policy}}
    )
    assert (pinned["retention.ms"].lab if pinned else None) == pinned_ms


def test_a_night_has_two_brokers_and_one_follower_at_most() -> None:
    topology = find("query-falls-behind").topology
    consumer = {"failOnDataLoss": True}
    three = topology({"topic": {"replication.factor": 3}, "consumer": consumer})
    assert (three.brokers, three.replication_factor) == (2, 2)
    assert "2 instead of 3" in three.note
    one = topology({"topic": {"replication.factor": 1}, "consumer": consumer})
    assert (one.brokers, one.replication_factor, one.note) == (2, 1, "")


def test_only_offsets_in_a_transaction_can_be_aborted_with_it() -> None:
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
def test_a_copy_is_taken_away_only_where_there_are_three(replicas: int) -> None:
    topology = find("reassignment-during-failure").topology
    with pytest.raises(ScenarioError, match=f"replication.factor is {replicas}"):
        topology({"topic": {"replication.factor": replicas}})
    assert topology({"topic": {"replication.factor": 3}}).controllers == 1


@pytest.mark.parametrize(
    ("lost", "unclean", "elected"),
    [
        ("replica-elected", False, True),
        ("returns-empty", False, False),
        ("replica-elected", True, False),
    ],
)
def test_an_operator_elects_where_the_team_does_and_the_controller_leaves_the_time(
    lost: str, unclean: bool, elected: bool
) -> None:
    settings: dict[str, dict[str, Any]] = {
        "topic": {"replication.factor": 3, "unclean.leader.election.enable": unclean},
        "application": {"disk.lost": lost},
    }
    scenario = find("followers-killed-leader-lost")
    assert scenario.topology(settings).replica_elected is elected
    steps = [step.text for step in plan(scenario.name, settings, {}).steps]
    assert ("newest log restarted" in steps) is elected


@pytest.mark.parametrize("unclean", [False, True])
@pytest.mark.parametrize("name", ["isr-shrunk-leader-killed", "rolling-restart"])
def test_a_leader_is_waited_for_where_a_replica_out_of_sync_may_lead(
    name: str, unclean: bool
) -> None:
    settings: dict[str, dict[str, Any]] = {
        "topic": {"replication.factor": 3, "unclean.leader.election.enable": unclean},
    }
    steps = [step.text for step in plan(name, settings, {}).steps]
    noticed = steps.index("until dead brokers are noticed")
    assert ("elected" in steps[noticed + 1]) is unclean, steps
    assert not any("elected" in step for step in steps[:noticed])


@pytest.mark.parametrize("racks", [None, 1])
def test_a_rack_that_holds_all_brokers_cannot_be_staged(racks: int | None) -> None:
    settings: dict[str, dict[str, Any]] = {
        "topic": {"replication.factor": 3}, "application": {"racks": racks},
    }  # fmt: skip
    with pytest.raises(ScenarioError, match=f"racks is {racks or 'not stated'}"):
        find("rack-lost").topology(settings)
    three = find("rack-lost").topology({**settings, "application": {"racks": 3}})
    assert (three.brokers, three.replication_factor) == (3, 3)
    assert "stands for a rack" in three.note


@pytest.mark.parametrize(("replicas", "racks"), [(4, 3), (5, 5), (6, 3)])
def test_of_five_brokers_a_rack_of_two_is_lost_and_of_no_other_number(
    replicas: int, racks: int
) -> None:
    topology = find("rack-lost").topology
    five = topology({"topic": {"replication.factor": 5}, "application": {"racks": 3}})
    assert (five.brokers, five.replication_factor) == (5, 5)
    with pytest.raises(ScenarioError, match=f"replication.factor is {replicas}"):
        topology({"topic": {"replication.factor": replicas}, "application": {"racks": racks}})


@pytest.mark.parametrize("replicas", [1, 3])
def test_two_racks_have_as_many_replicas_each(replicas: int) -> None:
    topology = find("rack-lost").topology
    with pytest.raises(ScenarioError, match=f"replication.factor is {replicas}"):
        topology({"topic": {"replication.factor": replicas}, "application": {"racks": 2}})
    two = topology({"topic": {"replication.factor": 4}, "application": {"racks": 2}})
    assert (two.brokers, two.racks, two.controllers) == (4, 2, 3)


@pytest.mark.parametrize(
    ("streams", "why"),
    [({}, "not a Kafka Streams"), ({"group.protocol": "streams"}, "longer than a run")],
)
def test_another_application_or_a_long_session_is_no_run_of_streams(
    streams: dict[str, Any], why: str
) -> None:
    settings: dict[str, dict[str, Any]] = {"topic": {"replication.factor": 1}, "streams": streams}
    for event in ("instance-killed", "state-lost", "internal-topics-lost"):
        with pytest.raises(ScenarioError, match=why):
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
def test_state_that_is_not_there_cannot_be_lost(name: str, state: str) -> None:
    settings: dict[str, dict[str, Any]] = {
        "topic": {"replication.factor": 3}, "streams": {"replication.factor": 1},
        "application": {"state": state},
    }  # fmt: skip
    with pytest.raises(ScenarioError, match=f"application state is {state}"):
        find(name).topology(settings)
    logged = find(name).topology({**settings, "application": {"state": "logged"}})
    assert logged.brokers == (1 if name == "streams-state-lost" else 3)


@pytest.mark.parametrize(("protocol", "theirs"), [("consumer", True), ("classic", False)])
def test_a_session_that_brokers_decide_on_is_shortened_there(protocol: str, theirs: bool) -> None:
    pinned = find("static-member-lost").broker_pins({"consumer": {"group.protocol": protocol}})
    assert ("group.consumer.session.timeout.ms" in pinned) == theirs


@pytest.mark.parametrize(
    ("name", "controllers"), [("controllers-lost", 3), ("unclean-election", 1)]
)
def test_controllers_stand_apart_where_brokers_die_beside_them(name: str, controllers: int) -> None:
    topology = find(name).topology({"topic": {"replication.factor": 3}})
    assert replace(topology, note="") == Topology(3, 3, controllers=controllers)
    assert topology.note.startswith(f"{controllers} dedicated controller")


@pytest.mark.parametrize(
    ("patience", "kept", "named", "forgotten"),
    [
        (120_000, 86_400_000, "", False), (120_000, 60_000, "", True), (60_000, 60_000, "", False),
        (0, 86_400_000, "", True), (120_000, 60_000, "orders-1", False),
    ],
)  # fmt: skip
def test_brokers_forget_a_producer_only_where_it_may_try_for_longer(
    patience: int, kept: int, named: str, forgotten: bool
) -> None:
    settings: dict[str, dict[str, Any]] = {
        "producer": {"delivery.timeout.ms": patience, "transactional.id": named},
        "broker": {"producer.id.expiration.ms": kept},
        "topic": {"replication.factor": 1},
    }
    scenario = find("producer-state-expired")
    assert ("producer.id.expiration.ms" in scenario.broker_pins(settings)) == forgotten
    assert scenario.topology(settings) == Topology(1, 1)


@pytest.mark.parametrize(
    ("kept", "away", "expire"),
    [(5, None, True), (6, None, False), (6, 360_000, True), (6, 359_999, False)],
)
def test_offsets_expire_only_where_readers_may_be_away_for_longer(
    kept: int, away: int | None, expire: bool
) -> None:
    settings: dict[str, dict[str, Any]] = {
        "broker": {"offsets.retention.minutes": kept}, "application": {"outage.ms": away},
    }  # fmt: skip
    pinned = find("group-offsets-expired").broker_pins(settings)
    assert ("offsets.retention.minutes" in pinned) == expire


@pytest.mark.parametrize("copies", [1, 2, 3])
def test_topics_that_were_made_on_one_broker_are_reassigned_as_described(copies: int) -> None:
    key = "offsets.topic.replication.factor"
    settings: dict[str, dict[str, Any]] = {
        "topic": {"replication.factor": 3}, "broker": {key: copies}, "consumer": {},
    }  # fmt: skip
    scenario = find("group-coordinator-away")
    topology = scenario.topology(settings)
    assert topology.grown == {"orders": 3, "__consumer_offsets": copies}
    made = scenario.broker_pins(settings)
    assert (made[key].lab if key in made else copies) == 1
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
def test_where_an_internal_topic_is_lost_the_topic_itself_is_spared(name: str, copies: str) -> None:
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
