"""Settings that a topic takes from its brokers if it does not have its own.

A topic takes `retention.ms` from `log.retention.ms`, `.minutes` or `.hours` of its brokers, in this
order, and so on (ServerTopicConfigSynonyms; KafkaConfig.logRetentionTimeMillis, of which anything
below 0 is for ever). What is weighed is the topic's own setting.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from advisor.catalog import RETENTIONS, Component, Problem
from advisor.intake.cluster.config_sources import ON_BOTH
from advisor.intake.reading import Item, Product

_RETENTION = "retention.ms"
_WEEK_MS = 604_800_000
_OF_TOPICS: Mapping[str, str] = {
    **dict.fromkeys(RETENTIONS, _RETENTION),
    "log.retention.bytes": "retention.bytes",
    "log.cleanup.policy": "cleanup.policy",
    "log.cleaner.delete.retention.ms": "delete.retention.ms",
    "log.flush.interval.messages": "flush.messages",
    "log.message.timestamp.type": "message.timestamp.type",
    "log.message.timestamp.after.max.ms": "message.timestamp.after.max.ms",
    "log.message.timestamp.before.max.ms": "message.timestamp.before.max.ms",
    "log.message.timestamp.difference.max.ms": "message.timestamp.difference.max.ms",
    "message.max.bytes": "max.message.bytes",
    "log.segment.bytes": "segment.bytes",
}
"""The topic's name by the brokers', in the order in which these count."""

_NUMBER = re.compile(r"-?\d{1,18}", re.ASCII)


def never(item: Item) -> str:
    """In whose words a broker does not start with what it states for its topics; empty if it does.

    A topic may state 0 itself (KafkaConfig.validateValues, `logRetentionTimeMillis`).
    """
    if item.inherited not in RETENTIONS or item.text != "0":
        return ""
    return (
        "requirement failed: log.retention.ms must be unlimited (-1) or, greater than or equal to 1"
    )


def as_stated(item: Item, problem: Problem) -> Problem:
    """The problem of a value, under the name and in the unit of the brokers' own file.

    `log.retention.minutes` and `.hours` are whole numbers of 32 bits (ConfigDef, Type.INT).
    """
    name = item.inherited
    if not name:
        return problem
    message = problem.message.replace(problem.setting, name, 1)
    unit = name.rpartition(".")[2]
    if RETENTIONS.get(name, 1) > 1:
        week = _WEEK_MS // RETENTIONS[name]
        message = f"{name} must be a whole number of {unit}, such as {week}; -1 keeps all."
    return replace(problem, component=Component.BROKER, setting=name, message=message)


def names_of_topics() -> frozenset[str]:
    """What the brokers call settings that their topics take from them."""
    return frozenset(_OF_TOPICS)


def with_inherited(items: Iterable[Item], product: Product) -> list[Item]:
    """The items; what topics take from their brokers is the topic's, and comes last, of each broker
    in the order in which it counts: of a name that comes twice, the last is the first."""
    results = [_inherited(item, product) for item in items]
    order = {name: rank for rank, name in enumerate(["", *_OF_TOPICS, *ON_BOTH])}
    brokers = {
        name: rank for rank, name in enumerate(dict.fromkeys(result.process for result in results))
    }

    def rank(row: tuple[int, Item]) -> tuple[int, int, int]:
        at, item = row
        place = (brokers[item.process], -at) if item.inherited else (0, at)
        return order[item.inherited], *place

    return [item for _, item in sorted(enumerate(results), key=rank)]


def _inherited(item: Item, product: Product) -> Item:
    name = _OF_TOPICS.get(item.name) if item.component is Component.BROKER else None
    if name is None or not product.has(Component.TOPIC, name):
        return item
    text = item.text.strip()
    if name == _RETENTION and _NUMBER.fullmatch(text):
        text = str(max(-1, int(text) * RETENTIONS[item.name]))
    return replace(item, component=Component.TOPIC, name=name, text=text, inherited=item.name)
