"""The tables and columns of a ledger: the one place where a column is declared.

The recorder (`labs.engine.record.ledger`) writes all of them, the judge (`spark_jobs.tables`) reads
those that are judged, and `docs/ledger.md` lists them. Times are nanoseconds of one monotonic
clock, offsets and values 64-bit integers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

VERSION = 1
"""Version of the schema; raised when a column changes its meaning."""

Kind = Literal["text", "int64", "int32", "boolean", "int32 list"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column. One that is not `judged` is for the replay and the story; no count reads it."""

    kind: Kind
    judged: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its constraints.

    `row` says what a row is. `required` columns are never null. `words` are the values that a
    column may have. The second column of `span` is never less than the first.
    """

    row: str
    columns: Mapping[str, Column]
    required: tuple[str, ...] = ()
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    span: tuple[str, str] | None = None

    @property
    def judged(self) -> tuple[str, ...]:
        """The columns that judging reads."""
        return tuple(name for name, column in self.columns.items() if column.judged)


_TEXT, _INT64, _INT32, _BOOLEAN = (
    Column("text"), Column("int64"), Column("int32"), Column("boolean"),
)  # fmt: skip
_KEPT_TEXT, _KEPT_INT64, _KEPT_INT32, _KEPT_LIST = (
    Column("text", judged=False), Column("int64", judged=False), Column("int32", judged=False),
    Column("int32 list", judged=False),
)  # fmt: skip
_ANSWERS = {"outcome": ("ok", "fail", "info")}

LEDGER: Mapping[str, Table] = {
    "sends": Table(
        "one attempt of the application to send one value",
        {
            "producer": _TEXT, "value": _INT64, "topic": _TEXT, "partition": _INT32, "key": _TEXT,
            "transaction": _TEXT, "invoked_ns": _INT64, "completed_ns": _INT64, "outcome": _TEXT,
            "offset": _INT64, "error": _KEPT_TEXT, "cut_off": _BOOLEAN,
        },
        required=("value", "outcome"), words=_ANSWERS, span=("invoked_ns", "completed_ns"),
    ),
    "transactions": Table(
        "one transaction; without `began_ns` if one process began it and another ended it",
        {
            "transaction": _TEXT, "producer": _TEXT, "began_ns": _INT64, "ended_ns": _INT64,
            "outcome": _TEXT,
        },
        required=("transaction", "outcome"), words={"outcome": ("committed", "aborted", "unknown")},
        span=("began_ns", "ended_ns"),
    ),
    "log": Table(
        "one record of the final scan",
        {
            "topic": _TEXT, "partition": _INT32, "offset": _INT64, "value": _INT64,
            "leader_epoch": _KEPT_INT32, "transaction_state": _TEXT, "replica": _INT32,
        },
        required=("offset", "value"),
        words={"transaction_state": ("committed", "aborted", "unknown")},
    ),
    "deliveries": Table(
        "one record that one poll delivered to the application",
        {
            "consumer": _TEXT, "group": _TEXT, "isolation": _KEPT_TEXT, "assignment": _TEXT,
            "poll": _INT64, "topic": _TEXT, "partition": _INT32, "offset": _INT64,
            "value": _INT64, "time_ns": _INT64,
        },
        required=("value",),
    ),
    "commits": Table(
        "one commit of one offset",
        {
            "consumer": _TEXT, "group": _TEXT, "topic": _TEXT, "partition": _INT32,
            "offset": _INT64, "outcome": _TEXT, "time_ns": _INT64,
        },
        required=("offset",), words=_ANSWERS,
    ),
    "effects": Table(
        "an effect of the processing in its sink; if that is a topic, a record that its reader "
        "received, without a time",
        {"sink": _TEXT, "value": _INT64, "applied": _INT64, "time_ns": _KEPT_INT64},
        required=("value",),
    ),
    "state": Table(
        "one key of a stateful processor",
        {"store": _TEXT, "key": _TEXT, "expected": _INT64, "actual": _INT64},
        required=("expected",),
    ),
    "faults": Table(
        "beginning and end of each fault and each heal",
        {
            "fault": _TEXT, "target": _TEXT, "phase": _TEXT, "time_ns": _INT64,
            "evidence": _TEXT,
        },
        required=("phase",),
        words={"phase": ("invoke", "complete", "failed", "not_applicable")},
    ),
    "telemetry": Table(
        "a sample, several a second",
        {
            "time_ns": _KEPT_INT64, "topic": _KEPT_TEXT, "partition": _KEPT_INT32,
            "leader": _KEPT_INT32, "isr": _KEPT_LIST, "elr": _KEPT_LIST,
            "leader_epoch": _KEPT_INT32, "high_watermark": _KEPT_INT64,
            "last_stable_offset": _KEPT_INT64, "log_end_offset": _KEPT_INT64,
            "replica": _KEPT_INT32, "committed": _KEPT_INT64, "brokers": _KEPT_TEXT,
            "sent": _KEPT_INT64, "acknowledged": _KEPT_INT64, "failed": _KEPT_INT64,
            "delivered": _KEPT_INT64,
        },
    ),
    "partitions": Table(
        "one partition at the end",
        {
            "topic": _TEXT, "partition": _INT32, "log_start_offset": _INT64,
            "log_end_offset": _INT64, "cleanup_policy": _TEXT, "created_ns": _INT64,
        },
        span=("log_start_offset", "log_end_offset"),
    ),
    "meta": Table(
        "the run, one row",
        {
            "final_read_completed": _BOOLEAN, "given_up_breaks": _BOOLEAN,
            "effects_decide": _BOOLEAN, "seal_follows": _BOOLEAN, "seed": _KEPT_INT64,
            "scenario": _KEPT_TEXT, "arm": _KEPT_TEXT, "settings": _KEPT_TEXT,
            "versions": _KEPT_TEXT, "machine": _KEPT_TEXT, "shortened": _KEPT_TEXT,
            "wall_start": _KEPT_TEXT,
        },
    ),
}  # fmt: skip
"""Every table by its name."""
