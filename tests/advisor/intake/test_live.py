"""What is read from a live cluster: its version, its settings and their sources, and notes."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from advisor.catalog import Family, kafka_versions
from advisor.catalog.facts import examined, facts
from advisor.intake import ClusterState, Entry, Group, Intake, Product, read_live
from advisor.intake.cluster.config_sources import (
    DEFAULT,
    DYNAMIC_BROKER,
    DYNAMIC_DEFAULT,
    DYNAMIC_TOPIC,
    MIN_ISR,
    STATIC_BROKER,
)
from advisor.intake.live import detect_kafka

JAVA = Product(Family.JAVA, "4.3", "4.0")
SECRET = "hunter2"


def broker(line: str = "4.3", *entries: Entry) -> tuple[Entry, ...]:
    """Returns a broker configuration of this release, with `entries` in place of defaults."""
    by_name = {
        name: Entry(name, None if fact.default is None else str(fact.default), DEFAULT)
        for name, fact in facts("broker", line).items()
        if not fact.internal
    }
    return tuple((by_name | {entry.name: entry for entry in entries}).values())


def cluster_state(
    *on_topic: Entry, brokers: Iterable[tuple[Entry, ...]] = (broker(),), **more
) -> ClusterState:
    on_brokers = dict(enumerate(brokers, 1))
    racks = dict.fromkeys(on_brokers, "")
    fields = {"racks": racks, "copies": (3, 3), "on_brokers": on_brokers} | more
    return ClusterState("orders", on_topic=on_topic, **fields)


def read(state: ClusterState, product: Product = JAVA) -> tuple[Intake, dict[str, str]]:
    intake, places = read_live(state, product)
    assert not intake.problems
    assert intake.settings.keys() == places.keys()
    return intake, dict(places)


def has_note(intake: Intake, words: str) -> bool:
    return any(words in note for note in intake.notes)


def test_a_topic_and_its_cluster_are_read_with_the_source_of_each_setting() -> None:
    cluster_default = Entry(MIN_ISR, "2", DYNAMIC_DEFAULT)
    configured = broker(
        "4.3", cluster_default, Entry("replica.lag.time.max.ms", "9000", STATIC_BROKER)
    )
    intake, places = read(cluster_state(
        Entry("retention.ms", "5000", DYNAMIC_TOPIC),
        Entry("cleanup.policy", "delete", DEFAULT), cluster_default,
        brokers=[configured, configured, configured], racks={1: "a", 2: "b", 3: "a"},
    ))  # fmt: skip
    assert intake.heads == {"brokers": "3", "kafka": "4.3"}
    assert intake.settings == {
        "application.racks": 2, "topic.replication.factor": 3, "topic.retention.ms": 5000,
        "topic.min.insync.replicas": 2, "broker.min.insync.replicas": 2,
        "broker.replica.lag.time.max.ms": 9000,
    }  # fmt: skip
    assert places["topic.replication.factor"] == "topic orders, 2 partitions"
    assert places["topic.retention.ms"] == "set on topic orders"
    assert places["broker.replica.lag.time.max.ms"] == "in the broker's file"
    assert has_note(intake, "min.insync.replicas=2 is stored by the cluster for all brokers")


def test_a_minimum_in_the_broker_files_shows_that_eligible_leader_replicas_are_off() -> None:
    static = Entry(MIN_ISR, "2", STATIC_BROKER)
    intake, places = read(cluster_state(static, brokers=[broker("4.3", static)]))
    assert intake.settings["broker.min.insync.replicas"] == 2
    assert "topic.min.insync.replicas" not in intake.settings
    assert intake.settings["application.eligible.leader.replicas.version"] == 0
    assert "as it is where this is on" in places["application.eligible.leader.replicas.version"]


def test_a_cluster_minimum_overrides_the_broker_files_and_is_noted() -> None:
    cluster_default = Entry(MIN_ISR, "1", DYNAMIC_DEFAULT)
    intake, places = read(cluster_state(cluster_default, brokers=[broker("4.3", cluster_default)]))
    assert intake.settings["topic.min.insync.replicas"] == 1
    assert places["topic.min.insync.replicas"].startswith("stored by the cluster for all brokers")
    assert has_note(intake, "takes precedence over their files")
    assert "application.eligible.leader.replicas.version" not in intake.settings


@pytest.mark.parametrize("source", [DYNAMIC_TOPIC, DYNAMIC_BROKER, STATIC_BROKER, DYNAMIC_DEFAULT])
def test_a_value_in_force_for_a_topic_belongs_to_the_topic_whatever_its_source(source: str) -> None:
    intake, _ = read(cluster_state(Entry("retention.ms", "1000", source)))
    assert intake.settings["topic.retention.ms"] == 1000
    unclean = Entry("unclean.leader.election.enable", "true", source)
    intake, _ = read(cluster_state(unclean))
    part = "topic" if source in (DYNAMIC_TOPIC, DYNAMIC_DEFAULT) else "broker"
    assert intake.settings[f"{part}.unclean.leader.election.enable"] is True


@pytest.mark.parametrize("line", kafka_versions())
def test_a_release_is_detected_by_the_names_of_its_settings(line: str) -> None:
    assert detect_kafka(broker(line)) == line
    assert (
        detect_kafka(broker(line, Entry("our.plugin.key", None, STATIC_BROKER, secret=True)))
        == line
    )


def test_releases_with_the_same_names_are_distinguished_by_their_protocol_version() -> None:
    assert {line for line in examined("broker") if detect_kafka(broker(line)) != line} == set()
    undecided = [entry for entry in broker("3.5") if entry.name != "inter.broker.protocol.version"]
    assert detect_kafka(tuple(undecided)) is None


def test_an_unknown_release_is_not_guessed() -> None:
    newer = (*broker("4.3"), Entry("a.setting.of.tomorrow", "1", DEFAULT))
    mixed = [broker("4.2"), broker("4.3")]
    for brokers in ([newer], mixed, [()]):
        intake, _ = read(cluster_state(brokers=brokers))
        assert "kafka" not in intake.heads
        assert has_note(intake, "The version of the brokers does not follow")


def test_brokers_before_kraft_are_read_with_their_zookeeper_timeout() -> None:
    stated = [Entry(name, "30000", STATIC_BROKER) for name in (
        "zookeeper.session.timeout.ms", "broker.session.timeout.ms")]  # fmt: skip
    intake, _ = read(cluster_state(brokers=[broker("3.0", *stated)]))
    assert intake.heads["kafka"] == "3.0"
    assert intake.settings["broker.zookeeper.session.timeout.ms"] == 30_000
    assert "broker.broker.session.timeout.ms" not in intake.settings
    assert "application.eligible.leader.replicas.version" not in intake.settings


def test_differences_in_copies_racks_and_brokers_are_noted() -> None:
    lag = [Entry("replica.lag.time.max.ms", value, STATIC_BROKER) for value in ("1000", "2000")]
    intake, _ = read(cluster_state(
        brokers=[broker("4.3", entry) for entry in lag], copies=(3, 1), racks={1: "a", 2: ""}
    ))  # fmt: skip
    assert intake.settings["topic.replication.factor"] == 1
    assert intake.settings["broker.replica.lag.time.max.ms"] == 2000
    assert "application.racks" not in intake.settings
    assert has_note(intake, "have from 1 to 3 copies: the fewest count")
    assert has_note(intake, "differs between brokers (1000 on broker 1, 2000 on broker 2)")
    assert has_note(intake, "Some brokers name a rack")


@pytest.mark.parametrize("values", [("2", "1"), ("1", "2"), ("2", None), (None, "2")])
def test_the_weaker_of_two_brokers_counts_in_either_order(
    values: tuple[str | None, ...],
) -> None:
    stated = [[Entry(MIN_ISR, value, STATIC_BROKER)] if value else [] for value in values]
    intake, _ = read(cluster_state(brokers=[broker("4.0", *entries) for entries in stated]))
    assert intake.settings["broker.min.insync.replicas"] == 1
    weak_broker = values.index("1") if "1" in values else values.index(None)
    assert has_note(intake, f"the value of broker {weak_broker + 1} counts")


def test_a_group_shows_static_members_and_partitions_without_an_offset() -> None:
    intake, places = read(cluster_state(group=Group("billing", ("b-2", "b-1"), 2, 1)))
    assert intake.settings["consumer.group.instance.id"] == "stated"
    assert places["consumer.group.instance.id"] == "a member of group billing"
    assert has_note(
        intake, "2 members, offsets committed on 1 of 2 partitions; on the others auto."
    )
    for members in ((), ("b-1", "")):
        intake, _ = read(cluster_state(group=Group("billing", members, 2, 2)))
        assert "consumer.group.instance.id" not in intake.settings
        assert not has_note(intake, "auto.offset.reset")


def test_credentials_and_unmodelled_settings_are_not_read() -> None:
    configured = broker(
        "4.3", Entry("ssl.key.password", SECRET, STATIC_BROKER, secret=True),
        Entry("sasl.jaas.config", SECRET, STATIC_BROKER),
        Entry("log.dir", f"/{SECRET}", STATIC_BROKER),
        Entry("replica.lag.time.max.ms", "12345", STATIC_BROKER, secret=True),
    )  # fmt: skip
    intake, places = read(cluster_state(brokers=[configured]))
    assert SECRET not in repr((intake, places))
    assert "12345" not in repr((intake, places))
    assert has_note(intake, "2 may be credentials")
    assert has_note(intake, "2 other settings that are set are not taken into account")


def test_a_value_that_the_catalog_refuses_is_skipped_with_a_note() -> None:
    intake, _ = read(cluster_state(Entry("cleanup.policy", "vacuum", DYNAMIC_TOPIC)))
    assert "topic.cleanup.policy" not in intake.settings
    assert has_note(intake, "Left out: set on topic orders: cleanup.policy must be")


def test_a_topic_without_a_cleanup_policy_keeps_every_record() -> None:
    intake, _ = read(cluster_state(Entry("cleanup.policy", "", DYNAMIC_TOPIC)))
    names = ("cleanup.policy", "retention.ms", "retention.bytes")
    assert [intake.settings.get(f"topic.{name}") for name in names] == ["delete", -1, -1]


def test_notes_begin_with_what_could_not_be_read() -> None:
    intake, _ = read(cluster_state(brokers=[()], notes=("Not read: the settings of broker 1.",)))
    assert intake.notes[0] == "Not read: the settings of broker 1."
    assert intake.settings == {"topic.replication.factor": 3}
