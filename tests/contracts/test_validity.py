"""The refusals that the catalog predicts, compared with the clients themselves."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from functools import partial

import pytest

from advisor.catalog import Component, Family, versions
from advisor.catalog.versions import at_least
from labs.maintenance.products.releases import class_path
from tests.contracts import librdkafka
from tests.contracts.configurations import (
    Texts,
    assignors,
    consumers,
    heartbeats,
    our_full_refusal,
    our_refusal,
    producers,
    refusal_pairs,
    unmodelled_consumers,
    unmodelled_librdkafka,
    unmodelled_producers,
)
from tests.contracts.jvm import Jvm, jvm
from tests.contracts.lines import mostly_nightly

pytestmark = pytest.mark.contract

Refusal = Callable[[Texts], str | None]
Compared = tuple[Texts, str | None, str | None]
"""Settings, the refusal that the catalog predicts, and the client's own."""


def test_java_4_refuses_producers_with_the_predicted_message(kafka_jvm: Jvm) -> None:
    ours = partial(our_refusal, Family.JAVA, "4.3", Component.PRODUCER)
    compared = _compared(producers(Family.JAVA), ours, kafka_jvm.producer_refusal)
    _assert_agree(compared, at_least_refused=200)


def test_the_client_of_spark_refuses_what_java_3_9_is_predicted_to_refuse(spark_jvm: Jvm) -> None:
    ours = partial(our_refusal, Family.JAVA, "3.9", Component.PRODUCER)
    compared = _compared(producers(Family.JAVA), ours, spark_jvm.producer_refusal)
    _assert_agree(compared, at_least_refused=200)


@pytest.mark.parametrize(
    "line", mostly_nightly([line for line in versions(Family.JAVA) if line != "4.3"])
)
def test_each_line_of_java_refuses_with_the_predicted_message(line: str) -> None:
    """A random part of the configurations that 4.3 and 3.9 get, a different one for each line."""
    draw = random.Random(line)
    producing = [*refusal_pairs(), *draw.sample(producers(Family.JAVA), 8)]
    consuming = draw.sample(heartbeats(protocols=at_least(line, "3.7")), 6)
    with jvm(class_path(line)) as client:
        components = [
            *((Component.PRODUCER, row, client.producer_refusal) for row in producing),
            *((Component.CONSUMER, row, client.consumer_refusal) for row in consuming),
        ]
        compared = [
            (texts, our_refusal(Family.JAVA, line, component, texts), refusal(texts))
            for component, texts, refusal in components
        ]
    _assert_agree(compared, at_least_refused=10)


@pytest.mark.parametrize("texts", heartbeats(protocols=True), ids=str)
def test_the_heartbeat_interval_must_be_below_the_session_timeout(
    kafka_jvm: Jvm, texts: Texts
) -> None:
    ours = our_refusal(Family.JAVA, "4.3", Component.CONSUMER, texts)
    assert ours == kafka_jvm.consumer_refusal(texts)


def test_librdkafka_refuses_producers_with_the_predicted_message() -> None:
    version = "2.16"
    # It checks topic-level settings immediately only if one of them is stated, such as acks.
    compared = [
        (texts, our_refusal(Family.LIBRDKAFKA, version, Component.PRODUCER, texts), real)
        for texts in producers(Family.LIBRDKAFKA)
        for real in [librdkafka.producer_refusal({"acks": "all"} | texts)]
    ]
    _assert_agree(compared, at_least_refused=200)


@pytest.mark.parametrize("name", ["", " "])
def test_a_group_id_must_not_be_blank(kafka_jvm: Jvm, name: str) -> None:
    """Not tested with librdkafka, whose Python client ends the process."""
    texts = {"group.id": name}
    ours = our_full_refusal(Family.JAVA, "4.3", Component.CONSUMER, texts)
    assert ours == kafka_jvm.consumer_refusal(texts)


@pytest.mark.parametrize("texts", consumers(), ids=str)
def test_consumers_refuse_timeouts_with_the_predicted_message(kafka_jvm: Jvm, texts: Texts) -> None:
    consumer = Component.CONSUMER
    ours = our_refusal(Family.JAVA, "4.3", consumer, texts)
    assert ours == kafka_jvm.consumer_refusal(texts)
    ours = our_refusal(Family.LIBRDKAFKA, "2.16", consumer, texts)
    assert ours == librdkafka.consumer_refusal(texts)


def test_unmodelled_settings_are_refused_as_the_clients_refuse_them(kafka_jvm: Jvm) -> None:
    consumer, producer, java, c = (
        Component.CONSUMER, Component.PRODUCER, Family.JAVA, Family.LIBRDKAFKA,
    )  # fmt: skip
    families = [
        *((java, "4.3", producer, row, kafka_jvm.producer_refusal)
          for row in unmodelled_producers()),
        *((java, "4.3", consumer, row, kafka_jvm.consumer_refusal)
          for row in unmodelled_consumers(java)),
        *((c, "2.16", producer, row, librdkafka.producer_refusal)
          for row in unmodelled_librdkafka()),
        *((c, "2.16", consumer, row, librdkafka.consumer_refusal)
          for row in [*unmodelled_consumers(c), *assignors()]),
    ]  # fmt: skip
    compared = [
        (texts, our_full_refusal(family, version, component, texts), refusal(texts))
        for family, version, component, texts, refusal in families
    ]
    _assert_agree(compared, at_least_refused=30)


def test_java_3_9_refuses_unmodelled_settings_as_predicted(spark_jvm: Jvm) -> None:
    ours = partial(our_full_refusal, Family.JAVA, "3.9", Component.CONSUMER)
    compared = _compared(unmodelled_consumers(Family.JAVA), ours, spark_jvm.consumer_refusal)
    _assert_agree(compared, at_least_refused=8)


@pytest.mark.parametrize("name", ["range", "roundrobin", "cooperative-sticky"])
def test_java_expects_a_class_where_librdkafka_has_an_assignor_name(
    kafka_jvm: Jvm, name: str
) -> None:
    texts = {"partition.assignment.strategy": name}
    ours = our_full_refusal(Family.JAVA, "4.3", Component.CONSUMER, texts)
    assert ours == f"{name} ClassNotFoundException exception occurred"
    assert kafka_jvm.consumer_refusal(texts) == name  # the message of Java's own exception


def _compared(configurations: Iterable[Texts], ours: Refusal, real: Refusal) -> list[Compared]:
    return [(texts, ours(texts), real(texts)) for texts in configurations]


def _assert_agree(compared: list[Compared], at_least_refused: int) -> None:
    differing = [
        f"{texts}: we say {ours!r}, it {real!r}" for texts, ours, real in compared if ours != real
    ]
    assert not differing, f"{len(differing)} of {len(compared)} differ:\n" + "\n".join(
        differing[:10]
    )
    refused = sum(real is not None for _, _, real in compared)
    assert refused >= at_least_refused, "the configurations no longer reach the refusals"
