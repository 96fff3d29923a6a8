"""The grade of each attempt, computed from its run whenever it is shown."""

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

_MOST_ATTEMPTS = 200
"""The number of attempts of a visitor that are read, the newest first."""


@dataclass(frozen=True, slots=True)
class Graded:
    """An attempt with its grade, which is None as long as there is nothing to grade: the run has
    not ended, or there is no answer. `changes` are the settings that differ from the start."""

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
    """Returns an attempt with its grade; None if the challenge no longer exists."""
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
        return Grade(UNKNOWN, "The run of this attempt was removed.")
    if experiment.state != State.DONE:
        return None
    run = next((run for run in experiment.runs.all() if run.name == challenge.arm), None)
    if run is None:
        return Grade(UNKNOWN, "The run of this attempt has no such settings.")
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
    """Returns the visitor's attempts at one challenge or at all, the newest first."""
    key = visitors.existing_key(request)
    if not key:
        return []
    result = Attempt.objects.filter(visitor=key).select_related("experiment")
    if challenge is not None:
        result = result.filter(challenge=challenge.name)
    return list(result.prefetch_related("experiment__runs")[:_MOST_ATTEMPTS])


def best(attempts: Iterable[Graded]) -> Graded | None:
    """Returns the passed attempt with the fewest changes; the oldest of equal ones."""
    passed: Sequence[Graded] = [grade for grade in attempts if grade.passed]
    return min(passed, key=lambda item: (item.score, item.attempt.pk), default=None)


def give_up(request: HttpRequest, challenge: Challenge) -> None:
    """Records that the visitor wants to see the optimum."""
    GivenUp.objects.get_or_create(visitor=visitors.key(request), challenge=challenge.name)


def gave_up(request: HttpRequest, challenge: Challenge) -> bool:
    """Whether the visitor may see the optimum without having solved the challenge."""
    return challenge.name in given_up(request)


def given_up(request: HttpRequest) -> set[str]:
    """Returns the names of the challenges that the visitor gave up."""
    key = visitors.existing_key(request)
    rows = GivenUp.objects.filter(visitor=key).values_list("challenge", flat=True)
    return {*rows} if key else set()
