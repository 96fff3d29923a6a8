"""What groups were handed: skipped, unseen, redelivered, and their polls."""

from __future__ import annotations

from tests.spark.ledgers import commit, handed, record, send, sound
from tests.spark.stories.base import Story

READING = [
    Story(
        "passed over by the commit",
        sound(deliveries=[handed(0, 0), handed(2, 2), handed(3, 3)]),
        {"skipped": 1, "unseen": 0},
    ),
    Story(
        "the last commit counts, not the highest, and it names the next offset to read",
        sound(deliveries=[handed(0, 0)], commits=[commit(4, time_ns=1), commit(2, time_ns=2)]),
        {"skipped": 1, "unseen": 2},
    ),
    Story(
        "a failed commit is none; then what was handed out tells the position",
        sound(deliveries=[handed(0, 0), handed(2, 2)], commits=[commit(4, outcome="fail")]),
        {"skipped": 1, "unseen": 1},
    ),
    Story(
        "without a commit, what was not reached is not skipped",
        sound(deliveries=[handed(0, 0), handed(1, 1)], commits=[]),
        {"skipped": 0, "unseen": 2},
    ),
    Story(
        "a value handed out by another copy is not skipped",
        sound([0, 1], log=[record(0, 0), record(1, 1), record(2, 0)],
              deliveries=[handed(2, 0), handed(1, 1, poll=1)], commits=[commit(3)]),
        {"skipped": 0},
    ),
    Story(
        "a value with a copy still ahead is not skipped",
        sound([0, 1], log=[record(0, 0), record(1, 1), record(2, 0)],
              deliveries=[handed(1, 1)], commits=[commit(2)]),
        {"skipped": 0, "unseen": 1},
    ),
    Story(
        "a value skipped by two groups counts once, and another group's reading is no excuse",
        sound(deliveries=[*[handed(n, n, "h") for n in range(4)], handed(3, 3, "g"),
                          handed(3, 3, "i")],
              commits=[commit(4, "g"), commit(4, "i"), commit(4, "h")]),
        {"skipped": 3, "unseen": 0},
    ),
    Story(
        "whatever the producer was told, a visible value can be skipped",
        sound([0, 1], sends=[send(0, "info"), send(1)], deliveries=[handed(1, 1)],
              commits=[commit(2)]),
        {"skipped": 1, "unseen": 0},
    ),
    Story(
        "the final readers are judged neither for skipped nor for redelivery",
        sound(deliveries=[handed(0, 0, "final"), handed(0, 0, "final"), handed(3, 3, "final")],
              commits=[commit(4, "final")]),
        {"skipped": 0, "redelivery": 0, "unseen": 2, "late": None},
    ),
    Story(
        "gone from the log, in the log but passed over, or merely late",
        sound(range(5), log=[record(n, n) for n in (0, 1, 2, 3)],
              deliveries=[handed(1, 1), *[handed(n, n, "final") for n in range(4)]],
              commits=[commit(2)]),
        {"lost_write": 1, "skipped": 1, "late": 2, "unseen": 0},
    ),
    Story(
        "what one group read is not late, nor what no broker acknowledged or nobody was handed",
        sound(range(4), sends=[send(0), send(1), send(2), send(3, "info")],
              deliveries=[handed(0, 0, "h"), handed(1, 1, "final"), handed(3, 3, "final")],
              commits=[]),
        {"late": 1, "unseen": 1, "skipped": 0},
    ),
    Story(
        "acknowledged and in the log, but handed to nobody",
        sound(deliveries=[handed(0, 0), handed(1, 1), handed(2, 2, "final")], commits=[commit(2)]),
        {"unseen": 1, "skipped": 0, "lost_write": 0},
    ),
    Story(
        "one offset handed to a group twice, whoever of the group read it",
        sound(deliveries=[handed(0, 0), handed(0, 0, consumer="c2"), handed(0, 0, "h"),
                          handed(1, 1), handed(2, 2), handed(3, 3)]),
        {"redelivery": 1, "duplicate": 0},
    ),
    Story(
        "without a group each consumer is its own",
        sound(deliveries=[handed(0, 0, None), handed(0, 0, None, consumer="c2"),
                          handed(0, 0, None, consumer="c2")], commits=[]),
        {"redelivery": 1},
    ),
    Story(
        "the same offset with another value, and the same value elsewhere, are no redelivery",
        sound(deliveries=[handed(0, 0), handed(0, 7), handed(5, 0), handed(0, 0, partition=1)]),
        {"redelivery": 0},
    ),
    Story(
        "polls that begin where, before and after the one before ended",
        sound(range(8), deliveries=[
            handed(0, 0, poll=1), handed(1, 1, poll=1), handed(1, 1, poll=2), handed(2, 2, poll=3),
            handed(5, 5, poll=4), handed(0, 0, poll=5)]),
        {"nonmonotonic_poll": 2, "poll_skip": 1},
    ),
    Story(
        "a hole in the offsets, an aborted record and another assignment are no poll anomaly",
        sound([0, 1, 2], sends=[send(0), send(1, transaction="x"), send(2)],
              transactions=[{"transaction": "x", "outcome": "aborted"}],
              log=[record(0, 0), record(1, 1), record(5, 2)],
              deliveries=[handed(0, 0, poll=1), handed(5, 2, poll=2),
                          handed(0, 0, poll=3, assignment="2"), handed(0, 0, "h", consumer="c2")]),
        {"nonmonotonic_poll": 0, "poll_skip": 0},
    ),
]  # fmt: skip
