"""Translating a team's settings for librdkafka: the library accepts them, and differences are
reported."""

from __future__ import annotations

import pytest
from confluent_kafka import Consumer, Producer

from advisor.catalog import Component, Family, Value, effective, settings_of
from labs.engine.clients import translate
from labs.engine.clients.translate import PINNED
from labs.engine.workloads.committing import commit_style


def in_force(family: Family, version: str, component: Component, **stated: Value) -> dict:
    """All settings of a component with the values in force, as in an arm."""
    settings = {component: {name.replace("_", "."): value for name, value in stated.items()}}
    names = [setting.name for setting in settings_of(family, version, "4.3", component)]
    values = {name: effective(family, version, "4.3", settings, component, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


FAMILIES = [(Family.JAVA, "4.3"), (Family.JAVA, "2.8"), (Family.LIBRDKAFKA, "2.16")]


@pytest.mark.parametrize(("family", "version"), [*FAMILIES, (Family.SPARK, "4.2")])
def test_librdkafka_accepts_the_defaults_of_every_family(family: Family, version: str) -> None:
    Producer(translate.producer(in_force(family, version, Component.PRODUCER)).config)
    consumer = translate.consumer(in_force(family, version, Component.CONSUMER))
    Consumer({**consumer.config, "group.id": "app"}).close()


@pytest.mark.parametrize(("family", "version"), FAMILIES)
def test_librdkafka_accepts_the_transactions_of_every_family(family: Family, version: str) -> None:
    settings = in_force(family, version, Component.PRODUCER, transactional_id="orders-1")
    translation = translate.producer(settings, transactions=True)
    Producer(translation.config)
    limit = translation.config["transaction.timeout.ms"]
    assert translation.config["delivery.timeout.ms"] == min(
        int(limit), settings["delivery.timeout.ms"]
    )
    is_shortened = any("delivery.timeout.ms" in sentence for sentence in translation.differences)
    assert is_shortened == (settings["delivery.timeout.ms"] > limit)


def test_a_java_team_with_acks_1_runs_without_idempotence() -> None:
    settings = in_force(Family.JAVA, "4.3", Component.PRODUCER, acks="1")
    translation = translate.producer(settings)
    assert translation.config["acks"] == "1"
    assert translation.config["enable.idempotence"] is False
    assert translation.config["delivery.timeout.ms"] == 120000, "Java's default, not librdkafka's"
    assert translation.config["reconnect.backoff.max.ms"] == PINNED["reconnect.backoff.max.ms"].lab


def test_settings_that_librdkafka_lacks_are_left_out_and_reported() -> None:
    translation = translate.producer(
        {"acks": "all", "buffer.memory": 33554432, "max.block.ms": 60000}
    )
    assert not {"buffer.memory", "max.block.ms"} & translation.config.keys()
    # The producer process implements max.block.ms itself.
    assert [sentence.split("=")[0] for sentence in translation.differences] == [
        "producer buffer.memory"
    ]


@pytest.mark.parametrize(("family", "version"), FAMILIES)
def test_a_long_reconnect_backoff_is_shortened_and_reported(family, version) -> None:
    settings = in_force(family, version, Component.PRODUCER, reconnect_backoff_max_ms=60_000)
    usual = in_force(family, version, Component.PRODUCER)
    differences = [
        [text for text in translate.producer(values).differences if "reconnect.backoff" in text]
        for values in (settings, usual)
    ]
    assert [len(texts) for texts in differences] == [1, 0]
    assert "500 instead of 60000" in differences[0][0]
    Producer(translate.producer(settings).config)


@pytest.mark.parametrize(("max_batch_bytes", "splits", "batch_size", "message"), [
    (20_000, True, 16384, ""),
    (20_000, False, 16384, ""),
    (10_000, True, 10_000, "librdkafka splits no batches"),
    (10_000, False, 16384, "a Java client before 4.2 gives it up after delivery.timeout.ms"),
])  # fmt: skip
def test_the_batch_size_is_limited_so_that_batches_fail_as_in_the_teams_client(
    max_batch_bytes: int, splits: bool, batch_size: int, message: str
) -> None:
    settings = in_force(Family.JAVA, "4.1", Component.PRODUCER)
    translation = translate.producer(settings, max_batch_bytes=max_batch_bytes, splits=splits)
    assert translation.config["batch.size"] == batch_size
    differences = [
        difference for difference in translation.differences if "batch.size" in difference
    ]
    assert [difference.endswith(message) for difference in differences] == [True] * bool(message)


def test_a_value_outside_librdkafkas_range_is_clamped_and_reported() -> None:
    translation = translate.producer({"linger.ms": 2000000})
    assert translation.config["linger.ms"] == 900000
    assert "900000 instead of 2000000" in translation.differences[0]


def test_javas_values_of_auto_offset_reset_become_librdkafkas() -> None:
    assert translate.consumer({"auto.offset.reset": "none"}).config["auto.offset.reset"] == "error"
    translation = translate.consumer({"auto.offset.reset": "by_duration:P1D"})
    assert translation.config["auto.offset.reset"] == "earliest"
    assert "by_duration:P1D" in translation.differences[0]


@pytest.mark.parametrize("start", ["earliest", "latest"])
def test_a_consumer_that_stands_for_a_query_starts_at_its_starting_offsets(start: str) -> None:
    settings = in_force(Family.SPARK, "4.2", Component.CONSUMER, startingOffsets=start)
    assert translate.consumer(settings).config["auto.offset.reset"] == start


def test_with_the_consumer_group_protocol_session_settings_are_left_out() -> None:
    timings: dict[str, translate.Value] = {
        "session.timeout.ms": 45000, "heartbeat.interval.ms": 3000,
    }  # fmt: skip
    translation = translate.consumer({"group.protocol": "consumer", **timings})
    assert translation.config["group.protocol"] == "consumer"
    assert not timings.keys() & translation.config.keys()
    assert not translation.differences


def test_a_poll_interval_below_the_session_timeout_is_raised_and_reported() -> None:
    translation = translate.consumer({"max.poll.interval.ms": 10000, "session.timeout.ms": 45000})
    assert translation.config["max.poll.interval.ms"] == 45000
    assert "instead of 10000" in translation.differences[0]


def test_only_static_members_keep_their_group_instance_id() -> None:
    settings = {"group.instance.id": "reader-1"}
    assert "group.instance.id" not in translate.consumer(settings).config
    assert translate.consumer(settings).differences
    static = translate.consumer(settings, static=True)
    assert static.config["group.instance.id"] == "reader-1"
    assert not static.differences


@pytest.mark.parametrize(
    ("application", "consumer", "style"),
    [
        ("auto", {"enable.auto.offset.store": True}, "client-stores"),
        ("auto", {"enable.auto.offset.store": False}, "application-stores"),
        ("auto", {}, "next-poll-stores"),  # Java
        ("before-processing", {}, "before-processing"),
        ("after-processing", {"enable.auto.offset.store": True}, "after-processing"),
    ],
)
def test_the_commit_style_follows_from_the_application_and_consumer_settings(
    application: str, consumer: dict, style: str
) -> None:
    assert commit_style(application, consumer) == style
