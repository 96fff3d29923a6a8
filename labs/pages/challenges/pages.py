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
"""Numbers on the drawing stand at least so far apart."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One step on the drawing of the schedule, with its place on the axis."""

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
    """One challenge in the list, with the visitor's own best and whether they tried it."""

    challenge: Challenge
    best: Graded | None
    tried: bool


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
    """The date of the daily challenge: that of UTC, so that it is one for everybody."""
    return timezone.now().date()


def listed(request: HttpRequest) -> dict[str, Any]:
    """Every challenge by level, and the one of today."""
    mine: dict[str, list[Graded]] = {}
    for attempt in challenge_grades.tries(request):
        one = challenge_grades.graded(attempt)
        if one is not None:
            mine.setdefault(attempt.challenge, []).append(one)
    levels = {number: Level(number, words) for number, words in LEVELS.items()}
    for challenge in all_challenges():
        own = mine.get(challenge.name, [])
        levels[challenge.level].rows.append(Row(challenge, challenge_grades.best(own), bool(own)))
    return {"levels": list(levels.values()), "daily": daily_challenge(today(), all_challenges()),
            "day": today()}  # fmt: skip


def context(request: HttpRequest, challenge: Challenge) -> dict[str, Any]:
    """The page of one challenge."""
    tries = challenge_grades.tries(request, challenge)
    own = [one for one in map(challenge_grades.graded, tries) if one is not None]
    last, best = (own[0] if own else None), challenge_grades.best(own)
    open_ = best is not None or challenge_grades.gave_up(request, challenge)
    results: dict[str, Any] = {
        "challenge": challenge,
        "lesson": challenge,  # the parts that it shares with a lesson leave links out
        "drawing": drawing(challenge),
        "daily": daily_challenge(today(), all_challenges()) == challenge,
        "day": today(),
        "graded": last,
        "best": best,
        "after": next((other for other in all_challenges() if other.order > challenge.order), None),
        "tries": len(own),
        "is_open": open_,
        "verified": verified(challenge.name),
        "hides_why": challenge.is_forensics and not open_,
        "optimum": _known_answers(challenge) if open_ else None,
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
    """Where the brokers of a run wrote what they say."""
    return run.experiment.folder / run.name / "logs"


def _evidence(experiment: Experiment, challenge: Challenge) -> dict[str, Any]:
    """Of a recording: what its brokers said, and its log around each change of the leader."""
    run = next((run for run in experiment.runs.all() if run.name == challenge.arm), None)
    if run is None or not challenge.is_forensics:
        return {}
    return {
        "log_lines": dump.notable(logs_folder(run), TOPIC),
        "broker_logs": list(dump.broker_logs(logs_folder(run))),
        "dumped": dump.around_jumps(run.ledger),
    }


def result_context(request: HttpRequest, one: Graded) -> dict[str, Any]:
    """The page behind a share link: settings and result, for everybody."""
    results: dict[str, Any] = {"challenge": one.challenge, "lesson": one.challenge, "graded": one}
    if one.attempt.experiment is not None:
        results |= experiment_context(request, one.attempt.experiment.slug)
    return results


def _known_answers(challenge: Challenge) -> dict[str, tuple[Change, ...] | str]:
    """The optimum's changes and why; of a case, nothing: the causes explain themselves."""
    pipeline, _ = described(challenge, challenge.with_levers(challenge.optimum))
    changed = changes(challenge, pipeline) if pipeline else ()
    return {"changes": changed, "why": challenge.optimum.why}


def drawing(challenge: Challenge) -> Drawing:
    """The schedule on the settings of the start."""
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
