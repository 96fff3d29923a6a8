"""Deliveries to groups: skipped, unseen and redelivered records, and the order of polls."""

from __future__ import annotations

from tests.spark.ledgers import commit, delivery, record, send, sound
from tests.spark.stories.base import Story

READING = [
    Story(
        "the commit skips a record",
        sound(deliveries=[delivery(0, 0), delivery(2, 2), delivery(3, 3)]),
        {"skipped": 1, "unseen": 0},
    ),
    Story(
        "the last commit counts, not the highest, and it names the next offset to read",
        sound(deliveries=[delivery(0, 0)], commits=[commit(4, time_ns=1), commit(2, time_ns=2)]),
        {"skipped": 1, "unseen": 2},
    ),
    Story(
        "a failed commit does not count; then the deliveries give the position",
        sound(deliveries=[delivery(0, 0), delivery(2, 2)], commits=[commit(4, outcome="fail")]),
        {"skipped": 1, "unseen": 1},
    ),
    Story(
        "without a commit records that were not reached are not skipped",
        sound(deliveries=[delivery(0, 0), delivery(1, 1)], commits=[]),
        {"skipped": 0, "unseen": 2},
    ),
    Story(
        "a value of which another copy was delivered is not skipped",
        sound([0, 1], log=[record(0, 0), record(1, 1), record(2, 0)],
              deliveries=[delivery(2, 0), delivery(1, 1, poll=1)], commits=[commit(3)]),
        {"skipped": 0},
    ),
    Story(
        "a value with a copy still ahead is not skipped",
        sound([0, 1], log=[record(0, 0), record(1, 1), record(2, 0)],
              deliveries=[delivery(1, 1)], commits=[commit(2)]),
        {"skipped": 0, "unseen": 1},
    ),
    Story(
        "a value skipped by two groups counts once, even if a third group read it",
        sound(deliveries=[*[delivery(n, n, "h") for n in range(4)], delivery(3, 3, "g"),
                          delivery(3, 3, "i")],
              commits=[commit(4, "g"), commit(4, "i"), commit(4, "h")]),
        {"skipped": 3, "unseen": 0},
    ),
    Story(
        "a visible value can be skipped, whatever the outcome of its send",
        sound([0, 1], sends=[send(0, "info"), send(1)], deliveries=[delivery(1, 1)],
              commits=[commit(2)]),
        {"skipped": 1, "unseen": 0},
    ),
    Story(
        "the final readers are judged neither for skipped nor for redelivery",
        sound(deliveries=[delivery(0, 0, "final"), delivery(0, 0, "final"),
                          delivery(3, 3, "final")],
              commits=[commit(4, "final")]),
        {"skipped": 0, "redelivery": 0, "unseen": 2, "late": None},
    ),
    Story(
        "gone from the log, in the log but skipped, or merely late",
        sound(range(5), log=[record(n, n) for n in (0, 1, 2, 3)],
              deliveries=[delivery(1, 1), *[delivery(n, n, "final") for n in range(4)]],
              commits=[commit(2)]),
        {"lost_write": 1, "skipped": 1, "late": 2, "unseen": 0},
    ),
    Story(
        "a value that a group read, that was not acknowledged or not delivered is not late",
        sound(range(4), sends=[send(0), send(1), send(2), send(3, "info")],
              deliveries=[delivery(0, 0, "h"), delivery(1, 1, "final"), delivery(3, 3, "final")],
              commits=[]),
        {"late": 1, "unseen": 1, "skipped": 0},
    ),
    Story(
        "acknowledged and in the log, but delivered to no group",
        sound(deliveries=[delivery(0, 0), delivery(1, 1), delivery(2, 2, "final")],
              commits=[commit(2)]),
        {"unseen": 1, "skipped": 0, "lost_write": 0},
    ),
    Story(
        "one offset delivered to a group twice, whichever member read it",
        sound(deliveries=[delivery(0, 0), delivery(0, 0, consumer="c2"), delivery(0, 0, "h"),
                          delivery(1, 1), delivery(2, 2), delivery(3, 3)]),
        {"redelivery": 1, "duplicate": 0},
    ),
    Story(
        "without a group each consumer is its own",
        sound(deliveries=[delivery(0, 0, None), delivery(0, 0, None, consumer="c2"),
                          delivery(0, 0, None, consumer="c2")], commits=[]),
        {"redelivery": 1},
    ),
    Story(
        "the same offset with another value, and the same value elsewhere, are no redelivery",
        sound(deliveries=[delivery(0, 0), delivery(0, 7), delivery(5, 0),
                          delivery(0, 0, partition=1)]),
        {"redelivery": 0},
    ),
    Story(
        "polls that begin at, before and after the end of the previous one",
        sound(range(8), deliveries=[
            delivery(0, 0, poll=1), delivery(1, 1, poll=1), delivery(1, 1, poll=2),
            delivery(2, 2, poll=3),
            delivery(5, 5, poll=4), delivery(0, 0, poll=5)]),
        {"nonmonotonic_poll": 2, "poll_skip": 1},
    ),
    Story(
        "a gap in the offsets, an aborted record and another assignment are no poll anomaly",
        sound([0, 1, 2], sends=[send(0), send(1, transaction="x"), send(2)],
              transactions=[{"transaction": "x", "outcome": "aborted"}],
              log=[record(0, 0), record(1, 1), record(5, 2)],
              deliveries=[delivery(0, 0, poll=1), delivery(5, 2, poll=2),
                          delivery(0, 0, poll=3, assignment="2"),
                          delivery(0, 0, "h", consumer="c2")]),
        {"nonmonotonic_poll": 0, "poll_skip": 0},
    ),
]  # fmt: skip
