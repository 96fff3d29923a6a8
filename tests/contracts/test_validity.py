"""What the catalog says a client refuses, held against the clients themselves."""

from __future__ import annotations

import pytest

from advisor.catalog import Component, Family
from tests.contracts import librdkafka
from tests.contracts.configurations import Texts, consumers, our_refusal, producers
from tests.contracts.jvm import Jvm

pytestmark = pytest.mark.contract


def test_java_4_refuses_what_we_say_it_refuses_in_these_words(kafka_jvm: Jvm) -> None:
    compared = [
        (texts, our_refusal(Family.JAVA, "4.3", Component.PRODUCER, texts), real)
        for texts in producers(Family.JAVA)
        for real in [kafka_jvm.producer_refusal(texts)]
    ]
    _agree(compared, at_least_refused=200)


def test_the_client_of_spark_refuses_what_we_say_java_3_9_refuses(spark_jvm: Jvm) -> None:
    compared = [
        (texts, our_refusal(Family.JAVA, "3.9", Component.PRODUCER, texts), real)
        for texts in producers(Family.JAVA)
        for real in [spark_jvm.producer_refusal(texts)]
    ]
    _agree(compared, at_least_refused=200)


def test_librdkafka_refuses_what_we_say_it_refuses_in_these_words() -> None:
    version = "2.16"
    # It looks at topic-level settings at once only if one of them is stated: acks is one.
    compared = [
        (texts, our_refusal(Family.LIBRDKAFKA, version, Component.PRODUCER, texts), real)
        for texts in producers(Family.LIBRDKAFKA)
        for real in [librdkafka.producer_refusal({"acks": "all"} | texts)]
    ]
    _agree(compared, at_least_refused=200)


@pytest.mark.parametrize("texts", consumers(), ids=str)
def test_consumers_refuse_what_we_say_they_refuse(kafka_jvm: Jvm, texts: Texts) -> None:
    consumer = Component.CONSUMER
    ours = our_refusal(Family.JAVA, "4.3", consumer, texts)
    assert ours == kafka_jvm.consumer_refusal(texts)
    ours = our_refusal(Family.LIBRDKAFKA, "2.16", consumer, texts)
    assert ours == librdkafka.consumer_refusal(texts)


def _agree(compared: list[tuple[Texts, str | None, str | None]], at_least_refused: int) -> None:
    wrong = [
        f"{texts}: we say {ours!r}, it {real!r}" for texts, ours, real in compared if ours != real
    ]
    assert not wrong, f"{len(wrong)} of {len(compared)} differ:\n" + "\n".join(wrong[:10])
    refused = sum(real is not None for _, _, real in compared)
    assert refused >= at_least_refused, "the configurations no longer reach the refusals"
