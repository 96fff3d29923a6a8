"""Settings of librdkafka's bindings: `go.…` of confluent-kafka-go, and `dotnet.…` of
confluent-kafka-dotnet. librdkafka itself has none of them.

Sources: confluent-kafka-go kafka/producer.go and kafka/consumer.go (`confCopy.extract`);
confluent-kafka-dotnet ConfigPropertyNames.cs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from advisor.catalog import Component, Family
from advisor.intake.reading import Item

_NO_EFFECT = "belongs to the client's binding: no guarantee depends on it"
_NO_REPORTS = "turns off delivery reports, so the code never learns that a send failed"
_DELAYED_REPORTS = "delays delivery reports until the code calls Poll()"
_BUFFERED = (
    "buffers messages in a channel: with enable.auto.offset.store=true they are committed unread"
)
_NAMES = frozenset({
    "go.batch.producer", "go.delivery.reports", "go.delivery.report.fields",
    "go.events.channel.size", "go.events.channel.enable", "go.produce.channel.size",
    "go.application.rebalance.enable", "go.logs.channel.enable", "go.logs.channel",
    "dotnet.producer.enable.background.poll", "dotnet.producer.enable.delivery.reports",
    "dotnet.producer.delivery.report.fields", "dotnet.consumer.consume.result.fields",
    "dotnet.cancellation.delay.max.ms",
})  # fmt: skip
_SWITCHES: Mapping[tuple[str, str], str] = {
    ("go.delivery.reports", "false"): _NO_REPORTS,
    ("dotnet.producer.enable.delivery.reports", "false"): _NO_REPORTS,
    ("dotnet.producer.enable.background.poll", "false"): _DELAYED_REPORTS,
    ("go.events.channel.enable", "true"): _BUFFERED,
}
"""The message for a value of a switch."""


def is_binding_setting(name: str) -> bool:
    """Whether this is the name of a setting of a binding."""
    return name in _NAMES


def mark_binding_settings(items: Iterable[Item], family: Family) -> Iterator[Item]:
    """Yields the items, with settings of a binding marked as inert.

    Without delivery reports nobody acts on a send that failed (`application.delivery.errors`).
    """
    for item in items:
        if family is not Family.LIBRDKAFKA or item.name not in _NAMES:
            yield item
            continue
        words = _SWITCHES.get((item.name, item.text.strip().lower()), _NO_EFFECT)
        yield replace(item, inert=words)
        if words == _NO_REPORTS:
            yield Item(Component.APPLICATION, "delivery.errors", "ignored", item.line)
