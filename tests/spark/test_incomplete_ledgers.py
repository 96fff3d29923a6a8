"""Incomplete ledgers without a seal: their verdict is not `holds`, although no count forbids it.

Each of them hides an anomaly in what it does not record. Their verdict used to be `holds`.
"""

from __future__ import annotations

import pytest

from spark_jobs.tables import MalformedLedger
from tests.spark.conftest import Judge, nightly
from tests.spark.ledgers import PROVED_FAULT, Row, Tables, commit, delivery, record, send, sound

SKIPS = sound(range(4), deliveries=[delivery(n, n) for n in range(3)])
"""The group committed beyond the last record, which was never delivered to it."""


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
_INCOMPLETE = {
    "commits without topic": (_committed(_without(commit(4), "topic")), "no log"),
    "commits without partition": (_committed(_without(commit(4), "partition")), "no log"),
    "commits with another topic name": (_committed(commit(4, topic="t ")), "no log"),
    "one commit without a time": (
        _committed({**commit(4), "time_ns": None}, commit(2)), "which record each group had read",
    ),
    "a last commit that may have failed": (
        _committed(commit(3), commit(4, outcome="info", time_ns=2)),
        "which record each group had read",
    ),
    "a delivery without offset": (
        {**sound(), "deliveries": [*sound()["deliveries"], {**delivery(3, 3), "offset": None}]},
        "without an offset",
    ),
    "a delivery without topic": (
        {**sound(), "deliveries": [*sound()["deliveries"], {**delivery(3, 3), "topic": None}]},
        "no log",
    ),
    "transactions without messages": (
        {**sound(), "transactions": [{"transaction": "x", "outcome": "aborted"}]},
        "no message in any",
    ),
    "a transaction committed in one table and aborted in the log": (
        _in_transaction(transaction_state="aborted"), "no abort of them",
    ),
    "a topic created after its records": (
        {**SKIPS, "commits": [commit(3)], "partitions": [{**_PARTITION, "created_ns": 10**12}]},
        "before their topic was created",
    ),
}  # fmt: skip


_NIGHTLY = (
    "commits without partition", "commits with another topic name",
    "a delivery without topic", "a last commit that may have failed",
)  # fmt: skip


@pytest.mark.parametrize("name", [nightly(n) if n in _NIGHTLY else n for n in _INCOMPLETE])
def test_an_incomplete_ledger_is_unknown(judge_tables: Judge, name: str) -> None:
    tables, message = _INCOMPLETE[name]
    answer = judge_tables(tables)
    assert (answer["verdict"], message in answer["reason"]) == ("unknown", True), answer["reason"]


_COMPLETE = {
    "a sound history": sound(),
    "transactions": _in_transaction(transaction_state="committed"),
    "commits without a time": {**sound(), "commits": [{**commit(4), "time_ns": None}]},
    "a last commit that may have failed": {
        **sound(), "commits": [commit(3), commit(4, outcome="info", time_ns=2)],
    },
    "a topic created before its records": {
        **sound(), "partitions": [{**_PARTITION, "created_ns": 1}],
    },
}  # fmt: skip


_DAILY = ("transactions", "a last commit that may have failed")


@pytest.mark.parametrize("name", [n if n in _DAILY else nightly(n) for n in _COMPLETE])
def test_a_complete_ledger_holds(judge_tables: Judge, name: str) -> None:
    answer = judge_tables(_COMPLETE[name])
    assert answer["verdict"] == "holds", answer["reason"]


@pytest.mark.parametrize("small", [True, pytest.param(False, marks=pytest.mark.thorough)])
def test_gaps_in_a_large_ledger_are_found(judge_tables: Judge, small: bool) -> None:
    """In a large ledger the tables have only what the sieve left in them."""
    assert judge_tables(sound(range(40)), small=small)["verdict"] == "holds"
    without_topic = {**sound(range(40)), "commits": [_without(commit(40), "topic")]}
    assert judge_tables(without_topic, small=small)["verdict"] == "unknown"


def test_an_overwritten_record_is_lost_and_not_expired(judge_tables: Judge) -> None:
    """Two sends were acknowledged at one offset. Only the later one was there when it expired."""
    later = [send(n, at_ms=n + 1, topic="t", partition=0, offset=n) for n in range(4)]
    tables = {
        **sound(),
        "sends": [send(9, at_ms=0, topic="t", partition=0, offset=0), *later],
        "log": sound()["log"][1:],
        "partitions": [{**_PARTITION, "log_start_offset": 1}],
    }
    answer = judge_tables(tables)
    counts = answer["counts"]
    assert (answer["verdict"], counts["lost_write"], counts["expired"]) == ("broken", 1, 1)


@pytest.mark.parametrize(
    "place", [{"partition": 63}, nightly({"topic": "x"}), nightly({"topic": "y"})]
)
def test_any_two_partitions_are_distinguished(judge_tables: Judge, place: Row) -> None:
    """Partitions are compared by a bit each; 0 and 63 share one."""
    with pytest.raises(MalformedLedger, match="value 3 was acknowledged in one topic"):
        judge_tables({**sound(), "log": [*sound()["log"][:3], {**record(3, 3), **place}]})


@pytest.mark.parametrize(
    "fault",
    [
        nightly({"fault": None}),
        nightly({"fault": "unpause"}),
        {"evidence": "\t\u00a0\u200b"},
        nightly({"evidence": ""}),
    ],
    ids=["nameless", "heal", "blank", "empty"],
)
def test_a_ledger_without_a_proved_fault_is_unknown(judge_tables: Judge, fault: Row) -> None:
    assert judge_tables({**sound(), "faults": [{**PROVED_FAULT, **fault}]})["verdict"] == "unknown"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"transaction_state": "ABORTED"}, "`transaction_state` is 'ABORTED', which is none of"),
        ({"partition": -7}, "`partition` is negative"),
    ],
)
def test_unknown_words_and_negative_partitions_are_refused(
    judge_tables: Judge, more: Row, message: str
) -> None:
    with pytest.raises(MalformedLedger, match=message):
        judge_tables({**sound(), "log": [*sound()["log"][:3], {**record(3, 3), **more}]})
