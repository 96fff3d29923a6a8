"""Faults and heals in plain words: one line per event."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

BY_STATE = frozenset({"paused", "dead", "killed", "terminated", "failed", "impaired", "detached"})
"""Roles that follow from an earlier fault: `dead: broker 1` is written as `broker 1`."""

Fault = Literal[
    "kill", "pause", "terminate", "wipe", "cut_tail", "read_only", "detach", "throttle", "limit",
    "cut", "slow", "sever",
    "hold", "fail", "spoil", "join", "misdate",
    "delete", "forget", "widen", "refuse", "reassign", "recreate",
    "resume", "restart", "mend", "mend-copies", "create",
    "run",
]  # fmt: skip
"""Faults of brokers and their links, of clients, and of topics and groups; heals; and `run`, which
records a process that froze by itself (`labs.engine.run.watch`), and only ever fails."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words for a fault: a sentence about its target, and a short mark on a plot.

    A fault that `heals` ends another one, and never counts as evidence of a fault.
    """

    sentence: str
    mark: str
    heals: bool = False


WORDS: Mapping[str, Words] = {
    "kill": Words("{} was killed", "killed"),
    "pause": Words("{} was paused", "paused"),
    "terminate": Words("{} was stopped in an orderly way", "stopped"),
    "wipe": Words("{} lost its disk", "disk lost"),
    "cut_tail": Words("{} lost what it had not flushed", "unflushed lost"),
    "read_only": Words("The disk of {} failed", "disk fails"),
    "detach": Words("{} lost one of its log directories", "directory fails"),
    "throttle": Words("Copying was throttled for {}", "throttled"),
    "limit": Words("What {} may write was limited", "limited"),
    "cut": Words("{} was cut off", "cut off"),
    "slow": Words("The links of {} became slow", "slowed"),
    "sever": Words("The connections of {} were broken", "disconnected"),
    "hold": Words("{} was held", "held"),
    "fail": Words("The work of {} failed", "fails"),
    "spoil": Words("{} met a message that cannot be processed", "meets a bad message"),
    "join": Words("{} joined", "joins"),
    "misdate": Words("The clock of {} was ahead", "clock ahead"),
    "delete": Words("Records were deleted from {}", "records deleted"),
    "forget": Words("The committed offsets of {} were deleted", "position deleted"),
    "widen": Words("{} got one more partition", "gets a partition"),
    "recreate": Words("{} was deleted and created again", "created again"),
    "refuse": Words("{} refused every record", "refuses every record"),
    "reassign": Words("A copy in sync of {} was reassigned away", "reassigned"),
    "resume": Words("{} was resumed", "resumed", heals=True),
    "restart": Words("{} was started again", "restarted", heals=True),
    "mend": Words("{} was repaired", "repaired", heals=True),
    "mend-copies": Words("{} was reassigned to more brokers", "reassigned", heals=True),
    "create": Words("{} was created without a replication factor", "created", heals=True),
    "run": Words("{} froze by itself", "froze"),
}
"""One row for each `Fault`."""
HEALS = frozenset(fault for fault, words in WORDS.items() if words.heals)


@dataclass(frozen=True, slots=True)
class FaultEvent:
    """A fault or heal: its time (seconds, None if unknown), its words, and its proof.

    `state` is `done`, `begun`, `failed` (it was not seen to happen) or `left` (these settings leave
    nothing to do).
    """

    at_s: float | None
    text: str
    proof: str
    state: str


_STATES: Mapping[str, str] = {
    "invoke": "begun", "complete": "done", "failed": "failed", "not_applicable": "left",
}  # fmt: skip


def sentence(fault: str, target: str) -> str:
    """A fault as a sentence: `pause`, `follower: broker 2` → `Follower broker 2 was paused`."""
    role, _, name = target.partition(": ")
    if not name:
        subject = target
    elif role in BY_STATE or name.startswith(role):
        subject = name
    else:
        subject = f"{role} {name}"
    words = WORDS.get(fault)
    text = (words.sentence if words else "{} " + fault).format(subject)
    return f"{text[:1].upper()}{text[1:]}"


def mark(fault: str, target: str) -> str:
    """A fault as a short mark on a plot: `kill`, `leader: broker 3` → `leader killed`."""
    role, short = target.partition(": ")[0], WORDS[fault].mark if fault in WORDS else fault
    return short if role in BY_STATE else f"{role} {short}".strip()


def events(rows: Sequence[Mapping[str, Any]]) -> tuple[FaultEvent, ...]:
    """The events of fault rows (`fault`, `target`, `phase`, `evidence`, `at_s`), in order.

    A fault that began and ended is one event, at its end.
    """
    return tuple(_events(rows))


def _events(rows: Sequence[Mapping[str, Any]]) -> Iterator[FaultEvent]:
    for at, row in enumerate(rows):
        if row["phase"] == "invoke" and _ended(row, rows[at + 1 :]):
            continue
        yield FaultEvent(
            row.get("at_s"),
            sentence(str(row["fault"]), str(row["target"])),
            str(row.get("evidence") or ""),
            _STATES.get(str(row["phase"]), "done"),
        )


def _ended(row: Mapping[str, Any], later: Sequence[Mapping[str, Any]]) -> bool:
    same = (other for other in later if other["fault"] == row["fault"])
    return any(other["target"] == row["target"] and other["phase"] != "invoke" for other in same)
