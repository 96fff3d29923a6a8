"""Where a new Spark query begins to read, in each way to state it.

A time goes before `startingOffsets`, and letters of either case are one. Offsets of single
partitions are a place that the team chose: what is older was passed over by choice, and a query
that begins again reads from there again, as with `earliest` (KafkaSourceProvider.scala,
getKafkaOffsetRangeLimit).
"""

from __future__ import annotations

import json
from dataclasses import replace

from advisor.catalog import Component
from advisor.intake.reading import Item, Reading

STARTS = "startingOffsets"
_TIMES = ("startingTimestamp", "startingOffsetsByTimestamp")
"""The first of them that is stated counts."""
_LATEST = -1
"""What stands for the end of a partition in JSON (KafkaOffsetRangeLimit)."""


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
        words = "says where a new query begins; what is older is passed over by choice"
        reading.note(times[0].line, f"{times[0].name} {words}, and else it is as earliest")
        reading.items.append(replace(times[0], name=STARTS, text="earliest"))
        if stated:
            reading.note(stated.line, f"{STARTS} does not count beside {times[0].name}")
    elif stated:
        reading.items.append(_in_words(reading, stated))


def _of_source(item: Item) -> bool:
    return item.component is Component.CONSUMER and is_place(item.name)


def _in_words(reading: Reading, stated: Item) -> Item:
    text = stated.text.strip()
    if not text.startswith("{"):
        return replace(stated, name=STARTS, text=text.lower())
    offsets = _offsets(text)
    if offsets is None:
        return stated
    word = "latest" if _LATEST in offsets else "earliest"
    words = f"{STARTS} names single partitions: what is older is passed over by choice"
    reading.note(stated.line, f"{words}, and else it is as {word}")
    return replace(stated, name=STARTS, text=word)


def _offsets(text: str) -> list[int] | None:
    """Every offset of `{"topic": {"0": 23}}`; None for any other text."""
    try:
        topics = json.loads(text)
        return [int(offset) for partitions in topics.values() for offset in partitions.values()]
    except (ValueError, AttributeError, TypeError, RecursionError):
        return None
