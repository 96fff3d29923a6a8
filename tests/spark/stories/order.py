"""Order, divergence, and logs of which only the replicas are recorded."""

from __future__ import annotations

from tests.spark.ledgers import delivery, record, send, sound
from tests.spark.stories.base import Story, placed

ORDER = [
    Story(
        "the later offset was invoked earlier",
        sound(log=[record(0, 0), record(1, 2), record(2, 1), record(3, 3)]),
        {"reordered": 1},
    ),
    Story(
        "equal times, other producers and other partitions are in order",
        sound(sends=[send(0, at_ms=5), send(1, at_ms=5), send(2, at_ms=1, producer="p2"),
                     send(3, at_ms=2)],
              log=[record(0, 1), record(1, 0), record(2, 2), record(0, 3, partition=1)]),
        {"reordered": 0},
    ),
    Story(
        "only first copies have an order, unsure values too, at the time of the first attempt",
        sound(sends=[send(0), send(1, "info", at_ms=9), send(2, at_ms=4), send(3, at_ms=12),
                     send(3, at_ms=3)],
              log=[record(0, 0), record(1, 1), record(2, 2), record(3, 3), record(4, 0)]),
        {"reordered": 2},
    ),
    Story(
        "one offset, two values: between replicas, and between log and deliveries",
        sound([0, 1, 2], log=[record(0, 0), record(1, 1), record(1, 7, replica=2), record(2, 2),
                              record(2, 2, replica=3)],
              deliveries=[delivery(0, 6), delivery(2, 2)]),
        {"diverged": 2},
    ),
    Story(
        "another value at an acknowledged offset is no divergence",
        sound([0, 1], sends=[placed(0, 1), placed(1, 0)]),
        {"diverged": 0},
    ),
]  # fmt: skip

REPLICAS = [
    Story(
        "only replicas are recorded: a value is in the log if one has it, copies as in the fullest",
        sound([0, 1, 2], log=[record(0, 0, replica=1), record(1, 1, replica=1),
                              record(0, 0, replica=2), record(1, 1, replica=2),
                              record(2, 2, replica=2), record(3, 1, replica=2)]),
        {"lost_write": 0, "in_log": 3, "duplicate": 1, "diverged": 0},
    ),
    Story(
        "the order is that of the lowest replica",
        sound([0, 1], log=[record(0, 1, replica=2), record(1, 0, replica=2),
                           record(0, 0, replica=1), record(1, 1, replica=1)]),
        {"reordered": 0, "diverged": 2},
    ),
    Story(
        "where there is a readable log, replicas count for divergence only",
        sound([0, 1], log=[record(0, 0), record(0, 0, replica=1), record(1, 1, replica=1)]),
        {"lost_write": 1, "in_log": 1, "duplicate": 0},
    ),
]  # fmt: skip
