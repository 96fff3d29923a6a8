"""Grades a run of a challenge, with the reason in one sentence that has the run's numbers.

A run that was not judged, or that lacks a required number, has neither passed nor failed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.reasoning.plural import counted
from labs.challenges.model import MUST_HOLD, P99, Challenge, Condition
from labs.engine.run.result import JUDGED
from spark_jobs.count_table import TABLE

PASSED, FAILED, UNKNOWN = "passed", "failed", "unknown"
_MOST_NAMED = 3
"""The number of failures that a sentence names; it only counts the others."""


@dataclass(frozen=True, slots=True)
class Played:
    """The result of a run: the judge's verdict and reason, and its numbers by name."""

    verdict: str
    reason: str
    numbers: Mapping[str, int | None]

    @classmethod
    def from_result(cls, result: Mapping[str, Any]) -> Played:
        """Returns the values from an arm's result in the engine's format."""
        latency = (result.get("ack_latency_ms") or {}).get("p99")
        numbers = {**(result.get("counts") or {}), P99: None if latency is None else round(latency)}
        return cls(
            str(result.get("verdict") or "unknown"), str(result.get("reason") or ""), numbers
        )


@dataclass(frozen=True, slots=True)
class Stated:
    """The visitor's settings: the number of changes from the start, and the advisor's judgement.

    `open_failures` are the failures in which the advisor still permits a forbidden anomaly.
    """

    changes: int
    open_failures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Grade:
    """`passed`, `failed` or `unknown`, and the reason."""

    state: str
    why: str


def grade(challenge: Challenge, played: Played, stated: Stated) -> Grade:
    """Returns the grade of a run with the visitor's settings."""
    if played.verdict not in JUDGED:
        return Grade(UNKNOWN, f"Nothing can be concluded from this run: {_ended(played.reason)}")
    seen = {
        condition.count: played.numbers.get(condition.count) for condition in challenge.conditions
    }
    missing = [
        condition.label for condition in challenge.conditions if seen[condition.count] is None
    ]
    if missing:
        return Grade(UNKNOWN, f"This run did not count: {', '.join(missing)}.")
    text = "; ".join(_outcome(condition, played) for condition in challenge.conditions)
    if not all(condition.met(seen[condition.count] or 0) for condition in challenge.conditions):
        return Grade(FAILED, f"{text}.")
    if challenge.kind in MUST_HOLD and played.verdict != "holds":
        return Grade(FAILED, f"{text}. But {challenge.want} was broken: {_harm(played)}")
    if challenge.kind == "golf":
        return _golf(challenge, text, stated)
    return Grade(PASSED, f"{text}.")


def _golf(challenge: Challenge, text: str, stated: Stated) -> Grade:
    if stated.open_failures:
        return Grade(
            FAILED,
            f"{text} in this run, but by the advice {challenge.want} is not kept in: "
            f"{_some(stated.open_failures)}.",
        )
    changes = counted(stated.changes, "change")
    if stated.changes > challenge.fewest:
        words = f"{text}, with {changes}. The advisor needs {challenge.fewest}."
        return Grade(FAILED, words)
    return Grade(PASSED, f"{text}, with {changes}, as few as the advisor needs.")


def grade_case(
    challenge: Challenge, played: Played, cause: str, message: int, harmed: bool | None
) -> Grade:
    """Returns the grade of an answer in a case of forensics.

    `harmed` says whether the ledger shows the harm of the case in that message; None if the
    ledger is gone.
    """
    shown = grade(challenge, played, Stated(0))
    if shown.state != PASSED:
        return Grade(UNKNOWN, f"The recording shows no harm to explain. {shown.why}")
    if harmed is None:
        return Grade(
            UNKNOWN, "The ledger of the recording is gone, so no message can be looked up."
        )
    right = cause == challenge.cause
    if right and harmed:
        return Grade(
            PASSED, f"The cause is right, and message {message:,} is one of them. {shown.why}"
        )
    wrong = [] if right else ["that is not the cause"]
    wrong += [] if harmed else [f"message {message:,} is not one of them"]
    return Grade(FAILED, f"Not yet: {', and '.join(wrong)}. {shown.why}")


def _outcome(condition: Condition, played: Played) -> str:
    """Returns a result in words: `985 acknowledged and gone of 10,000 (asked for: none)`."""
    seen, ok = played.numbers[condition.count], played.numbers.get("ok")
    total = f" of {ok:,}" if condition.count == "lost_write" and ok is not None else ""
    return f"{seen:,} {condition.label}{total} (asked for: {condition.bounds})"


def _harm(played: Played) -> str:
    seen = [
        f"{played.numbers[count.name]:,} {count.label}"
        for count in TABLE
        if count.harm and played.numbers.get(count.name)
    ]
    return f"{'; '.join(seen)}." if seen else _ended(played.reason)


def _some(names: Sequence[str]) -> str:
    """Returns the first names, and the number of the others."""
    more = len(names) - _MOST_NAMED
    return "; ".join(names[:_MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")


def _ended(text: str) -> str:
    text = text.strip() or "no reason was recorded"
    return text if text.endswith((".", "!", "?")) else f"{text}."
