"""Order by key: the records of one key that a group reads from two partitions."""

from __future__ import annotations

from typing import Any

from tests.spark.ledgers import Row, Tables, delivery, send, sound
from tests.spark.stories.base import Story


def _sent(*values: int, key: str | None = "k", **more: Any) -> list[Row]:
    return [send(value, topic="t", key=key, **more) for value in values]


def _read(value: int, partition: int, at: int | None, group: str | None = "g", **more: Any) -> Row:
    return delivery(value, value, group, partition=partition, time_ns=at, **more)


def _tables(deliveries: list[Row], sends: list[Row] | None = None) -> Tables:
    return sound(sends=_sent(*range(4)) if sends is None else sends, deliveries=deliveries)


_MOVED = [_read(2, 1, 1), _read(3, 1, 1), _read(0, 0, 2), _read(1, 0, 3)]
"""Values 2 and 3 are in another partition than 0 and 1, and were read first."""

KEYS = [
    Story(
        "records in a key's new partition are delivered before those in its old one",
        _tables(_MOVED),
        {"key_reordered": 2, "reordered": 0},
    ),
    Story(
        "delivered in the order in which they were sent, whatever the partition",
        _tables([_read(0, 0, 1), _read(1, 0, 2), _read(2, 1, 3), _read(3, 1, 4)]),
        {"key_reordered": 0},
    ),
    Story(
        "only records after the later one are late, not those before it",
        _tables([_read(0, 0, 1), _read(3, 1, 2), _read(1, 0, 3), _read(2, 0, 4)]),
        {"key_reordered": 2},
    ),
    Story(
        "disorder within one partition is another anomaly",
        _tables([_read(3, 0, 1), _read(0, 0, 2), _read(1, 0, 3)]),
        {"key_reordered": 0},
    ),
    Story(
        "deliveries of one poll, or at one moment to two members, have no order",
        _tables([_read(3, 1, 1, poll=1), _read(0, 0, 1, poll=1), _read(1, 0, 1, consumer="c2")]),
        {"key_reordered": 0},
    ),
    Story(
        "the members of a group are compared with each other, by one clock",
        _tables([_read(2, 1, 1), _read(0, 0, 2, consumer="c2", poll=0)]),
        {"key_reordered": 1},
    ),
    Story(
        "two groups, or consumers without one, are not compared with each other",
        _tables([_read(2, 1, 1), _read(0, 0, 2, "h"), _read(3, 1, 1, None),
                  _read(1, 0, 2, None, consumer="c2")]),
        {"key_reordered": 0},
    ),
    Story(
        "a value that is late in two groups counts once",
        _tables([*_MOVED, _read(2, 1, 5, "h"), _read(0, 0, 6, "h")]),
        {"key_reordered": 2},
    ),
    Story(
        "another key, no key, another producer",
        _tables([_read(5, 1, 1), *(_read(value, 0, 2) for value in range(4))],
                 [*_sent(0, key="z"), *_sent(1, key=None), *_sent(2, producer="p2"), *_sent(5),
                  *_sent(3)]),
        {"key_reordered": 1},
    ),
    Story(
        "the same key in another topic is another key",
        _tables([_read(2, 1, 1, topic="other"), _read(0, 0, 2)]),
        {"key_reordered": 0},
    ),
    Story(
        "of two records sent at one moment neither is the later",
        _tables([_read(2, 1, 1), _read(0, 0, 2)], _sent(0, 2, at_ms=7)),
        {"key_reordered": 0},
    ),
    Story(
        "a value that is sent again keeps the place of its first attempt",
        _tables([_read(0, 1, 1), _read(1, 0, 2)], [*_sent(0, 1), *_sent(0, at_ms=9)]),
        {"key_reordered": 0},
    ),
    Story(
        "a second delivery is a redelivery, and the first one was in order",
        _tables([_read(0, 0, 1), _read(2, 1, 2), _read(0, 0, 3)]),
        {"key_reordered": 0, "redelivery": 1},
    ),
    Story(
        "an aborted value has no place in the order",
        {**_tables([_read(2, 1, 1), _read(0, 0, 2)], [*_sent(0), *_sent(2, transaction="x")]),
         "transactions": [{"transaction": "x", "outcome": "aborted"}]},
        {"key_reordered": 0},
    ),
    Story(
        "the final readers, who read one partition after the other, are not judged",
        _tables([_read(2, 1, 1, "final"), _read(0, 0, 2, "final")]),
        {"key_reordered": 0},
    ),
    Story(
        "without a key there is no order by key",
        _tables(_MOVED, _sent(*range(4), key=None)),
        {"key_reordered": None, "reordered": 0},
    ),
    Story(
        "without the time of any delivery their order is not known",
        _tables([_read(2, 1, None), _read(0, 0, None)]),
        {"key_reordered": None},
    ),
    Story(
        "a delivery without a time has no place among those with one",
        _tables([_read(2, 1, None), _read(3, 1, 1), _read(0, 0, 2)]),
        {"key_reordered": 1},
    ),
    Story(
        "deliveries that were not recorded cannot be in disorder",
        {name: rows for name, rows in _tables([]).items() if name != "deliveries"},
        {"key_reordered": None},
    ),
    Story(
        "a group without deliveries got nothing late",
        _tables([]),
        {"key_reordered": 0},
    ),
]  # fmt: skip
