"""Settings that a topic inherits from its brokers if it does not set them.

A topic takes `retention.ms` from `log.retention.ms`, `.minutes` or `.hours` of its brokers, in this
order, and so on (ServerTopicConfigSynonyms; KafkaConfig.logRetentionTimeMillis, where a value below
0 is unlimited). The answer depends on the topic's setting.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from advisor.catalog import RETENTIONS, Component, Problem, parse
from advisor.catalog.versions import at_least
from advisor.intake.cluster.config_sources import SHARED_NAMES
from advisor.intake.reading import Item, Product

_RETENTION = "retention.ms"
_WEEK_MS = 604_800_000
_TOPIC_NAMES: Mapping[str, str] = {
    **dict.fromkeys(RETENTIONS, _RETENTION),
    "log.retention.bytes": "retention.bytes",
    "log.cleanup.policy": "cleanup.policy",
    "log.cleaner.delete.retention.ms": "delete.retention.ms",
    "log.cleaner.min.compaction.lag.ms": "min.compaction.lag.ms",
    "log.flush.interval.messages": "flush.messages",
    "log.message.timestamp.type": "message.timestamp.type",
    "log.message.timestamp.after.max.ms": "message.timestamp.after.max.ms",
    "log.message.timestamp.before.max.ms": "message.timestamp.before.max.ms",
    "log.message.timestamp.difference.max.ms": "message.timestamp.difference.max.ms",
    "message.max.bytes": "max.message.bytes",
    "log.segment.bytes": "segment.bytes",
}
"""The topic's name by the brokers' name, in the order in which the brokers' names count."""

_POLICY, _EMPTY_SINCE = "cleanup.policy", "4.2"
_KEEPS_ALL: Mapping[str, str] = {_POLICY: "delete", _RETENTION: "-1", "retention.bytes": "-1"}
"""What an empty cleanup.policy does: the topic keeps every record (KIP-1161; upgrade.md, 4.2)."""

_NUMBER = re.compile(r"-?\d{1,18}", re.ASCII)


def startup_error(item: Item) -> str:
    """Kafka's message if a broker does not start with a value for its topics; else empty.

    A topic itself may state 0 (KafkaConfig.validateValues, `logRetentionTimeMillis`).
    """
    if item.inherited not in RETENTIONS or item.text != "0":
        return ""
    return (
        "requirement failed: log.retention.ms must be unlimited (-1) or, greater than or equal to 1"
    )


def for_broker(item: Item, problem: Problem) -> Problem:
    """The problem of a value, with the name and the unit of the brokers' file.

    `log.retention.minutes` and `.hours` are integers of 32 bits (ConfigDef, Type.INT).
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


def topic_default_names() -> frozenset[str]:
    """The brokers' names for settings that their topics inherit."""
    return frozenset(_TOPIC_NAMES)


def with_inherited(items: Iterable[Item], product: Product) -> list[Item]:
    """The items, with inherited settings under the topic's names. They come last, in the order in
    which their names count, then by broker. If a broker states a name twice, the later one comes
    first."""
    results = [_inherited(item, product) for item in _with_policies(items, product)]
    order = {name: rank for rank, name in enumerate(["", *_TOPIC_NAMES, *SHARED_NAMES])}
    brokers = {
        name: rank for rank, name in enumerate(dict.fromkeys(result.process for result in results))
    }

    def rank(row: tuple[int, Item]) -> tuple[int, int, int]:
        at, item = row
        order_in_file = (brokers[item.process], -at) if item.inherited else (0, at)
        return order[item.inherited], *order_in_file

    return [item for _, item in sorted(enumerate(results), key=rank)]


def with_policy(stated: Mapping[str, str], product: Product) -> dict[str, str]:
    """The fields that are stated, with an empty `topic.cleanup.policy` in the settings that do the
    same. Raises `SettingError` for brokers that have no such policy."""
    name = f"{Component.TOPIC}.{_POLICY}"
    if stated.get(name, _POLICY).strip():
        return dict(stated)
    if not at_least(product.kafka, _EMPTY_SINCE):
        parse(product.setting(Component.TOPIC, _POLICY), "")
    return {**stated, **{f"{Component.TOPIC}.{key}": text for key, text in _KEEPS_ALL.items()}}


def _with_policies(items: Iterable[Item], product: Product) -> list[Item]:
    """The items, with an empty `cleanup.policy` of a topic in the settings that do the same. These
    come last, and count."""
    stated = [*items]
    empty = [item for item in stated if item.component is Component.TOPIC
             and item.name == _POLICY and not item.text.strip()]  # fmt: skip
    if not empty or not at_least(product.kafka, _EMPTY_SINCE):
        return stated
    others = [item for item in stated if item not in empty]
    others += [replace(item, name=key, text=text) for item in empty
               for key, text in _KEEPS_ALL.items()]  # fmt: skip
    return others


def _is_beyond(name: str, value: int) -> bool:
    """Whether a number of minutes or hours has more than 32 bits (ConfigDef, Type.INT)."""
    return RETENTIONS[name] > 1 and not -(2**31) <= value < 2**31


def _inherited(item: Item, product: Product) -> Item:
    name = _TOPIC_NAMES.get(item.name) if item.component is Component.BROKER else None
    if name is None or not product.has(Component.TOPIC, name):
        return item
    text = item.text.strip()
    if name == _RETENTION and _NUMBER.fullmatch(text):
        if _is_beyond(item.name, int(text)):
            return item  # refused under its own name
        text = str(max(-1, int(text) * RETENTIONS[item.name]))
    return replace(item, component=Component.TOPIC, name=name, text=text, inherited=item.name)
