"""The grade of each try, worked out from its run whenever it is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.http import HttpRequest

from labs.challenges import (
    PASSED,
    UNKNOWN,
    Challenge,
    Grade,
    Played,
    find,
    grade,
    grade_case,
)
from labs.challenges.levers import Change, changes, described, stated
from labs.models import Attempt, GivenUp, State
from labs.runs import visitors

_MOST_TRIES = 200
"""Of a visitor's tries so many are looked at, the newest first."""


@dataclass(frozen=True, slots=True)
class Graded:
    """A try with its grade; None as long as there is nothing to grade: it runs, or nothing was
    answered yet. `changes` are the settings that stand otherwise than at the start."""

    attempt: Attempt
    challenge: Challenge
    grade: Grade | None
    changes: tuple[Change, ...]

    @property
    def passed(self) -> bool:
        return self.grade is not None and self.grade.state == PASSED

    @property
    def score(self) -> int:
        """The number of changes, or of answers in a case of forensics: fewer is better."""
        if self.challenge.is_forensics:
            return int(self.attempt.answer.get("tries", 0))
        return len(self.changes)


def graded(attempt: Attempt) -> Graded | None:
    """None for a challenge that is no longer in the house."""
    try:
        challenge = find(attempt.challenge)
    except LookupError:
        return None
    pipeline, _ = described(challenge, attempt.levers)
    changed = changes(challenge, pipeline) if pipeline else ()
    return Graded(attempt, challenge, _grade(attempt, challenge), changed)


def _grade(attempt: Attempt, challenge: Challenge) -> Grade | None:
    experiment = attempt.experiment
    if experiment is None:
        return Grade(UNKNOWN, "The run of this try was removed.")
    if experiment.state != State.DONE:
        return None
    run = next((run for run in experiment.runs.all() if run.name == challenge.arm), None)
    if run is None:
        return Grade(UNKNOWN, "The run of this try has no such settings.")
    played = Played.from_result(run.result)
    if challenge.is_forensics:
        answer = attempt.answer
        if "cause" not in answer:
            return None
        return grade_case(
            challenge, played, answer["cause"], answer["message"], answer.get("harmed")
        )
    pipeline, problems = described(challenge, attempt.levers)
    if pipeline is None:
        text = "; ".join(problem.message for problem in problems)
        return Grade(UNKNOWN, f"These settings are no longer accepted: {text}")
    return grade(challenge, played, stated(challenge, pipeline))


def tries(request: HttpRequest, challenge: Challenge | None = None) -> list[Attempt]:
    """The visitor's own tries, at one challenge or at all, the newest first."""
    key = visitors.existing_key(request)
    if not key:
        return []
    result = Attempt.objects.filter(visitor=key).select_related("experiment")
    if challenge is not None:
        result = result.filter(challenge=challenge.name)
    return list(result.prefetch_related("experiment__runs")[:_MOST_TRIES])


def best(graded_tries: Iterable[Graded]) -> Graded | None:
    """The passed try with the fewest changes; of equal ones the oldest."""
    passed: Sequence[Graded] = [grade for grade in graded_tries if grade.passed]
    return min(passed, key=lambda item: (item.score, item.attempt.pk), default=None)


def give_up(request: HttpRequest, challenge: Challenge) -> None:
    """Remembers that the visitor wants to see the optimum."""
    GivenUp.objects.get_or_create(visitor=visitors.key(request), challenge=challenge.name)


def gave_up(request: HttpRequest, challenge: Challenge) -> bool:
    """Whether the optimum may be shown without having solved it."""
    key = visitors.existing_key(request)
    mine = GivenUp.objects.filter(visitor=key, challenge=challenge.name)
    return bool(key) and mine.exists()
