"""Ledgers without a seal that do not hold, although no count speaks against them.

Each of them hides something bad behind what it leaves open, and said `holds` before.
"""

from __future__ import annotations

import pytest

from spark_jobs.tables import MalformedLedger
from tests.spark.conftest import Judge, by_night
from tests.spark.ledgers import PROVED, Row, Tables, commit, handed, record, send, sound

SKIPS = sound(range(4), deliveries=[handed(n, n) for n in range(3)])
"""The group has committed beyond the last record, which it never got."""


def _without(row: Row, name: str) -> Row:
    return {key: value for key, value in row.items() if key != name}


def _committed(*commits: Row) -> Tables:
    return {**SKIPS, "commits": commits}


def _in_transaction(**more: object) -> Tables:
    return {
        **sound(),
        "sends": [{**row, "transaction": "x"} for row in sound()["sends"]],
        "transactions": [{"transaction": "x", "outcome": "committed"}],
        "log": [{**row, **more} for row in sound()["log"]],
    }


_PARTITION: Row = {"topic": "t", "partition": 0, "log_start_offset": 0}
_OPEN = {
    "commits without topic": (_committed(_without(commit(4), "topic")), "no log"),
    "commits without partition": (_committed(_without(commit(4), "partition")), "no log"),
    "commits in another spelling": (_committed(commit(4, topic="t ")), "no log"),
    "one commit without a time": (
        _committed({**commit(4), "time_ns": None}, commit(2)), "which record each group had read",
    ),
    "a last commit that may have failed": (
        _committed(commit(3), commit(4, outcome="info", time_ns=2)),
        "which record each group had read",
    ),
    "deliveries of which one has no offset": (
        {**sound(), "deliveries": [*sound()["deliveries"], {**handed(3, 3), "offset": None}]},
        "without an offset",
    ),
    "deliveries of which one has no topic": (
        {**sound(), "deliveries": [*sound()["deliveries"], {**handed(3, 3), "topic": None}]},
        "no log",
    ),
    "transactions, and no message in one": (
        {**sound(), "transactions": [{"transaction": "x", "outcome": "aborted"}]},
        "no message in any",
    ),
    "a commit that the log calls an abort": (
        _in_transaction(transaction_state="aborted"), "no abort of them",
    ),
    "a topic that is younger than its records": (
        {**SKIPS, "commits": [commit(3)], "partitions": [{**_PARTITION, "created_ns": 10**12}]},
        "before their topic was created",
    ),
}  # fmt: skip


_LIKE_OTHERS = (
    "commits without partition", "commits in another spelling",
    "deliveries of which one has no topic", "a last commit that may have failed",
)  # fmt: skip


@pytest.mark.parametrize("name", [by_night(n) if n in _LIKE_OTHERS else n for n in _OPEN])
def test_what_a_ledger_leaves_open_keeps_it_from_holding(judged: Judge, name: str) -> None:
    tables, says = _OPEN[name]
    answer = judged(tables)
    assert (answer["verdict"], says in answer["reason"]) == ("unknown", True), answer["reason"]


_CLOSED = {
    "nothing": sound(),
    "transactions": _in_transaction(transaction_state="committed"),
    "no commit with a time": {**sound(), "commits": [{**commit(4), "time_ns": None}]},
    "a last commit that may have failed": {
        **sound(), "commits": [commit(3), commit(4, outcome="info", time_ns=2)],
    },
    "a topic that is older than its records": {
        **sound(), "partitions": [{**_PARTITION, "created_ns": 1}],
    },
}  # fmt: skip


_WHOLE = ("transactions", "a last commit that may have failed")


@pytest.mark.parametrize("name", [n if n in _WHOLE else by_night(n) for n in _CLOSED])
def test_what_leaves_nothing_open_holds(judged: Judge, name: str) -> None:
    answer = judged(_CLOSED[name])
    assert answer["verdict"] == "holds", answer["reason"]


@pytest.mark.parametrize("small", [True, pytest.param(False, marks=pytest.mark.thorough)])
def test_a_large_ledger_is_asked_as_a_whole(judged: Judge, small: bool) -> None:
    """Of a large one the tables are only what the sieve left in them."""
    assert judged(sound(range(40)), small=small)["verdict"] == "holds"
    late = {**sound(range(40)), "commits": [_without(commit(40), "topic")]}
    assert judged(late, small=small)["verdict"] == "unknown"


def test_one_who_was_written_over_did_not_expire(judged: Judge) -> None:
    """Two were acknowledged at one offset: when the log was cut there, only the later was there."""
    later = [send(n, at_ms=n + 1, topic="t", partition=0, offset=n) for n in range(4)]
    tables = {
        **sound(),
        "sends": [send(9, at_ms=0, topic="t", partition=0, offset=0), *later],
        "log": sound()["log"][1:],
        "partitions": [{**_PARTITION, "log_start_offset": 1}],
    }
    answer = judged(tables)
    counts = answer["counts"]
    assert (answer["verdict"], counts["lost_write"], counts["expired"]) == ("broken", 1, 1)


@pytest.mark.parametrize(
    "place", [{"partition": 63}, by_night({"topic": "x"}), by_night({"topic": "y"})]
)
def test_two_places_are_told_apart_whichever_they_are(judged: Judge, place: Row) -> None:
    """Partitions 0 and 63 fall on one bit of those by which places are compared."""
    with pytest.raises(MalformedLedger, match="value 3 was acknowledged in one topic"):
        judged({**sound(), "log": [*sound()["log"][:3], {**record(3, 3), **place}]})


@pytest.mark.parametrize(
    "fault",
    [
        by_night({"fault": None}),
        by_night({"fault": "unpause"}),
        {"evidence": "\t\u00a0\u200b"},
        by_night({"evidence": ""}),
    ],
    ids=["nameless", "heal", "blank", "empty"],
)
def test_what_proves_no_fault_does_not_hold(judged: Judge, fault: Row) -> None:
    assert judged({**sound(), "faults": [{**PROVED, **fault}]})["verdict"] == "unknown"


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"transaction_state": "ABORTED"}, "`transaction_state` is 'ABORTED', which is none of"),
        ({"partition": -7}, "`partition` is negative"),
    ],
)
def test_words_and_places_that_nobody_knows_are_refused(
    judged: Judge, more: Row, says: str
) -> None:
    with pytest.raises(MalformedLedger, match=says):
        judged({**sound(), "log": [*sound()["log"][:3], {**record(3, 3), **more}]})
