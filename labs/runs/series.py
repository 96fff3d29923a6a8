"""The time machine of the web: one experiment per release until the answer is known.

The verdicts so far determine the next run (`labs.runs.search`). It is decided at the end of each
run, and by the sweep of every worker, so that a dead worker does not delay a series for long. A
series has at most two experiments in the queue, within the limits that apply to all.
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
"""The most live experiments of a series: its first and its last release are both needed."""
MOST_ACTIVE = {"visitor": 1, "address": 3}
"""The most series in progress. One may occupy a machine for a quarter of an hour."""

DEFAULTS: Mapping[str, str] = {"family": "java", "topic.replication.factor": "3",
                               "need.guarantee": "at-least-once"}  # fmt: skip
"""A Java client with default settings; three copies, because brokers keep one by default."""

_WITHOUT_RESULT = (State.FAILED, State.INTERRUPTED, State.CANCELLED)
_ON_KRAFT = "Brokers with ZooKeeper have no dedicated controllers, and some were chosen."


@dataclass(frozen=True, slots=True)
class Question:
    """A scenario on a saved pipeline, on each line from the first to the last.

    Without a `seed`, one is drawn.
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
        """Returns the releases of its lines, oldest first. Raises `Refused` for fewer than two."""
        lines = [kafka_line(release) for release in reversed(all_versions())]
        if self.first not in lines or self.last not in lines:
            raise Refused(f"Choose two release lines from {lines[0]} to {lines[-1]}.")
        low, high = lines.index(self.first), lines.index(self.last)
        if low >= high:
            raise Refused("The last release line has to be newer than the first.")
        return list(reversed(all_versions()))[low : high + 1]


def start(question: Question, visitor: Visitor = NOBODY) -> Series:
    """Stores a series and queues its first runs; a double click returns the active series.

    Raises `Refused` for lines that cannot be compared, for a full queue, and if this visitor or
    address already has the maximum of active series. The pipeline and the scenario must exist.
    """
    releases = question.releases
    with transaction.atomic():
        refuse_if_full(visitor)
        active = Series.objects.filter(ended_at__isnull=True)
        request = {
            "pipeline": question.pipeline, "scenario": question.scenario, "releases": releases,
            "bisect": question.bisect, "conditions": asdict(question.conditions),
        }  # fmt: skip
        if visitor != NOBODY:
            before = active.filter(visitor=visitor.key, **request).first()
            if before is not None:
                return before
            _refuse_if_many(active.filter(visitor=visitor.key).count(), "visitor", "yours")
            at_address = active.filter(address=visitor.address).count()
            _refuse_if_many(at_address, "address", "your address")
        seed = secrets.randbelow(2**31) if question.seed is None else question.seed
        series = Series.objects.create(
            seed=seed, visitor=visitor.key, address=visitor.address, **request
        )
        follow(series.slug)
    series.refresh_from_db()
    return series


def _refuse_if_many(count: int, kind: str, owner: str) -> None:
    if count >= MOST_ACTIVE[kind]:
        raise Refused(f"A comparison of {owner} is still running. Wait for its end, or cancel it.")


def search_for(series: Series) -> Search:
    """Returns the search of a series, with patch releases for a bisection."""
    return Search(
        tuple(series.releases), series.bisect,
        {release: earlier_releases(release) for release in series.releases},
    )  # fmt: skip


def upcoming(series: Series) -> tuple[str, ...]:
    """Returns the releases to run next, given the runs so far."""
    ended = {run.kafka: _verdict(run) for run in series.experiments.all() if not run.is_live}
    return search_for(series).upcoming(dict.fromkeys(series.impossible, "") | ended)


def _verdict(experiment: Experiment) -> str:
    """Returns the verdict of its only arm; empty if it is missing or inconclusive."""
    return next((arm.verdict for arm in experiment.runs.all() if arm.judged), "")


def without_result(series: Series) -> list[Experiment]:
    """Returns its runs that ended early without a conclusive verdict; `go_on` repeats them."""
    return [
        run for run in series.experiments.all()
        if run.state in _WITHOUT_RESULT and not _verdict(run)
    ]  # fmt: skip


def may_go_on(series: Series) -> bool:
    """Whether it has ended and `go_on` would run something."""
    return not series.is_live and bool(upcoming(series) or without_result(series))


def with_runs() -> QuerySet[Series]:
    """Returns every series, with its experiments and their arms in two more queries."""
    return Series.objects.prefetch_related("experiments__runs")


@transaction.atomic
def follow(slug: str) -> None:
    """Queues the next runs of a series, or ends it. It may be called at any time, concurrently.

    A run without a result is inconclusive: other lines are still run, and a bisection ends. A full
    queue does not end the series: the sweep tries again.
    """
    active = with_runs().select_for_update().filter(ended_at__isnull=True)
    series = active.filter(slug=slug).first()
    if series is None:
        return
    described = planning.saved_pipeline(series.pipeline)
    if described is None:
        _end(series, "Today’s catalog no longer accepts these settings.")
        return
    live = {run.kafka for run in series.experiments.all() if run.is_live}
    while waiting := [release for release in upcoming(series) if release not in live]:
        if len(live) >= AT_ONCE or not _add_run(series, described, waiting[0], live):
            return
    if not live:
        _end(series)


def _add_run(series: Series, described: Pipeline, release: str, live: set[str]) -> bool:
    """Queues the run on a release, or records why it is impossible; False for a full queue."""
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
    """Returns the experiment on one release, with the defaults of its line.

    Raises `Refused`, or a `ValueError`, if the settings or the scenario do not exist there.
    """
    pipeline = planning.on_release(described, release)
    conditions = Conditions(**series.conditions)
    arm = planning.arm("described", pipeline, pipeline.requirement.guarantee)
    spec = planning.spec_for(series.scenario, series.seed, [arm], pipeline, conditions)
    if spec.instead_of:  # here no release may replace another
        raise Refused(_ON_KRAFT)
    return planning.at_release(spec, release)


def _end(series: Series, reason: str = "") -> None:
    series.ended_at, series.reason = timezone.now(), reason
    series.save(update_fields=["ended_at", "reason"])


def follow_all() -> None:
    """Calls `follow` for every active series."""
    for slug in Series.objects.filter(ended_at__isnull=True).values_list("slug", flat=True):
        follow(slug)


def ended(experiment: Experiment) -> None:
    """Continues the series of an experiment, if any; called when the experiment has ended."""
    if experiment.series is not None:
        follow(experiment.series.slug)


def cancel(series: Series, by: str) -> None:
    """Ends the series and its queued and running experiments. `by` completes "Cancelled by"."""
    with transaction.atomic():
        current = Series.objects.select_for_update().get(pk=series.pk)
        if current.ended_at is None:
            _end(current, f"Cancelled by {by}.")
        for slug in current.experiments.filter(state__in=LIVE).values_list("slug", flat=True):
            lifecycle.cancel(slug, by)


def go_on(series: Series) -> None:
    """Repeats the runs without a result, then queues the missing ones, for the series' owner.

    Raises `Refused` for a full queue.
    """
    visitor = Visitor(series.visitor, series.address)
    with transaction.atomic():
        current = with_runs().select_for_update().get(pk=series.pk)
        for run in sorted(without_result(current), key=lambda run: run.pk):
            requeue(run, visitor)
        current.ended_at, current.reason = None, ""
        current.save(update_fields=["ended_at", "reason"])
        follow(current.slug)
