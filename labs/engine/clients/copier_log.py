"""What Kafka's TransactionalMessageCopier does, line by line, as facts.

Pure: a line in, a fact out, or None for a line that tells nothing here. The tool itself prints
sums alone. But its clients log what they do (`labs.engine.programs.tools` has them do so): where
each partition is read from, each record as it is handed to the producer, the offsets that join the
transaction, and every step of the transaction's state. All of it is said in the tool's one thread,
but for the end of a transaction, which that thread waits for
(tools/…/TransactionalMessageCopier.java, KafkaProducer.AppendCallbacks.setPartition,
TransactionManager.transitionTo; the words are the same in the releases 3.3 to 4.3).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from labs.engine.clients import verifiable
from labs.engine.clients.verifiable import Assigned, Placed


@dataclass(frozen=True, slots=True)
class Copied:
    """A record of a partition was handed to the producer; a copy goes to the same partition."""

    partition: int
    value: int
    time_ns: int


@dataclass(frozen=True, slots=True)
class Joined:
    """The offsets behind all that was copied join the transaction, by partition."""

    offsets: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Turned:
    """The transaction has another state, as the client names it; `why` for one after an error."""

    state: str
    time_ns: int
    why: str = ""


Fact = Assigned | Placed | Copied | Joined | Turned

_COPIED = re.compile(
    r"(\d+) TRACE KafkaProducer .*Attempting to append record ProducerRecord\("
    r"topic=\S+, partition=(\d+), .* value=(\d+), timestamp="
)
_TURNED = re.compile(
    r"(\d+) \w+ TransactionManager .*Transition from state \w+ to (?:error state )?(\w+)\s*(.*)"
)
_JOINED = re.compile(r"\d+ DEBUG TransactionManager .*Begin adding offsets \{(.*)\} for consumer")
_OFFSET = re.compile(r"-(\d+)=OffsetAndMetadata\{offset=(\d+)")
_ASSIGNED = re.compile(r"\d+ INFO \w+ .*Adding newly assigned partitions:(.*)")
_TAKEN = re.compile(
    r"\d+ INFO \w+ .*(?:Revoke previously|Giving away all|Lost previously) assigned partitions"
)
_SOUGHT = re.compile(r"\d+ INFO \w+ .*Seeking to offset (\d+) for partition \S+-(\d+)")
_PARTITION = re.compile(r"-(\d+)\b")


def fact(line: str) -> Fact | None:
    """The fact that a line of the log states. `Assigned` names all partitions held from then on."""
    if line.startswith("{"):
        return None
    if copied := _COPIED.match(line):
        return Copied(int(copied[2]), int(copied[3]), int(copied[1]))
    if turned := _TURNED.match(line):
        return Turned(turned[2], int(turned[1]), turned[3])
    if joined := _JOINED.match(line):
        return Joined({int(number): int(offset) for number, offset in _OFFSET.findall(joined[1])})
    return _place(line)


def _place(line: str) -> Fact | None:
    if assigned := _ASSIGNED.match(line):
        return Assigned(frozenset(map(int, _PARTITION.findall(assigned[1]))))
    if _TAKEN.match(line):
        return Assigned(frozenset())
    if sought := _SOUGHT.match(line):
        return Placed(int(sought[2]), int(sought[1]))
    transaction = verifiable.fact(line)
    return transaction if isinstance(transaction, Placed) else None
