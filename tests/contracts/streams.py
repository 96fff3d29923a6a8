"""Kafka Streams on a JVM: what an application refuses, and the settings of its clients."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError

from advisor.catalog import Component, Value, lookup, parse
from advisor.catalog.model import Family
from advisor.export.streams_properties import PREFIXES
from tests.contracts.jvm import Jvm, root_message

Texts = dict[str, str]

_CHOICES: Mapping[str, tuple[str | None, ...]] = {
    "processing.guarantee": (None, "exactly_once_v2"),
    "commit.interval.ms": (None, "10000", "10001", "60001"),
    "producer.acks": (None, "all", "1"),
    "producer.enable.idempotence": (None, "true", "false"),
    "producer.retries": (None, "0"),
    "producer.max.in.flight.requests.per.connection": (None, "5", "6"),
    "producer.delivery.timeout.ms": (None, "30099", "30100", "30105"),
    "producer.linger.ms": (None, "5"),
    "producer.transaction.timeout.ms": (None, "60000"),
    "consumer.session.timeout.ms": (None, "3000", "6000"),
    "consumer.group.instance.id": (None, None, "reader"),
    "group.protocol": (None, None, "streams"),
}


def configurations(protocols: bool) -> list[Texts]:
    """48 of settings that decide guarantees, and 80 random ones.

    `protocols` adds `group.protocol`, which Streams has since 4.1.
    """
    guarantees = list(_CHOICES)[2:6]
    both = [("processing.guarantee", _CHOICES["processing.guarantee"])]
    both += [(name, _CHOICES[name]) for name in guarantees if name != "producer.retries"]
    rows = [dict(zip((n for n, _ in both), v, strict=True)) for v in product(*(c for _, c in both))]
    draw = random.Random(3)
    names = [name for name in _CHOICES if protocols or name != "group.protocol"]
    drawn = [{name: draw.choice(_CHOICES[name]) for name in names} for _ in range(80)]
    return [
        {name: text for name, text in texts.items() if text is not None}
        for texts in [*rows[:48], *drawn]
    ]


def parsed(version: str, texts: Texts) -> dict[Component, dict[str, Value]]:
    """A configuration of StreamsConfig as the catalog reads it."""
    results: dict[Component, dict[str, Value]] = {}
    for key, text in texts.items():
        component, name = _split(key)
        setting = lookup(Family.STREAMS, version, "4.3", component, name)
        results.setdefault(component, {})[setting.name] = parse(setting, text)
    return results


def _split(key: str) -> tuple[Component, str]:
    for component, prefix in PREFIXES.items():
        if prefix and key.startswith(prefix):
            return component, key.removeprefix(prefix)
    return Component.STREAMS, key


_NO_RECONNECTS = {"reconnect.backoff.ms": "3600000", "reconnect.backoff.max.ms": "3600000"}
"""The clients of a refused application are never closed, and would reconnect for ever."""


class Application:
    """Kafka Streams with the smallest topology there is; it needs no broker and sends nothing."""

    def __init__(self, running: Jvm, folder: Path) -> None:
        self._running = running
        self._always = {
            "application.id": "orders", "bootstrap.servers": "127.0.0.1:1",
            "state.dir": str(folder),
        }  # fmt: skip
        builder = running.kafka.streams.StreamsBuilder()
        builder.stream("in").to("out")
        self._topology: Any = builder.build()

    def refusal(self, texts: Texts) -> str | None:
        """Why `new KafkaStreams` refuses these settings, or None if the application is made."""
        all_settings = self._running.properties(self._always | _NO_RECONNECTS | texts)
        try:
            application = self._running.kafka.streams.KafkaStreams(self._topology, all_settings)
        except Py4JJavaError as error:
            return root_message(error.java_exception)
        application.close(self._running.java.java.time.Duration.ZERO)
        return None

    def effective_settings(self, texts: Texts) -> dict[Component, dict[str, str]]:
        """The settings in force of Streams itself and of the clients that it configures."""
        config = self._running.kafka.streams.StreamsConfig(
            self._running.properties(self._always | texts)
        )
        return {
            Component.STREAMS: self._running.strings(config.values()),
            Component.PRODUCER: self._running.strings(config.getProducerConfigs("orders-1")),
            Component.CONSUMER: self._running.strings(
                config.getMainConsumerConfigs("orders", "orders-1", 0)
            ),
        }
