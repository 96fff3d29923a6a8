"""The fate of values: lost, expired, compacted, given up, duplicated, phantom."""

from __future__ import annotations

from tests.spark.ledgers import MS, Row, delivery, record, send, sound
from tests.spark.stories.base import Story, placed


def _starts_at(offset: int, policy: str = "delete") -> list[Row]:
    place = {"topic": "t", "partition": 0}
    return [{**place, "log_start_offset": offset, "cleanup_policy": policy}]


_NO_ANOMALIES = dict.fromkeys(
    (
        "lost_write", "expired", "compacted", "skipped", "unseen", "duplicate", "redelivery",
        "reordered", "nonmonotonic_poll", "poll_skip", "diverged", "aborted_read", "phantom",
        "torn_transaction", "given_up", "unavailable_ms", "blocked_ms",
    ),
    0,
)  # fmt: skip

VALUES = [
    Story("nothing went wrong", sound(), {**_NO_ANOMALIES, "sent": 4, "ok": 4, "in_log": 4}),
    Story(
        "an acknowledged value is gone",
        sound(log=[record(0, 0), record(1, 1), record(3, 3)]),
        {"lost_write": 1, "unseen": 0, "given_up": 0, "in_log": 3},
    ),
    Story(
        "an unsure send may be absent or present; neither is an anomaly",
        sound(sends=[send(0, "info"), send(1, "info"), send(2), send(3)],
              log=[record(1, 1), record(2, 2), record(3, 3)], deliveries=[], commits=[]),
        {"lost_write": 0, "given_up": 1, "phantom": 0, "info": 2, "unseen": 2},
    ),
    Story(
        "a failed send that is absent is given up, not lost",
        sound(sends=[send(0, "fail"), send(1), send(2), send(3)],
              log=[record(1, 1), record(2, 2), record(3, 3)],
              deliveries=[delivery(1, 1), delivery(2, 2), delivery(3, 3)]),
        {"lost_write": 0, "given_up": 1, "fail": 1, "phantom": 0},
    ),
    Story(
        "a send that the end of the run cut off was not given up, whatever its earlier attempts",
        sound(sends=[send(0, "info", cut_off=True), send(1, "info"), send(1, "info", cut_off=True),
                     send(2, "fail", cut_off=False), send(3)], log=[record(3, 3)],
              deliveries=[delivery(3, 3)], commits=[]),
        {"lost_write": 0, "given_up": 1, "info": 2, "fail": 1},
    ),
    Story(
        "a value is ok if any of its attempts is",
        sound(sends=[send(0, "info"), send(0, "ok", at_ms=9), send(1, "fail"), send(1, "info")],
              log=[], deliveries=[], commits=[]),
        {"sent": 2, "ok": 1, "info": 1, "fail": 0, "lost_write": 1, "given_up": 1},
    ),
    Story(
        "a value below the log start is expired, a value at the log start is lost",
        sound(log=[record(3, 3)], partitions=_starts_at(2)),
        {"expired": 2, "lost_write": 1, "compacted": 0},
    ),
    Story(
        "a value acknowledged twice is expired only if both places are below the log start",
        sound([0], sends=[placed(0, 0), placed(0, 7)], log=[], partitions=_starts_at(5)),
        {"expired": 0, "lost_write": 1},
    ),
    Story(
        "a value acknowledged before the topic was created again is expired, a later one is lost",
        sound(log=[record(0, 3)],
              partitions=[{"topic": "t", "partition": 0, "log_start_offset": 0,
                           "created_ns": 4 * MS}]),
        {"expired": 2, "lost_write": 1, "diverged": 1},
    ),
    Story(
        "a key's later record replaces the earlier in a compacted partition",
        sound([0, 1, 2],
              sends=[placed(0, 0, key="k"), placed(1, 1, key="k"), placed(2, 2, key="z")],
              log=[record(1, 1)], partitions=_starts_at(0, "compact,delete")),
        {"compacted": 1, "lost_write": 1, "expired": 0},
    ),
    Story(
        "a key's later record replaces nothing where nothing is compacted",
        sound([0, 1], sends=[placed(0, 0, key="k"), placed(1, 1, key="k")],
              log=[record(1, 1)], partitions=_starts_at(0)),
        {"compacted": 0, "lost_write": 1},
    ),
    Story(
        "a key's earlier record does not replace the later",
        sound([0, 1], sends=[placed(0, 0, key="k"), placed(1, 1, key="k")],
              log=[record(0, 0)], partitions=_starts_at(0, "compact")),
        {"compacted": 0, "lost_write": 1},
    ),
    Story(
        "a value at two offsets has one duplicate, a value at three has two",
        sound(log=[record(0, 0), record(1, 1), record(2, 2), record(3, 3), record(4, 1),
                   record(5, 2), record(6, 2)]),
        {"duplicate": 3, "redelivery": 0, "in_log": 4},
    ),
    Story(
        "the same record listed twice is one copy",
        sound(log=[record(0, 0), record(0, 0), record(1, 1), record(2, 2), record(3, 3)]),
        {"duplicate": 0},
    ),
    Story(
        "never sent, sent only with failures, and failed within a transaction",
        sound([0, 1], sends=[send(0), send(1, "fail"), send(2, "fail", transaction="x")],
              log=[record(0, 0), record(1, 1), record(2, 2), record(3, 9)],
              deliveries=[delivery(0, 0), delivery(7, 8)]),
        {"phantom": 3},
    ),
]  # fmt: skip
