"""What the catalog says a client refuses, held against the clients themselves."""

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
    clashes,
    consumers,
    consumers_beside,
    heartbeats,
    librdkafka_beside,
    our_refusal,
    our_word,
    producers,
    producers_beside,
)
from tests.contracts.jvm import Jvm, jvm
from tests.contracts.lines import mostly_by_night

pytestmark = pytest.mark.contract

Refusal = Callable[[Texts], str | None]
Compared = tuple[Texts, str | None, str | None]
"""Settings, why we say that they are refused, and why they are."""


def test_java_4_refuses_what_we_say_it_refuses_in_these_words(kafka_jvm: Jvm) -> None:
    ours = partial(our_refusal, Family.JAVA, "4.3", Component.PRODUCER)
    compared = _compared(producers(Family.JAVA), ours, kafka_jvm.producer_refusal)
    _agree(compared, at_least_refused=200)


def test_the_client_of_spark_refuses_what_we_say_java_3_9_refuses(spark_jvm: Jvm) -> None:
    ours = partial(our_refusal, Family.JAVA, "3.9", Component.PRODUCER)
    compared = _compared(producers(Family.JAVA), ours, spark_jvm.producer_refusal)
    _agree(compared, at_least_refused=200)


@pytest.mark.parametrize(
    "line", mostly_by_night([line for line in versions(Family.JAVA) if line != "4.3"])
)
def test_each_line_of_java_refuses_what_we_say_it_refuses(line: str) -> None:
    """A part of what the two lines above are asked, another one for each line."""
    draw = random.Random(line)
    producing = [*clashes(), *draw.sample(producers(Family.JAVA), 8)]
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
    _agree(compared, at_least_refused=10)


@pytest.mark.parametrize("texts", heartbeats(protocols=True), ids=str)
def test_a_heartbeat_has_to_be_below_the_session_timeout(kafka_jvm: Jvm, texts: Texts) -> None:
    ours = our_refusal(Family.JAVA, "4.3", Component.CONSUMER, texts)
    assert ours == kafka_jvm.consumer_refusal(texts)


def test_librdkafka_refuses_what_we_say_it_refuses_in_these_words() -> None:
    version = "2.16"
    # It looks at topic-level settings at once only if one of them is stated: acks is one.
    compared = [
        (texts, our_refusal(Family.LIBRDKAFKA, version, Component.PRODUCER, texts), real)
        for texts in producers(Family.LIBRDKAFKA)
        for real in [librdkafka.producer_refusal({"acks": "all"} | texts)]
    ]
    _agree(compared, at_least_refused=200)


@pytest.mark.parametrize("name", ["", " "])
def test_a_group_has_a_name(kafka_jvm: Jvm, name: str) -> None:
    """librdkafka is not asked: its Python client ends the process."""
    texts = {"group.id": name}
    ours = our_word(Family.JAVA, "4.3", Component.CONSUMER, texts)
    assert ours == kafka_jvm.consumer_refusal(texts)


@pytest.mark.parametrize("texts", consumers(), ids=str)
def test_consumers_refuse_what_we_say_they_refuse(kafka_jvm: Jvm, texts: Texts) -> None:
    consumer = Component.CONSUMER
    ours = our_refusal(Family.JAVA, "4.3", consumer, texts)
    assert ours == kafka_jvm.consumer_refusal(texts)
    ours = our_refusal(Family.LIBRDKAFKA, "2.16", consumer, texts)
    assert ours == librdkafka.consumer_refusal(texts)


def test_what_is_not_weighed_is_refused_as_the_clients_refuse_it(kafka_jvm: Jvm) -> None:
    consumer, producer, java, c = (
        Component.CONSUMER, Component.PRODUCER, Family.JAVA, Family.LIBRDKAFKA,
    )  # fmt: skip
    families = [
        *((java, "4.3", producer, row, kafka_jvm.producer_refusal) for row in producers_beside()),
        *((java, "4.3", consumer, row, kafka_jvm.consumer_refusal)
          for row in consumers_beside(java)),
        *((c, "2.16", producer, row, librdkafka.producer_refusal) for row in librdkafka_beside()),
        *((c, "2.16", consumer, row, librdkafka.consumer_refusal)
          for row in [*consumers_beside(c), *assignors()]),
    ]  # fmt: skip
    compared = [
        (texts, our_word(family, version, component, texts), refusal(texts))
        for family, version, component, texts, refusal in families
    ]
    _agree(compared, at_least_refused=30)


def test_java_3_9_refuses_less_of_what_is_not_weighed(spark_jvm: Jvm) -> None:
    ours = partial(our_word, Family.JAVA, "3.9", Component.CONSUMER)
    compared = _compared(consumers_beside(Family.JAVA), ours, spark_jvm.consumer_refusal)
    _agree(compared, at_least_refused=8)


@pytest.mark.parametrize("name", ["range", "roundrobin", "cooperative-sticky"])
def test_java_looks_for_a_class_where_librdkafka_has_an_assignor(kafka_jvm: Jvm, name: str) -> None:
    texts = {"partition.assignment.strategy": name}
    ours = our_word(Family.JAVA, "4.3", Component.CONSUMER, texts)
    assert ours == f"{name} ClassNotFoundException exception occurred"
    assert kafka_jvm.consumer_refusal(texts) == name  # the words of Java's own exception


def _compared(every: Iterable[Texts], ours: Refusal, real: Refusal) -> list[Compared]:
    return [(texts, ours(texts), real(texts)) for texts in every]


def _agree(compared: list[Compared], at_least_refused: int) -> None:
    wrong = [
        f"{texts}: we say {ours!r}, it {real!r}" for texts, ours, real in compared if ours != real
    ]
    assert not wrong, f"{len(wrong)} of {len(compared)} differ:\n" + "\n".join(wrong[:10])
    refused = sum(real is not None for _, _, real in compared)
    assert refused >= at_least_refused, "the configurations no longer reach the refusals"
