"""What was done to brokers and clients, in plain words: an event a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

BY_STATE = frozenset({"paused", "dead", "killed", "terminated", "failed", "impaired"})
"""Roles that only repeat what was done before: `dead: broker 1` is just broker 1."""

_SAID: Mapping[str, str] = {
    "kill": "{} was killed",
    "pause": "{} stood still",
    "terminate": "{} was stopped in an orderly way",
    "wipe": "{} lost its disk",
    "cut_tail": "{} lost what it had not flushed",
    "read_only": "The disk of {} failed",
    "throttle": "Copying was throttled for {}",
    "cut": "{} was cut off",
    "slow": "The links of {} became slow",
    "sever": "The connections of {} were broken",
    "hold": "{} was held",
    "fail": "The work of {} failed",
    "spoil": "{} met a message that cannot be processed",
    "join": "{} joined",
    "delete": "Records were deleted from {}",
    "forget": "The committed offsets of {} were deleted",
    "widen": "{} got one more partition",
    "refuse": "{} refused every record",
    "resume": "{} went on",
    "restart": "{} was started again",
    "mend": "{} was repaired",
    "run": "{} stood still by itself",
}


@dataclass(frozen=True, slots=True)
class FaultEvent:
    """One thing that was done: when (seconds, None if that is not known), in words, and the proof.

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
    """`pause` of `follower: broker 2` → `Follower broker 2 stood still`."""
    role, _, name = target.partition(": ")
    if not name:
        named = target
    elif role in BY_STATE or name.startswith(role):
        named = name
    else:
        named = f"{role} {name}"
    said = _SAID.get(fault, "{} " + fault).format(named)
    return f"{said[:1].upper()}{said[1:]}"


def events(rows: Sequence[Mapping[str, Any]]) -> tuple[FaultEvent, ...]:
    """The events of fault rows (`fault`, `target`, `phase`, `evidence`, `at_s`), in order.

    One that began and ended is one event, at its end.
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
    same = (each for each in later if each["fault"] == row["fault"])
    return any(each["target"] == row["target"] and each["phase"] != "invoke" for each in same)
