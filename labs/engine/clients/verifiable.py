"""What Kafka's VerifiableProducer and VerifiableConsumer print, line by line, as facts.

`TransformerApplication.java` speaks like the latter, and says besides where it stands, what it
aborted and what ended it.

Pure: a line in, a fact out, or None for a line that tells nothing here. Their own lines are JSON
with a wall clock in milliseconds (tools/…/Verifiable{Producer,Consumer}.java). The others are the
client's log in the pattern of `labs.engine.programs.tools`: nanoseconds of the ledger's clock,
level, logger, words.

The producer's tool tells of a send only when it was answered. That a record was offered to the
client's buffer at all is the client's own line at TRACE, which it prints first, in the same
thread: what was never offered is in no log, and what was offered is known even of a JVM that is
killed before the answer. A line is written as a whole, under one lock of standard output.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from labs.engine.clients.errors import Outcome


@dataclass(frozen=True, slots=True)
class Offered:
    """A record was handed to the client, whose buffer it may enter from now on."""

    value: int
    time_ns: int


@dataclass(frozen=True, slots=True)
class Answered:
    """The client's answer for one record; `wall_ms` is when the tool heard it."""

    value: int
    wall_ms: int
    error: str | None = None
    exception: str | None = None
    partition: int | None = None
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """The producer's tool has ended by itself, after so many acknowledgements."""

    acknowledged: int


@dataclass(frozen=True, slots=True)
class Delivered:
    """A record in a poll's hands."""

    topic: str
    partition: int
    offset: int
    value: int
    wall_ms: int


@dataclass(frozen=True, slots=True)
class Polled:
    """The poll that the deliveries before this belong to is complete."""


@dataclass(frozen=True, slots=True)
class Committed:
    """What came of a commit: the offset of each (topic, partition)."""

    offsets: Mapping[tuple[str, int], int]
    error: str | None
    wall_ms: int


@dataclass(frozen=True, slots=True)
class Assigned:
    """The group gave these partitions."""

    partitions: frozenset[int]


@dataclass(frozen=True, slots=True)
class Revoked:
    """The group, or the client itself, took these partitions away."""

    partitions: frozenset[int]


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a partition is read from; before this its position is not resolved."""

    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """The consumer's tool cannot go on."""

    why: str


@dataclass(frozen=True, slots=True)
class Standing:
    """It stands still at a point of its work."""

    point: str


@dataclass(frozen=True, slots=True)
class Going:
    """It goes on from there."""


@dataclass(frozen=True, slots=True)
class Aborted:
    """The tool aborted a transaction that held `count` records."""

    why: str
    count: int


Fact = (
    Offered | Answered | Summary
    | Delivered | Polled | Committed | Assigned | Revoked | Placed | Stopped
    | Standing | Going | Aborted
)  # fmt: skip

_Told = Mapping[str, Any]


def _partitions(data: _Told) -> frozenset[int]:
    return frozenset(partition["partition"] for partition in data["partitions"])


_NAMED: Mapping[str, Callable[[_Told], Fact]] = {
    "producer_send_success": lambda data: Answered(
        int(data["value"]), data["timestamp"],
        partition=data["partition"], offset=data["offset"],
    ),
    "producer_send_error": lambda data: Answered(
        int(data["value"]), data["timestamp"], str(data["message"]),
        data["exception"].removeprefix("class "),
    ),
    "tool_data": lambda data: Summary(data["acked"]),
    "record_data": lambda data: Delivered(
        data["topic"], data["partition"], data["offset"], int(data["value"]), data["timestamp"]
    ),
    "records_consumed": lambda data: Polled(),
    "offsets_committed": lambda data: Committed(
        {(offset["topic"], offset["partition"]): offset["offset"] for offset in data["offsets"]},
        None if data["success"] else str(data.get("error")), data["timestamp"],
    ),
    "partitions_assigned": lambda data: Assigned(_partitions(data)),
    "partitions_revoked": lambda data: Revoked(_partitions(data)),
    "placed": lambda data: Placed(data["partition"], data["offset"]),
    "stopped": lambda data: Stopped(data["why"]),
    "aborted": lambda data: Aborted(data["why"], data["count"]),
}  # fmt: skip

_OFFERED = re.compile(
    r"(\d+) TRACE KafkaProducer .*Attempting to append record ProducerRecord\(.*"
    r" value=(\d+), timestamp="
)
# SubscriptionState.maybeSeekUnvalidated; ConsumerCoordinator, CommitRequestManager.
_PLACED = re.compile(
    r"\d+ INFO \w+ .*\b(?:Resetting|Setting) offset for partition .+-(\d+) to "
    r".*FetchPosition\{offset=(\d+)"
)
_STOPPED = re.compile(r"\d+ ERROR VerifiableConsumer .*terminating consumer process: *(.*)")


_STANDING = "standing "


def fact(line: str) -> Fact | None:
    """The fact in a line. Raises `ValueError` or `KeyError` for a line that is not the tools'."""
    if line.startswith("{"):
        data = json.loads(line)
        make = _NAMED.get(data["name"])
        return make(data) if make else None
    if offered := _OFFERED.match(line):
        return Offered(int(offered[2]), int(offered[1]))
    if placed := _PLACED.match(line):
        return Placed(int(placed[1]), int(placed[2]))
    if stopped := _STOPPED.match(line):
        return Stopped(stopped[1].strip() or "the tool's log says why")
    if line.startswith(_STANDING):
        return Standing(line.removeprefix(_STANDING))
    return Going() if line == "going" else None


def at_ns(wall_ms: int, ahead_ns: int) -> int:
    """A wall clock's millisecond on the ledger's clock, which it is so far ahead of: its end.

    So nothing is told to have been known before it was.
    """
    return (wall_ms + 1) * 1_000_000 - 1 - ahead_ns


_ERRORS = "org.apache.kafka.common.errors."
_NEVER_SENT = frozenset(
    {
        # RecordAccumulator.append: no memory within max.block.ms, so there is no batch.
        "org.apache.kafka.clients.producer.BufferExhaustedException",
        # Refused by the broker's validation at every attempt, before anything is written.
        _ERRORS + "RecordTooLargeException",
        _ERRORS + "RecordBatchTooLargeException",
        _ERRORS + "InvalidRequiredAcksException",
    }
)


def outcome(answer: Answered, offered: bool) -> Outcome:
    """What an answer says of the record: `fail` only where no attempt can be in a log.

    A record that was never offered was refused before: metadata that did not come, or a value
    that is too large (KafkaProducer.doSend). Else only an error that every attempt would have met
    proves anything: the Java client, too, tells the last of its attempts alone.
    """
    if answer.exception is None:
        return "ok"
    return "fail" if not offered or answer.exception in _NEVER_SENT else "info"


def refused_by_its_end(answer: Answered) -> bool:
    """Whether the tool called a producer that it had closed: its way of ending, and no send.

    Its main thread looks for the wish to stop once a record, while its shutdown hook closes
    the producer (VerifiableProducer.main).
    """
    return answer.exception == "java.lang.IllegalStateException"


def cut_off_by_close(answer: Answered) -> bool:
    """Whether the client ended a send because the tool closes it: in the midst of `send()`
    (KafkaProducer.waitOnMetadata, RecordAccumulator.append), or in its buffer, where the limit of
    `close()` has passed (Sender.run, forced close)."""
    closed = ("Producer closed while send in progress", "Producer is closed forcefully.")
    return answer.error is not None and answer.error.startswith(closed)
