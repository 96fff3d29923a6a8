"""Effects in sinks, state stores, and time without acknowledgements or deliveries."""

from __future__ import annotations

from tests.spark.ledgers import MS, delivery, record, send, sound
from tests.spark.stories.base import Story

EFFECTS = [
    Story(
        "each sink must have each obliged value, even one that the log lost",
        sound([0, 1], sends=[send(0), send(1), send(2, "info")], log=[record(0, 0)],
              effects=[{"sink": "a", "value": 0}, {"sink": "a", "value": 1, "applied": 1},
                       {"sink": "b", "value": 0, "applied": 0}]),
        {"effect_missing": 2, "effect_duplicated": 0},
    ),
    Story(
        "applied more than once, in one row or summed over rows; once in each sink is once",
        sound([0, 1, 2], effects=[
            {"sink": "a", "value": 0, "applied": 3}, {"sink": "a", "value": 1},
            {"sink": "a", "value": 1, "applied": 1}, {"sink": "a", "value": 2},
            {"sink": "b", "value": 0}, {"sink": "b", "value": 1}, {"sink": "b", "value": 2}]),
        {"effect_missing": 0, "effect_duplicated": 2},
    ),
    Story(
        "an empty sink misses every obliged value",
        sound([0, 1], sends=[send(0), send(1), send(2, "info")], effects=[]),
        {"effect_missing": 2, "effect_duplicated": 0},
    ),
    Story(
        "effects are not judged when no sink was recorded",
        sound([0, 1]),
        {"effect_missing": None, "effect_duplicated": None},
    ),
    Story(
        "state that is smaller than expected, and state that is not",
        sound(state=[{"store": "s", "key": "a", "expected": 3, "actual": 1},
                     {"store": "s", "key": "b", "expected": 3, "actual": 3},
                     {"store": "s", "key": "c", "expected": 3, "actual": 4},
                     {"store": "s", "key": "d", "expected": 1}]),
        {"state_lost": 2},
    ),
]  # fmt: skip

TIME = [
    Story(
        "a send that waited 600 ms, and one that waited 400 ms",
        sound([0, 1], sends=[{**send(0, at_ms=0), "completed_ns": 600_000_000},
                             {**send(1, at_ms=1000), "completed_ns": 1_400_000_000}]),
        {"unavailable_ms": 600},
    ),
    Story(
        "any acknowledgement ends a gap, and a failed send is not one",
        sound([0, 1, 2], sends=[
            {**send(0, at_ms=0), "completed_ns": 900_000_000},
            {**send(1, at_ms=0), "completed_ns": 450_000_000},
            {**send(2, "fail", at_ms=2000), "completed_ns": 2_300_000_000},
            {**send(3, "fail", at_ms=2200), "completed_ns": 2_700_000_000}]),
        {"unavailable_ms": 700},
    ),
    Story(
        "a pause in which no send waits is no outage",
        sound([0, 1], sends=[send(0, at_ms=0), send(1, at_ms=9000)]),
        {"unavailable_ms": 0},
    ),
    Story(
        "an acknowledged record waited 1,998 ms while nothing was delivered",
        sound([0, 1], sends=[send(0, at_ms=0), send(1, at_ms=1)],
              deliveries=[delivery(0, 0, time_ns=2000 * MS), delivery(1, 1, time_ns=2001 * MS)]),
        {"blocked_ms": 1998, "unavailable_ms": 0},
    ),
    Story(
        "deliveries that keep coming are not blocked, however late",
        sound([0, 1], sends=[send(0, at_ms=0), send(1, at_ms=1)],
              deliveries=[delivery(0, 0, time_ns=400_000_000),
                          delivery(1, 1, time_ns=800_000_000)]),
        {"blocked_ms": 0},
    ),
]  # fmt: skip
