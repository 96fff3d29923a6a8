"""Tables of ledgers without a seal that do not agree, and what is refused for the same reason.

Each of them said `holds` before, and most of them hide a loss.
"""

from __future__ import annotations

import pytest

from spark_jobs.tables import MalformedLedger
from tests.spark.conftest import Judge
from tests.spark.ledgers import MS, Row, Tables, commit, handed, record, sound

PARTITION: Row = {"topic": "t", "partition": 0, "log_start_offset": 0}
SENDS, LOG, HANDED = (tuple(sound()[name]) for name in ("sends", "log", "deliveries"))
WITHOUT_3: Tables = sound(log=LOG[:3], deliveries=HANDED[:3], commits=[commit(3)])
"""The last message is gone, and no reader of it is left."""


def fault(phase: str, time_ns: int | None, name: str = "kill") -> Row:
    evidence = {"evidence": "pid 4711 gone"} if phase == "complete" else {}
    return {"fault": name, "target": "broker 1", "phase": phase, "time_ns": time_ns, **evidence}


def without_3(**changed: object) -> Tables:
    """The row of the send that is lost, changed."""
    return {**WITHOUT_3, "sends": [*SENDS[:3], {**SENDS[3], **changed}]}


def in_transactions(state: str, third: str = "committed", **ended: object) -> Tables:
    """The last message in a transaction of its own."""
    rows = [{**row, "transaction": "y" if row["value"] == 3 else "x"} for row in SENDS]
    ends = [{"transaction": "x", "outcome": "committed"}, {"transaction": "y", "outcome": third}]
    log = [{**row, "transaction_state": state} for row in LOG]
    return sound(sends=rows, transactions=[ends[0], {**ends[1], **ended}], log=log)


def keyed(*offsets: int, policy: str) -> Tables:
    """All messages have one key; the log has these."""
    return sound(
        sends=[{**row, "key": "k"} for row in SENDS],
        log=[LOG[offset] for offset in offsets],
        deliveries=HANDED,
        partitions=[{**PARTITION, "cleanup_policy": policy}],
    )


def aborted_in_log(*log: Row) -> Tables:
    return sound(log=[*LOG[:3], *log], deliveries=HANDED[:3])


ABORTED: Row = {"transaction_state": "aborted"}
FOREIGN_ABORT = {"transactions": [{"transaction": "x", "producer": "p2", "outcome": "aborted"}]}

OPEN = {
    "log ends early": (
        sound(partitions=[{**PARTITION, "log_end_offset": 9}]), None, "skipped records",
    ),
    "partition without a log": (
        sound(partitions=[PARTITION, {**PARTITION, "partition": 1, "log_end_offset": 7}]),
        None, "skipped records",
    ),
    "commit beyond the log": (sound(commits=[commit(100)]), None, "beyond the end"),
    "a lost message without its send": (
        {**WITHOUT_3, "sends": SENDS[:3], "commits": [commit(4)]}, None, "beyond the end",
    ),
    "log starts beyond all": (
        sound(log=[], partitions=[{**PARTITION, "log_start_offset": 10**6}]),
        None, "starts beyond everything",
    ),
    "delivery of no record": (
        sound(deliveries=[*HANDED[:3], handed(77, 3)]), "at-least-once", "its log does not have",
    ),
    "the same message handed out from two places": (
        sound(deliveries=[*HANDED, handed(3, 2, poll=9)]),
        "at-least-once", "its log does not have",
    ),
    "delivered before it was sent": (
        sound(deliveries=[{**row, "time_ns": -MS} for row in HANDED]), None, "before they were",
    ),
    "a failed send with an offset": (without_3(outcome="fail"), None, "were not acknowledged"),
    "an unknown send with an offset": (without_3(outcome="info"), None, "were not acknowledged"),
    "two messages at one offset": (
        sound(
            log=[*LOG[:3], record(2, 3)], commits=[commit(3)],
            deliveries=[*HANDED[:3], handed(2, 3, poll=9)],
        ),
        "at-least-once", "two messages at one offset",
    ),
    "an effect of nothing": (
        sound(effects=[{"sink": "s", "value": value} for value in range(5)]), None, "never sent",
    ),
    "more state than was put in": (
        sound(state=[{"store": "s", "key": "k", "expected": 4, "actual": 5}]), None, "larger",
    ),
    "another producer's abort": (
        {**without_3(transaction="x"), **FOREIGN_ABORT}, None, "that did not send them",
    ),
    "sent after the abort": (
        {
            **without_3(transaction="x"),
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
        {**in_transactions("committed", "aborted"), "deliveries": HANDED[:3]},
        None, "that `transactions` calls aborted",
    ),
    "compaction that kept an older one": (
        keyed(0, 2, 3, policy="compact"), None, "older messages of a key",
    ),
    "one send without a producer": (
        sound(sends=[{**SENDS[0], "producer": None}, *SENDS[1:]]), None, "without a producer",
    ),
    "one send without its time": (
        sound(sends=[*SENDS[:3], {**SENDS[3], "invoked_ns": None}]), None, "without `invoked_ns`",
    ),
    "a run is no fault": (
        sound(faults=[fault("complete", 1, "Run")]), None, "No fault is proved",
    ),
}  # fmt: skip
_OF_ALL = ("delivery of no record", "log ends early", "another producer's abort")
"""One of each kind by day; by night all of them."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in _OF_ALL else pytest.mark.thorough) for name in OPEN],
)
def test_what_cannot_both_be_true_keeps_a_ledger_from_holding(judged: Judge, name: str) -> None:
    tables, want, says = OPEN[name]
    answer = judged(tables, want)
    assert (answer["verdict"], says in answer["reason"]) == ("unknown", True), answer["reason"]


CLOSED = {
    "all deleted": sound(
        log=[], partitions=[{**PARTITION, "log_start_offset": 4, "log_end_offset": 4}]
    ),
    "markers of two transactions": {
        **in_transactions("committed", began_ns=-1, ended_ns=10 * MS),
        "commits": [commit(6)],
        "partitions": [{**PARTITION, "log_end_offset": 6}],
    },
    "compacted": keyed(3, policy="compact,delete"),
    "moments of everything": sound(
        faults=[
            fault("invoke", 1), fault("complete", 2), fault("invoke", 5), fault("complete", 6),
            fault("invoke", 7, "restart"), fault("complete", 7, "restart"),
        ],
        deliveries=[{**row, "time_ns": 9 * MS} for row in HANDED],
    ),
    "an unknown send that is there": sound(
        sends=[*SENDS[:3], {**SENDS[3], "outcome": "info"}],
        partitions=[{**PARTITION, "log_end_offset": 4}],
    ),
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("name", CLOSED)
def test_what_agrees_holds(judged: Judge, name: str) -> None:
    answer = judged(CLOSED[name], "at-least-once")
    assert answer["verdict"] == "holds", answer["reason"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({}, ""),
        ({"commits": [commit(100)]}, "beyond the end"),
        ({"deliveries": [*(handed(n, n) for n in range(39)), handed(77, 39)]}, "does not have"),
        (
            {"deliveries": [{**handed(n, n), "time_ns": -MS} for n in range(40)]},
            "before they were",
        ),
    ],
)
def test_a_large_ledger_is_held_against_itself_as_a_whole(
    judged: Judge, changed: Tables, says: str
) -> None:
    answer = judged({**sound(range(40)), **changed}, "at-least-once", small=False)
    assert answer["verdict"] == ("unknown" if says else "holds"), answer["reason"]
    assert says in answer["reason"]


@pytest.mark.parametrize(
    ("tables", "says"),
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
        (keyed(3, policy="never compacted"), "`cleanup_policy` has other words"),
    ],
    ids=["fault", "second fault", "transaction", "policy"],
)
def test_what_cannot_be_true_is_refused(judged: Judge, tables: Tables, says: str) -> None:
    with pytest.raises(MalformedLedger, match=says):
        judged(tables)


def test_moments_that_are_not_known_contradict_nothing(judged: Judge) -> None:
    rows = [
        fault("invoke", None),
        fault("complete", 1),
        fault("invoke", 9),
        fault("complete", None),
    ]
    assert judged(sound(faults=rows))["verdict"] == "holds"
