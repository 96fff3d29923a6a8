"""The time machine of the web: an experiment a release, one after the other, to the answer.

What is run next follows from the verdicts so far (`labs.runs.search`). It is decided at the end of
each run, and by the sweep of every worker, so that a worker that dies holds nothing up for long.
A series has two experiments at most in the queue, under the limits of all others.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from advisor.catalog import kafka_line
from advisor.reasoning.pipeline import Pipeline
from labs.engine.distributions.distribution import all_versions, earlier_releases
from labs.engine.plan.spec import ExperimentSpec
from labs.models import LIVE, Experiment, Series, State
from labs.runs import lifecycle, planning
from labs.runs.admission import enqueue, refuse_if_full, requeue
from labs.runs.conditions import AS_THE_SCENARIO, Conditions
from labs.runs.planning import Refused
from labs.runs.search import Search
from labs.runs.visitors import NOBODY, Visitor

AT_ONCE = 2
"""Experiments of one series that wait or run: its first and its last release are both needed."""
MOST_GOING = {"visitor": 1, "address": 3}
"""Series that go on at once. One may hold a machine for a quarter of an hour."""

DEFAULTS: Mapping[str, str] = {"family": "java", "topic.replication.factor": "3",
                               "need.guarantee": "at-least-once"}  # fmt: skip
"""A Java client whose settings were all left alone; brokers keep one copy unless told otherwise."""

_WITHOUT_RESULT = (State.FAILED, State.INTERRUPTED, State.CANCELLED)
_ON_KRAFT = "Brokers with ZooKeeper have no dedicated controllers, and some were chosen."


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: a scenario on a saved pipeline, on each line from the first to the last.

    Without a `seed` one is drawn.
    """

    pipeline: str
    scenario: str
    first: str
    last: str
    bisect: bool = True
    conditions: Conditions = AS_THE_SCENARIO
    seed: int | None = None

    @property
    def releases(self) -> list[str]:
        """The releases of its lines, oldest first. Raises `Refused` for fewer than two."""
        lines = [kafka_line(release) for release in reversed(all_versions())]
        if self.first not in lines or self.last not in lines:
            raise Refused(f"Choose two release lines from {lines[0]} to {lines[-1]}.")
        low, high = lines.index(self.first), lines.index(self.last)
        if low >= high:
            raise Refused("The last release line has to be newer than the first.")
        return list(reversed(all_versions()))[low : high + 1]


def start(question: Question, visitor: Visitor = NOBODY) -> Series:
    """Stores a series and queues its first runs; for a double click the one that goes on.

    Raises `Refused` for lines that cannot be compared, for a full queue, and where this visitor or
    address has as many series going on as it may. The pipeline and the scenario have to exist.
    """
    releases = question.releases
    with transaction.atomic():
        refuse_if_full(visitor)
        going = Series.objects.filter(ended_at__isnull=True)
        asked = {
            "pipeline": question.pipeline, "scenario": question.scenario, "releases": releases,
            "bisect": question.bisect, "conditions": asdict(question.conditions),
        }  # fmt: skip
        if visitor != NOBODY:
            before = going.filter(visitor=visitor.key, **asked).first()
            if before is not None:
                return before
            _refuse_if_many(going.filter(visitor=visitor.key).count(), "visitor", "yours")
            of_address = going.filter(address=visitor.address).count()
            _refuse_if_many(of_address, "address", "your address")
        seed = secrets.randbelow(2**31) if question.seed is None else question.seed
        series = Series.objects.create(
            seed=seed, visitor=visitor.key, address=visitor.address, **asked
        )
        follow(series.slug)
    series.refresh_from_db()
    return series


def _refuse_if_many(count: int, whose: str, words: str) -> None:
    if count >= MOST_GOING[whose]:
        raise Refused(f"A comparison of {words} is still going on. Wait for its end, or cancel it.")


def search_for(series: Series) -> Search:
    """What a series asks for; patch releases are among it where it bisects."""
    return Search(
        tuple(series.releases), series.bisect,
        {release: earlier_releases(release) for release in series.releases},
    )  # fmt: skip


def upcoming(series: Series) -> tuple[str, ...]:
    """The releases that have to be run next, given what was run."""
    ended = {run.kafka: _verdict(run) for run in series.experiments.all() if not run.is_live}
    return search_for(series).upcoming(dict.fromkeys(series.impossible, "") | ended)


def _verdict(experiment: Experiment) -> str:
    """What its only arm was judged; empty where it was not, or the verdict says nothing."""
    return next((arm.verdict for arm in experiment.runs.all() if arm.judged), "")


def without_result(series: Series) -> list[Experiment]:
    """Its runs that ended early without a verdict that says something: `go_on` runs them again."""
    return [
        run for run in series.experiments.all()
        if run.state in _WITHOUT_RESULT and not _verdict(run)
    ]  # fmt: skip


def may_go_on(series: Series) -> bool:
    """Whether it is over and `go_on` would run something."""
    return not series.is_live and bool(upcoming(series) or without_result(series))


def with_runs() -> QuerySet[Series]:
    """Every series, with its experiments and their arms in two more queries."""
    return Series.objects.prefetch_related("experiments__runs")


@transaction.atomic
def follow(slug: str) -> None:
    """Queues what a series needs next, or ends it; safe to be called at any time, by many.

    A run without a result says nothing: other lines are still run, and a bisection ends. A full
    queue does not end it: the sweep asks again.
    """
    going = with_runs().select_for_update().filter(ended_at__isnull=True)
    series = going.filter(slug=slug).first()
    if series is None:
        return
    described = planning.saved_pipeline(series.pipeline)
    if described is None:
        _end(series, "Today’s catalog does not take these settings any more.")
        return
    live = {run.kafka for run in series.experiments.all() if run.is_live}
    while waiting := [release for release in upcoming(series) if release not in live]:
        if len(live) >= AT_ONCE or not _took(series, described, waiting[0], live):
            return
    if not live:
        _end(series)


def _took(series: Series, described: Pipeline, release: str, live: set[str]) -> bool:
    """Queues the run on a release, or notes why there can be none; False for a full queue."""
    try:
        spec = spec_on(series, described, release)
    except (Refused, ValueError) as cannot:
        series.impossible = {**series.impossible, release: str(cannot)}
        series.save(update_fields=["impossible"])
        return True
    try:
        visitor = Visitor(series.visitor, series.address)
        experiment = enqueue(spec, series.pipeline, "", visitor, is_one_of_many=True)
    except Refused:
        return False
    Experiment.objects.filter(pk=experiment.pk).update(series=series)
    live.add(release)
    return True


def spec_on(series: Series, described: Pipeline, release: str) -> ExperimentSpec:
    """The experiment on one release, with the defaults of its line.

    Raises `Refused`, or a `ValueError`, where the settings or the scenario do not exist there.
    """
    pipeline = planning.on_release(described, release)
    conditions = Conditions(**series.conditions)
    arm = planning.arm("described", pipeline, pipeline.requirement.guarantee)
    spec = planning.spec_for(series.scenario, series.seed, [arm], pipeline, conditions)
    if spec.instead_of:  # a release stands for itself here, or for nothing
        raise Refused(_ON_KRAFT)
    return planning.at_release(spec, release)


def _end(series: Series, reason: str = "") -> None:
    series.ended_at, series.reason = timezone.now(), reason
    series.save(update_fields=["ended_at", "reason"])


def follow_all() -> None:
    """`follow` of every series that goes on."""
    for slug in Series.objects.filter(ended_at__isnull=True).values_list("slug", flat=True):
        follow(slug)


def ended(experiment: Experiment) -> None:
    """To be called when an experiment has ended: goes on with the series that it is of, if any."""
    if experiment.series is not None:
        follow(experiment.series.slug)


def cancel(series: Series, by: str) -> None:
    """Starts no other run and ends those that wait or run. `by` completes "Cancelled by"."""
    with transaction.atomic():
        mine = Series.objects.select_for_update().get(pk=series.pk)
        if mine.ended_at is None:
            _end(mine, f"Cancelled by {by}.")
        for slug in mine.experiments.filter(state__in=LIVE).values_list("slug", flat=True):
            lifecycle.cancel(slug, by)


def go_on(series: Series) -> None:
    """Runs again what reached no result, and then what is missing, for whom it belongs to.

    Raises `Refused` for a full queue.
    """
    visitor = Visitor(series.visitor, series.address)
    with transaction.atomic():
        mine = with_runs().select_for_update().get(pk=series.pk)
        for run in sorted(without_result(mine), key=lambda run: run.pk):
            requeue(run, visitor)
        mine.ended_at, mine.reason = None, ""
        mine.save(update_fields=["ended_at", "reason"])
        follow(mine.slug)
