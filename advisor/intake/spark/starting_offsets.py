"""Where a new Spark query begins to read, in each way to state it.

A time goes before `startingOffsets`, and letters of either case are one. Offsets of single
partitions are a place that the team chose: what is older was passed over by choice, and a query
that begins again reads from there again, as with `earliest`. Partitions are all of them or none.
Sources: KafkaSourceProvider.scala (getKafkaOffsetRangeLimit), JsonUtils.scala,
KafkaOffsetReaderAdmin.scala (fetchPartitionOffsets, fetchSpecificOffsets); KafkaAdminClient,
getOffsetFromSpec: of a time below 0 the brokers take -1 for the end of a partition.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace

from advisor.catalog import Component
from advisor.intake.reading import Item, Reading

STARTS = "startingOffsets"
_TIMES = ("startingTimestamp", "startingOffsetsByTimestamp")
"""The first of them that is stated counts."""
_LATEST, _EARLIEST = -1, -2
"""What stands for the two ends of a partition in JSON (KafkaOffsetRangeLimit)."""

_TIME = re.compile(r"[+-]?\d{1,18}", re.ASCII)


def is_place(name: str) -> bool:
    """Whether an option says where a query begins."""
    return name.lower() in {option.lower() for option in (STARTS, *_TIMES)}


def is_of_partitions(name: str) -> bool:
    """Whether the JSON of an option is read: where a query begins, or that it names partitions."""
    return is_place(name) or name.lower() == "assign"


def settle(reading: Reading) -> None:
    """Leaves one option that says where the query begins, in words that the catalog knows."""
    places = {item.name.lower(): item for item in reading.items if _of_source(item)}
    reading.items = [item for item in reading.items if not _of_source(item)]
    times = [places[name.lower()] for name in _TIMES if name.lower() in places]
    stated = places.get(STARTS.lower())
    if times:
        reading.items.append(_at_time(reading, times[0]))
        if stated:
            reading.note(stated.line, f"{STARTS} does not count beside {times[0].name}")
    elif stated:
        reading.items.append(_in_words(reading, stated))


def unknown(reading: Reading, name: str, line: int) -> None:
    """States a place that only the running program knows: some time, or else the weaker end."""
    if name.lower() != STARTS.lower():
        text = "0" if name.lower() == _TIMES[0].lower() else json.dumps({"": {"0": 0}})
        reading.state(Component.CONSUMER, name, text, line)
        return
    reading.state(Component.CONSUMER, name, "latest", line)
    words = "is not a plain value here: latest is taken, which promises less"
    reading.note(line, f"{name} {words}")


def _of_source(item: Item) -> bool:
    return item.component is Component.CONSUMER and is_place(item.name)


def _at_time(reading: Reading, stated: Item) -> Item:
    times = _numbers(stated.text) if stated.name.lower() == _TIMES[1].lower() else None
    if stated.name.lower() == _TIMES[0].lower() and _TIME.fullmatch(stated.text.strip()):
        times = [int(stated.text)]
    if not times:
        _refuse(reading, stated)
    latest = any(time < 0 and time != _EARLIEST for time in times or ())
    words = "says where a new query begins; what is older is passed over by choice"
    word = "latest" if latest else "earliest"
    reading.note(stated.line, f"{stated.name} {words}, and else it is as {word}")
    return replace(stated, name=STARTS, text=word)


def _in_words(reading: Reading, stated: Item) -> Item:
    text = stated.text.strip()
    if not text.startswith("{"):
        return replace(stated, name=STARTS, text=text.lower())
    offsets = _numbers(text)
    if offsets is None:
        return stated
    if not offsets:
        _refuse(reading, stated)
    word = "latest" if _LATEST in offsets else "earliest"
    words = f"{STARTS} names single partitions: what is older is passed over by choice"
    reading.note(stated.line, f"{words}, and else it is as {word}")
    return replace(stated, name=STARTS, text=word)


def _refuse(reading: Reading, stated: Item) -> None:
    """Adds what no query starts with."""
    words = {
        _TIMES[0].lower(): f"{_TIMES[0]} must be a time in milliseconds, such as 1700000000000",
        _TIMES[1].lower(): f'{_TIMES[1]} must be a time for each partition, {{"topic": {{"0": 1}}}}'
        ": the query ends where one is left out",
    }.get(
        stated.name.lower(),
        "If startingOffsets contains specific offsets, you must specify all TopicPartitions",
    )
    reading.wrong(Component.CONSUMER, stated.name, stated.line, words)


def _numbers(text: str) -> list[int] | None:
    """Every number of `{"topic": {"0": 23}}`; None for any other text, none for no partition of a
    topic."""
    try:
        topics = json.loads(text)
        if not all(topics.values()):
            return []
        return [int(number) for partitions in topics.values() for number in partitions.values()]
    except (ValueError, AttributeError, TypeError, RecursionError):
        return None
