"""Settings that a binding of librdkafka takes for itself: confluent-kafka-go's `go.…`, and
confluent-kafka-dotnet's `dotnet.…`. librdkafka has none of them.

Sources: confluent-kafka-go kafka/producer.go and kafka/consumer.go (`confCopy.extract`);
confluent-kafka-dotnet ConfigPropertyNames.cs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from advisor.catalog import Component, Family
from advisor.intake.reading import Item

_OF_BINDING = "is of the client's binding: no guarantee depends on it"
_UNHEARD = "has no send reported, so the code never hears that one failed"
_POLLED = "has reports of sends wait until the code calls Poll()"
_BUFFERED = (
    "has messages wait in a channel: with enable.auto.offset.store=true they are committed unread"
)
_NAMES = frozenset({
    "go.batch.producer", "go.delivery.reports", "go.delivery.report.fields",
    "go.events.channel.size", "go.events.channel.enable", "go.produce.channel.size",
    "go.application.rebalance.enable", "go.logs.channel.enable", "go.logs.channel",
    "dotnet.producer.enable.background.poll", "dotnet.producer.enable.delivery.reports",
    "dotnet.producer.delivery.report.fields", "dotnet.consumer.consume.result.fields",
    "dotnet.cancellation.delay.max.ms",
})  # fmt: skip
_SWITCHED: Mapping[tuple[str, str], str] = {
    ("go.delivery.reports", "false"): _UNHEARD,
    ("dotnet.producer.enable.delivery.reports", "false"): _UNHEARD,
    ("dotnet.producer.enable.background.poll", "false"): _POLLED,
    ("go.events.channel.enable", "true"): _BUFFERED,
}
"""What follows from one value of a switch."""


def is_of_binding(name: str) -> bool:
    """Whether a binding of librdkafka takes a setting of this name for itself."""
    return name in _NAMES


def of_bindings(items: Iterable[Item], family: Family) -> Iterator[Item]:
    """The items, where a binding's own are not librdkafka's, and say what they mean.

    Without reports nobody acts on a send that failed (`application.delivery.errors`).
    """
    for item in items:
        if family is not Family.LIBRDKAFKA or item.name not in _NAMES:
            yield item
            continue
        words = _SWITCHED.get((item.name, item.text.strip().lower()), _OF_BINDING)
        yield replace(item, inert=words)
        if words == _UNHEARD:
            yield Item(Component.APPLICATION, "delivery.errors", "ignored", item.line)
