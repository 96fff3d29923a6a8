"""Ledgers without a seal whose tables contradict each other: their verdict is not `holds`.

The verdict of each of them used to be `holds`, and most of them hide a loss. Contradictions within
a table are refused.
"""

from __future__ import annotations

import pytest

from spark_jobs.tables import MalformedLedger
from tests.spark.conftest import Judge
from tests.spark.ledgers import MS, Row, Tables, commit, delivery, record, sound

PARTITION: Row = {"topic": "t", "partition": 0, "log_start_offset": 0}
SENDS, LOG, DELIVERIES = (tuple(sound()[name]) for name in ("sends", "log", "deliveries"))
LAST_LOST: Tables = sound(log=LOG[:3], deliveries=DELIVERIES[:3], commits=[commit(3)])
"""The last message is lost: neither the log nor a delivery has it."""


def fault(phase: str, time_ns: int | None, name: str = "kill") -> Row:
    evidence = {"evidence": "pid 4711 gone"} if phase == "complete" else {}
    return {"fault": name, "target": "broker 1", "phase": phase, "time_ns": time_ns, **evidence}


def lost_send(**changed: object) -> Tables:
    """The last message is lost, and the row of its send is changed."""
    return {**LAST_LOST, "sends": [*SENDS[:3], {**SENDS[3], **changed}]}


def in_transactions(state: str, outcome: str = "committed", **changed_end: object) -> Tables:
    """The last message is in a transaction of its own."""
    rows = [{**row, "transaction": "y" if row["value"] == 3 else "x"} for row in SENDS]
    ends = [{"transaction": "x", "outcome": "committed"}, {"transaction": "y", "outcome": outcome}]
    log = [{**row, "transaction_state": state} for row in LOG]
    return sound(sends=rows, transactions=[ends[0], {**ends[1], **changed_end}], log=log)


def with_one_key(*offsets: int, policy: str) -> Tables:
    """All messages have one key; the log has these offsets."""
    return sound(
        sends=[{**row, "key": "k"} for row in SENDS],
        log=[LOG[offset] for offset in offsets],
        deliveries=DELIVERIES,
        partitions=[{**PARTITION, "cleanup_policy": policy}],
    )


def aborted_in_log(*log: Row) -> Tables:
    return sound(log=[*LOG[:3], *log], deliveries=DELIVERIES[:3])


ABORTED: Row = {"transaction_state": "aborted"}
ABORTED_BY_OTHER = {"transactions": [{"transaction": "x", "producer": "p2", "outcome": "aborted"}]}

CONTRADICTING = {
    "log ends early": (
        sound(partitions=[{**PARTITION, "log_end_offset": 9}]), None, "skipped records",
    ),
    "partition without a log": (
        sound(partitions=[PARTITION, {**PARTITION, "partition": 1, "log_end_offset": 7}]),
        None, "skipped records",
    ),
    "commit beyond the log": (sound(commits=[commit(100)]), None, "beyond the end"),
    "a lost message without its send": (
        {**LAST_LOST, "sends": SENDS[:3], "commits": [commit(4)]}, None, "beyond the end",
    ),
    "log starts beyond all": (
        sound(log=[], partitions=[{**PARTITION, "log_start_offset": 10**6}]),
        None, "starts beyond everything",
    ),
    "delivery of no record": (
        sound(deliveries=[*DELIVERIES[:3], delivery(77, 3)]),
        "at-least-once", "its log does not have",
    ),
    "the same message delivered from two places": (
        sound(deliveries=[*DELIVERIES, delivery(3, 2, poll=9)]),
        "at-least-once", "its log does not have",
    ),
    "delivered before it was sent": (
        sound(deliveries=[{**row, "time_ns": -MS} for row in DELIVERIES]), None, "before they were",
    ),
    "a failed send with an offset": (lost_send(outcome="fail"), None, "were not acknowledged"),
    "an unknown send with an offset": (lost_send(outcome="info"), None, "were not acknowledged"),
    "two messages at one offset": (
        sound(
            log=[*LOG[:3], record(2, 3)], commits=[commit(3)],
            deliveries=[*DELIVERIES[:3], delivery(2, 3, poll=9)],
        ),
        "at-least-once", "two messages at one offset",
    ),
    "an effect of a message that was never sent": (
        sound(effects=[{"sink": "s", "value": value} for value in range(5)]), None, "never sent",
    ),
    "more state than expected": (
        sound(state=[{"store": "s", "key": "k", "expected": 4, "actual": 5}]), None, "larger",
    ),
    "another producer's abort": (
        {**lost_send(transaction="x"), **ABORTED_BY_OTHER}, None, "that did not send them",
    ),
    "sent after the abort": (
        {
            **lost_send(transaction="x"),
            "transactions": [{"transaction": "x", "outcome": "aborted", "ended_ns": 1}],
        },
        None, "after their transaction had ended",
    ),
    "aborted outside a transaction": (
        aborted_in_log({**LOG[3], **ABORTED}), None, "sent outside a transaction",
    ),
    "a copy aborted outside a transaction": (
        sound(log=[*LOG, {**record(4, 3), **ABORTED}]), None, "sent outside a transaction",
    ),
    "committed and aborted": (
        {**in_transactions("committed", "aborted"), "deliveries": DELIVERIES[:3]},
        None, "that `transactions` calls aborted",
    ),
    "compaction that kept an older record of a key": (
        with_one_key(0, 2, 3, policy="compact"), None, "older messages of a key",
    ),
    "one send without a producer": (
        sound(sends=[{**SENDS[0], "producer": None}, *SENDS[1:]]), None, "without a producer",
    ),
    "one send without its time": (
        sound(sends=[*SENDS[:3], {**SENDS[3], "invoked_ns": None}]), None, "without `invoked_ns`",
    ),
    "a row `Run` is no fault": (
        sound(faults=[fault("complete", 1, "Run")]), None, "No fault is proved",
    ),
}  # fmt: skip
_DAILY = ("delivery of no record", "log ends early", "another producer's abort")
"""One of each kind for `make test`; `make nightly` runs all."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in _DAILY else pytest.mark.thorough)
        for name in CONTRADICTING
    ],
)
def test_contradicting_tables_make_the_verdict_unknown(judge_tables: Judge, name: str) -> None:
    tables, want, message = CONTRADICTING[name]
    answer = judge_tables(tables, want)
    assert (answer["verdict"], message in answer["reason"]) == ("unknown", True), answer["reason"]


CONSISTENT = {
    "all deleted": sound(
        log=[], partitions=[{**PARTITION, "log_start_offset": 4, "log_end_offset": 4}]
    ),
    "markers of two transactions": {
        **in_transactions("committed", began_ns=-1, ended_ns=10 * MS),
        "commits": [commit(6)],
        "partitions": [{**PARTITION, "log_end_offset": 6}],
    },
    "compacted": with_one_key(3, policy="compact,delete"),
    "times of everything": sound(
        faults=[
            fault("invoke", 1), fault("complete", 2), fault("invoke", 5), fault("complete", 6),
            fault("invoke", 7, "restart"), fault("complete", 7, "restart"),
        ],
        deliveries=[{**row, "time_ns": 9 * MS} for row in DELIVERIES],
    ),
    "an unknown send that is in the log": sound(
        sends=[*SENDS[:3], {**SENDS[3], "outcome": "info"}],
        partitions=[{**PARTITION, "log_end_offset": 4}],
    ),
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("name", CONSISTENT)
def test_consistent_tables_hold(judge_tables: Judge, name: str) -> None:
    answer = judge_tables(CONSISTENT[name], "at-least-once")
    assert answer["verdict"] == "holds", answer["reason"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({}, ""),
        ({"commits": [commit(100)]}, "beyond the end"),
        ({"deliveries": [*(delivery(n, n) for n in range(39)), delivery(77, 39)]}, "does not have"),
        (
            {"deliveries": [{**delivery(n, n), "time_ns": -MS} for n in range(40)]},
            "before they were",
        ),
    ],
)
def test_contradictions_in_a_large_ledger_are_found(
    judge_tables: Judge, changed: Tables, message: str
) -> None:
    answer = judge_tables({**sound(range(40)), **changed}, "at-least-once", small=False)
    assert answer["verdict"] == ("unknown" if message else "holds"), answer["reason"]
    assert message in answer["reason"]


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (
            sound(faults=[fault("invoke", 9), fault("complete", 8)]),
            "`faults` has kill of broker 1: it ended before it began",
        ),
        (
            sound(
                faults=[
                    fault("invoke", 1),
                    fault("complete", 2),
                    fault("invoke", 9),
                    fault("complete", 8),
                ]
            ),
            "ended before it began",
        ),
        (
            in_transactions("committed", began_ns=9, ended_ns=8),
            "`ended_ns` is before `began_ns`",
        ),
        (with_one_key(3, policy="never compacted"), "`cleanup_policy` has other words"),
    ],
    ids=["fault", "second fault", "transaction", "policy"],
)
def test_a_contradiction_within_a_table_is_refused(
    judge_tables: Judge, tables: Tables, message: str
) -> None:
    with pytest.raises(MalformedLedger, match=message):
        judge_tables(tables)


def test_unknown_times_contradict_nothing(judge_tables: Judge) -> None:
    rows = [
        fault("invoke", None),
        fault("complete", 1),
        fault("invoke", 9),
        fault("complete", None),
    ]
    assert judge_tables(sound(faults=rows))["verdict"] == "holds"
