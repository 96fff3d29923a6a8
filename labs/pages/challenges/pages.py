"""The content of the pages of a challenge, from its file and the visitor's attempts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from advisor import services as advisor
from labs.challenges import LEVELS, Challenge, all_challenges, daily_challenge
from labs.challenges.levers import Change, changes, described
from labs.challenges.record import verified
from labs.challenges.schedule import Plan, Step, plan
from labs.engine.record import dump
from labs.engine.scenarios.model import TOPIC
from labs.models import Experiment, Run, State
from labs.pages.challenges import grades as challenge_grades
from labs.pages.challenges.forms import CaseForm, LeverForm
from labs.pages.challenges.grades import Graded
from labs.pages.experiments import replays
from labs.pages.experiments.views import experiment_context

_WIDTH, _MARGIN = 400.0, 10.0
_APART = 16.0
"""The minimum distance between numbers on the drawing."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One step on the drawing of the schedule, with its position on the axis."""

    number: int
    x: float
    step: Step


@dataclass(frozen=True, slots=True)
class Drawing:
    """The schedule: the faults and heals, numbered, on an axis of seconds."""

    marks: tuple[Mark, ...]
    seconds: float
    brokers: int


@dataclass(frozen=True, slots=True)
class Row:
    """One challenge in the list, with the visitor's best attempt, if any."""

    challenge: Challenge
    best: Graded | None
    tried: bool
    gave_up: bool


@dataclass(frozen=True, slots=True)
class Level:
    """The challenges of one level."""

    number: int
    words: str
    rows: list[Row] = field(default_factory=list)

    @property
    def solved(self) -> int:
        return sum(row.best is not None for row in self.rows)


def today() -> date:
    """Returns the date of the daily challenge, in UTC, so that it is the same for everybody."""
    return timezone.now().date()


def listed(request: HttpRequest) -> dict[str, Any]:
    """Returns the context of the list: every challenge by level, and the one of today."""
    by_challenge: dict[str, list[Graded]] = {}
    for attempt in challenge_grades.tries(request):
        graded = challenge_grades.graded(attempt)
        if graded is not None:
            by_challenge.setdefault(attempt.challenge, []).append(graded)
    levels = {number: Level(number, words) for number, words in LEVELS.items()}
    given_up = challenge_grades.given_up(request)
    for challenge in all_challenges():
        attempts = by_challenge.get(challenge.name, [])
        best, gave_up = challenge_grades.best(attempts), challenge.name in given_up
        levels[challenge.level].rows.append(Row(challenge, best, bool(attempts), gave_up))
    return {"levels": list(levels.values()), "daily": daily_challenge(today(), all_challenges()),
            "day": today()}  # fmt: skip


def context(request: HttpRequest, challenge: Challenge) -> dict[str, Any]:
    """Returns the context of the page of one challenge."""
    tries = challenge_grades.tries(request, challenge)
    all_graded = [graded for graded in map(challenge_grades.graded, tries) if graded is not None]
    last, best = (all_graded[0] if all_graded else None), challenge_grades.best(all_graded)
    is_open = best is not None or challenge_grades.gave_up(request, challenge)
    results: dict[str, Any] = {
        "challenge": challenge,
        "lesson": challenge,  # the parts that it shares with a lesson omit links
        "drawing": drawing(challenge),
        "daily": daily_challenge(today(), all_challenges()) == challenge,
        "day": today(),
        "graded": last,
        "best": best,
        "after": next((item for item in all_challenges() if item.order > challenge.order), None),
        "tries": len(all_graded),
        "is_open": is_open,
        "verified": verified(challenge.name),
        "hides_why": challenge.is_forensics and not is_open,
        "optimum": _optimum(challenge) if is_open else None,
        "form": LeverForm(challenge, last.attempt.levers if last else challenge.start()),
        "case": CaseForm(challenge, {}),
    }
    if last is not None and last.attempt.experiment is not None:
        results |= experiment_context(request, last.attempt.experiment.slug)
        if last.attempt.experiment.state == State.DONE:
            results["replays"] = replays.arms(last.attempt.experiment)
            results |= _evidence(last.attempt.experiment, challenge)
    return results


def logs_folder(run: Run) -> Path:
    """Returns the folder with the logs of the brokers of a run."""
    return run.experiment.folder / run.name / "logs"


def _evidence(experiment: Experiment, challenge: Challenge) -> dict[str, Any]:
    """Returns the evidence of a recording: broker logs, and records around leader changes."""
    run = next((run for run in experiment.runs.all() if run.name == challenge.arm), None)
    if run is None or not challenge.is_forensics:
        return {}
    return {
        "log_lines": dump.notable(logs_folder(run), TOPIC),
        "broker_logs": list(dump.broker_logs(logs_folder(run))),
        "dumped": dump.around_jumps(run.ledger),
    }


def result_context(request: HttpRequest, graded: Graded) -> dict[str, Any]:
    """Returns the context of the page of a share link: settings and result, for everybody."""
    results: dict[str, Any] = {
        "challenge": graded.challenge,
        "lesson": graded.challenge,
        "graded": graded,
    }
    if graded.attempt.experiment is not None:
        results |= experiment_context(request, graded.attempt.experiment.slug)
    return results


def _optimum(challenge: Challenge) -> dict[str, tuple[Change, ...] | str]:
    """Returns the changes of the optimum and the reason; both are empty for a case."""
    pipeline, _ = described(challenge, challenge.with_levers(challenge.optimum))
    changed = changes(challenge, pipeline) if pipeline else ()
    return {"changes": changed, "why": challenge.optimum.why}


def drawing(challenge: Challenge) -> Drawing:
    """Returns the schedule with the settings of the start."""
    pipeline, problems = described(challenge, challenge.start())
    if pipeline is None:
        raise ValueError(f"{challenge.name}: {problems}")  # refused while loading
    schedule = plan(challenge.scenario, advisor.in_force(pipeline), challenge.staging)
    return Drawing(tuple(_marks(schedule)), schedule.seconds, schedule.brokers)


def _marks(plan: Plan) -> Sequence[Mark]:
    marks: list[Mark] = []
    scale = (_WIDTH - 2 * _MARGIN) / (plan.seconds or 1)
    for number, step in enumerate(plan.steps, 1):
        x = _MARGIN + step.at_s * scale
        if marks:
            x = max(x, marks[-1].x + _APART)
        marks.append(Mark(number, round(x, 1), step))
    return marks
