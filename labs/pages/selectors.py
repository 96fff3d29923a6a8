"""Database queries for pages: places in the queue, usual times, evidence, the latest loss."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from statistics import median

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from labs.engine.run.result import JUDGED
from labs.evidence import lesson_record
from labs.evidence.waits import Wait
from labs.lessons import find
from labs.models import LIVE, Experiment, Run, State
from labs.pages.pace import Pace, pace, usual

FALLBACK_S = 45.0
"""Seconds from start to verdict on 2 cores, for as many arms as may run at a time; used until this
installation has its own runs."""

_EARLIER = 9
"""The number of earlier experiments in the median of the usual time."""

_TO_COMPARE = 20


@dataclass(frozen=True, slots=True)
class Evidence:
    """The number of runs of a scenario with the same settings, and of those with a loss.

    `broken` is the number of runs with anything that their guarantee forbids.
    """

    runs: int
    with_loss: int
    broken: int = 0


def recent() -> QuerySet[Experiment]:
    """Returns the experiments, newest first, with their runs; without plays of incidents."""
    staged = Experiment.objects.filter(is_incident=False)
    return staged.select_related("trial").prefetch_related("runs")


def plays(incident: str) -> QuerySet[Experiment]:
    """Returns the plays of an incident, by its slug, newest first, with their sides."""
    played = Experiment.objects.filter(is_incident=True, scenario=incident)
    return played.prefetch_related("runs")


def place_in_queue(experiment: Experiment) -> int:
    """Returns the place of an experiment in the queue: 1 for the next."""
    earlier = Q(queued_at__lt=experiment.queued_at) | Q(
        queued_at=experiment.queued_at, pk__lt=experiment.pk
    )
    return Experiment.objects.filter(earlier, state=State.QUEUED).count() + 1


def oldest_running() -> Experiment | None:
    """Returns the experiment that has run longest, whose place is likely to be free first."""
    running = Experiment.objects.filter(state=State.RUNNING).prefetch_related("runs")
    return running.order_by("started_at").first()


def places_in_queue() -> dict[str, int]:
    """Returns the place of each queued experiment, by slug."""
    waiting = Experiment.objects.filter(state=State.QUEUED).order_by("queued_at", "pk")
    return {slug: place for place, slug in enumerate(waiting.values_list("slug", flat=True), 1)}


def usual_s(experiment: Experiment) -> float:
    """Returns the median seconds of the latest experiments with this scenario and as many arms."""
    arms, wait = len(experiment.spec["arms"]), proved(experiment.lesson)
    return usual_for_s(experiment.scenario, arms, wait.verdict_s if wait else FALLBACK_S)


def proved(lesson: str) -> Wait | None:
    """Returns the longest wait for an arm in the proofs of a lab; None if it was not measured."""
    with suppress(LookupError):  # an experiment outside the labs, or of one that was removed
        return lesson_record.wait(find(lesson), lesson_record.read(settings.LAB_LESSON_RECORD))
    return None


def usual_for_s(scenario: str, arms: int, fallback_s: float = FALLBACK_S) -> float:
    """Returns the same for an experiment that has not been requested yet."""
    experiments = Experiment.objects.filter(scenario=scenario, state=State.DONE)
    times = [
        (experiment.ended_at - experiment.started_at).total_seconds()
        for experiment in experiments.order_by("-ended_at")[: 4 * _EARLIER]
        if experiment.ended_at and experiment.started_at and len(experiment.spec["arms"]) == arms
    ]
    rounds = math.ceil(arms / settings.LAB_CLUSTERS_AT_ONCE)
    return median(times[:_EARLIER]) if times else fallback_s * rounds


def paces(experiment: Experiment) -> dict[str, Pace]:
    """Returns the pace of each unfinished arm of a running experiment, by name."""
    if experiment.state != State.RUNNING or experiment.started_at is None:
        return {}
    runs = Run.objects.filter(
        experiment__scenario=experiment.scenario, experiment__state=State.DONE
    ).order_by("-experiment__ended_at")
    starts = [live.get("began", {}) for live in runs.values_list("live", flat=True)[:_EARLIER]]
    times = usual(starts)
    now, started = timezone.now().timestamp(), experiment.started_at.timestamp()
    return {
        run.name: pace(
            run.phase, run.live.get("began", {}), now - run.live.get("axis_at", started), times
        )
        for run in experiment.runs.all()
        if run.phase != "done"
    }


def time_to_run(experiment: Experiment) -> str:
    """Returns the expected duration of a queued experiment, in words."""
    return f"about {math.ceil(usual_s(experiment))} s once it starts"


def repetitions(run: Run) -> QuerySet[Run]:
    """Returns judged runs of finished experiments with the same scenario, release and settings.
    They are ordered newest first, and include the run itself once it is judged."""
    return Run.objects.filter(
        settings_key=run.settings_key,
        experiment__scenario=run.experiment.scenario,
        experiment__kafka=run.experiment.kafka,
        experiment__state=State.DONE,
        verdict__in=JUDGED,
    ).order_by("-experiment__ended_at", "-pk")


def evidence(run: Run) -> Evidence:
    """Returns the numbers of losses and of broken guarantees among a run's repetitions."""
    same = repetitions(run)
    # SQLite compares a JSON null ("not judged") as the text 'null', which exceeds any number.
    effects = Q(result__counts__effect_missing__gt=0) & ~Q(result__counts__effect_missing=None)
    lost = Q(result__counts__lost_write__gt=0) | effects
    broken = same.filter(verdict="broken").count()
    return Evidence(same.count(), same.filter(lost).count(), broken)


def unfinished_repetitions(experiment: Experiment) -> int:
    """Returns the number of live experiments with the same first arm."""
    first = experiment.runs.all()[0]
    return (
        Run.objects.filter(
            settings_key=first.settings_key,
            position=first.position,
            experiment__scenario=experiment.scenario,
            experiment__state__in=LIVE,
        )
        .values("experiment")
        .distinct()
        .count()
    )


def to_compare(experiment: Experiment) -> list[Experiment]:
    """Returns the latest other finished experiments, those with the same scenario first."""
    finished = recent().filter(state=State.DONE).exclude(pk=experiment.pk)
    same = list(finished.filter(scenario=experiment.scenario)[:_TO_COMPARE])
    others = finished.exclude(scenario=experiment.scenario)[: _TO_COMPARE - len(same)]
    return [*same, *others]


def latest_loss() -> Run | None:
    """Returns the newest run on this installation that lost acknowledged messages.

    Runs with acks=0 are skipped: without acknowledgements they are a poor first example.
    """
    return (
        Run.objects.filter(
            experiment__state=State.DONE, verdict="broken", result__counts__lost_write__gt=0
        )
        .exclude(settings__producer__acks__in=("0", 0))
        .select_related("experiment")
        .order_by("-experiment__ended_at", "position")
        .first()
    )
