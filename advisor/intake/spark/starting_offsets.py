"""The options that set where a new Spark query begins to read.

A time overrides `startingOffsets`, and the case of names is ignored. Offsets of single partitions
are a choice of the team: older records are skipped on purpose, and a query that begins anew reads
from the same offsets, as with `earliest`. Either all partitions are stated or none. Sources:
KafkaSourceProvider.scala (getKafkaOffsetRangeLimit), JsonUtils.scala, KafkaOffsetReaderAdmin.scala
(fetchPartitionOffsets, fetchSpecificOffsets); KafkaAdminClient, getOffsetFromSpec: for a time of -1
the brokers return the end of a partition.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace

from advisor.catalog import Component
from advisor.intake.reading import Item, Reading

STARTING_OFFSETS = "startingOffsets"
_TIMES = ("startingTimestamp", "startingOffsetsByTimestamp")
"""The first of these that is stated counts."""
_LATEST, _EARLIEST = -1, -2
"""The offsets in JSON that denote the two ends of a partition (KafkaOffsetRangeLimit)."""

_TIME = re.compile(r"[+-]?\d{1,18}", re.ASCII)


def is_start_option(name: str) -> bool:
    """Whether an option sets where a query begins."""
    return name.lower() in {option.lower() for option in (STARTING_OFFSETS, *_TIMES)}


def is_json_option(name: str) -> bool:
    """Whether the JSON of an option is read: it sets where a query begins, or assigns
    partitions."""
    return is_start_option(name) or name.lower() == "assign"


def resolve_start(reading: Reading) -> None:
    """Replaces the options that set where the query begins by one `startingOffsets` with a value of
    the catalog."""
    starts = {item.name.lower(): item for item in reading.items if _is_start(item)}
    reading.items = [item for item in reading.items if not _is_start(item)]
    times = [starts[name.lower()] for name in _TIMES if name.lower() in starts]
    stated = starts.get(STARTING_OFFSETS.lower())
    if times:
        reading.items.append(_at_time(reading, times[0]))
        if stated:
            reading.note(
                stated.line, f"{STARTING_OFFSETS} has no effect together with {times[0].name}"
            )
    elif stated:
        reading.items.append(_at_offsets(reading, stated))


def assume_start(reading: Reading, name: str, line: int) -> None:
    """Sets a starting offset that only the running program knows: some time, or else `latest`,
    which promises less."""
    if name.lower() != STARTING_OFFSETS.lower():
        text = "0" if name.lower() == _TIMES[0].lower() else json.dumps({"": {"0": 0}})
        reading.add_setting(Component.CONSUMER, name, text, line)
        return
    reading.add_setting(Component.CONSUMER, name, "latest", line)
    words = "is not a plain value here: latest is assumed, which promises less"
    reading.note(line, f"{name} {words}")


def _is_start(item: Item) -> bool:
    return item.component is Component.CONSUMER and is_start_option(item.name)


def _at_time(reading: Reading, stated: Item) -> Item:
    times = _numbers(stated.text) if stated.name.lower() == _TIMES[1].lower() else None
    if stated.name.lower() == _TIMES[0].lower() and _TIME.fullmatch(stated.text.strip()):
        times = [int(stated.text)]
    if not times:
        _refuse(reading, stated)
    latest = any(time < 0 and time != _EARLIEST for time in times or ())
    words = "sets where a new query begins; older records are skipped on purpose"
    value = "latest" if latest else "earliest"
    reading.note(stated.line, f"{stated.name} {words}. Otherwise it counts as {value}")
    return replace(stated, name=STARTING_OFFSETS, text=value)


def _at_offsets(reading: Reading, stated: Item) -> Item:
    text = stated.text.strip()
    if not text.startswith("{"):
        return replace(stated, name=STARTING_OFFSETS, text=text.lower())
    offsets = _numbers(text)
    if offsets is None:
        return stated
    if not offsets:
        _refuse(reading, stated)
    value = "latest" if _LATEST in offsets else "earliest"
    words = f"{STARTING_OFFSETS} names single partitions: older records are skipped on purpose"
    reading.note(stated.line, f"{words}. Otherwise it counts as {value}")
    return replace(stated, name=STARTING_OFFSETS, text=value)


def _refuse(reading: Reading, stated: Item) -> None:
    """Refuses a value that no query starts with."""
    words = {
        _TIMES[0].lower(): f"{_TIMES[0]} must be a time in milliseconds, such as 1700000000000",
        _TIMES[1].lower(): f'{_TIMES[1]} must be a time for each partition, {{"topic": {{"0": 1}}}}'
        ": the query ends if one is missing",
    }.get(
        stated.name.lower(),
        "If startingOffsets contains specific offsets, you must specify all TopicPartitions",
    )
    reading.add_problem(Component.CONSUMER, stated.name, stated.line, words)


def _numbers(text: str) -> list[int] | None:
    """The numbers of a JSON object such as `{"topic": {"0": 23}}`: None for any other text, empty
    if a topic has no partition."""
    try:
        topics = json.loads(text)
        if not all(topics.values()):
            return []
        return [int(number) for partitions in topics.values() for number in partitions.values()]
    except (ValueError, AttributeError, TypeError, RecursionError):
        return None
