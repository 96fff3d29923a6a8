"""What pages ask the database: places, usual times, evidence, the latest loss."""

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
"""From start to verdict, for as many arms as may run at once, on 2 cores; used until this
installation has runs of its own."""

_EARLIER = 9
"""How many earlier experiments the usual time is the median of."""

_TO_COMPARE = 20


@dataclass(frozen=True, slots=True)
class Evidence:
    """How often one scenario was run with the same settings, and how often a loss was seen.

    `broken` counts the runs in which anything was seen that their guarantee forbids.
    """

    runs: int
    with_loss: int
    broken: int = 0


def recent() -> QuerySet[Experiment]:
    """Experiments, newest first, with their runs; plays of incidents have pages of their own."""
    staged = Experiment.objects.filter(is_incident=False)
    return staged.select_related("trial").prefetch_related("runs")


def plays(incident: str) -> QuerySet[Experiment]:
    """The plays of an incident by its address, newest first, with their sides."""
    played = Experiment.objects.filter(is_incident=True, scenario=incident)
    return played.prefetch_related("runs")


def place_in_queue(experiment: Experiment) -> int:
    """1 for the experiment that is next."""
    earlier = Q(queued_at__lt=experiment.queued_at) | Q(
        queued_at=experiment.queued_at, pk__lt=experiment.pk
    )
    return Experiment.objects.filter(earlier, state=State.QUEUED).count() + 1


def oldest_running() -> Experiment | None:
    """The experiment that has run for longest, whose place is likely to be free first."""
    running = Experiment.objects.filter(state=State.RUNNING).prefetch_related("runs")
    return running.order_by("started_at").first()


def places_in_queue() -> dict[str, int]:
    """The place of each experiment that waits, by its name."""
    waiting = Experiment.objects.filter(state=State.QUEUED).order_by("queued_at", "pk")
    return {slug: place for place, slug in enumerate(waiting.values_list("slug", flat=True), 1)}


def usual_s(experiment: Experiment) -> float:
    """The median time, in seconds, of the latest experiments on this scenario with as many arms."""
    arms, wait = len(experiment.spec["arms"]), proved(experiment.lesson)
    return usual_for_s(experiment.scenario, arms, wait.verdict_s if wait else FALLBACK_S)


def proved(lesson: str) -> Wait | None:
    """The longest that an arm of a lab took when it was proved; None if nobody measured."""
    with suppress(LookupError):  # an experiment outside the labs, or of one that was removed
        return lesson_record.wait(find(lesson), lesson_record.read(settings.LAB_LESSON_RECORD))
    return None


def usual_for_s(scenario: str, arms: int, fallback_s: float = FALLBACK_S) -> float:
    """The same for an experiment that was not requested yet."""
    done = Experiment.objects.filter(scenario=scenario, state=State.DONE)
    times = [
        (other.ended_at - other.started_at).total_seconds()
        for other in done.order_by("-ended_at")[: 4 * _EARLIER]
        if other.ended_at and other.started_at and len(other.spec["arms"]) == arms
    ]
    rounds = math.ceil(arms / settings.LAB_CLUSTERS_AT_ONCE)
    return median(times[:_EARLIER]) if times else fallback_s * rounds


def paces(experiment: Experiment) -> dict[str, Pace]:
    """How far each arm of a running experiment is, by its name; without those that are done."""
    if experiment.state != State.RUNNING or experiment.started_at is None:
        return {}
    done = Run.objects.filter(
        experiment__scenario=experiment.scenario, experiment__state=State.DONE
    ).order_by("-experiment__ended_at")
    earlier = [live.get("began", {}) for live in done.values_list("live", flat=True)[:_EARLIER]]
    times = usual(earlier)
    now, started = timezone.now().timestamp(), experiment.started_at.timestamp()
    return {
        run.name: pace(
            run.phase, run.live.get("began", {}), now - run.live.get("axis_at", started), times
        )
        for run in experiment.runs.all()
        if run.phase != "done"
    }


def time_to_run(experiment: Experiment) -> str:
    """How long an experiment that waits will take, as far as can be said."""
    return f"about {math.ceil(usual_s(experiment))} s once it starts"


def repetitions(run: Run) -> QuerySet[Run]:
    """Judged runs of done experiments with the same scenario, release and settings, newest first;
    the run itself is among them once it is judged."""
    return Run.objects.filter(
        settings_key=run.settings_key,
        experiment__scenario=run.experiment.scenario,
        experiment__kafka=run.experiment.kafka,
        experiment__state=State.DONE,
        verdict__in=JUDGED,
    ).order_by("-experiment__ended_at", "-pk")


def evidence(run: Run) -> Evidence:
    """How often a loss was seen in a run's repetitions, and how often a broken guarantee."""
    same = repetitions(run)
    # SQLite compares a JSON null, which is "not judged", as the text 'null', beyond any number.
    effects = Q(result__counts__effect_missing__gt=0) & ~Q(result__counts__effect_missing=None)
    lost = Q(result__counts__lost_write__gt=0) | effects
    broken = same.filter(verdict="broken").count()
    return Evidence(same.count(), same.filter(lost).count(), broken)


def unfinished_repetitions(experiment: Experiment) -> int:
    """How many experiments with the same first arm wait or run."""
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
    """The latest other experiments that are done, those of the same scenario first."""
    others = recent().filter(state=State.DONE).exclude(pk=experiment.pk)
    same = list(others.filter(scenario=experiment.scenario)[:_TO_COMPARE])
    rest = others.exclude(scenario=experiment.scenario)[: _TO_COMPARE - len(same)]
    return [*same, *rest]


def latest_loss() -> Run | None:
    """The newest run on this installation in which acknowledged messages were lost.

    Runs with acks=0 are left out: without acknowledgements they are a poor first example.
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
