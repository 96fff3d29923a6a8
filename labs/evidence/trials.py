"""Trials of the advisor: an edge of its model run on real brokers, kept, and read back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.db import transaction

from advisor import services as advisor
from advisor.reasoning.failures import all_events
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.pipeline import Pipeline
from labs.calibration import table
from labs.calibration.edges import LINE, Edge
from labs.calibration.fingerprint import fingerprint, short_form
from labs.calibration.record import Explored, Record
from labs.calibration.staged import Staged, staged
from labs.calibration.table import Comparison, Observed, Predicted
from labs.engine.cluster.properties import SHORTENED
from labs.engine.distributions.distribution import release
from labs.engine.plan.spec import ArmSpec, ExperimentSpec
from labs.engine.run.result import JUDGED
from labs.models import Experiment, Run, State, Trial
from labs.runs import admission, lifecycle, owners, planning, worker

SIDES = ("one-side", "other-side")
"""The names of a trial's arms."""


def carry_out(edge: Edge, seed: int, judge_socket: Path) -> list[Trial]:
    """Runs both sides of an edge in this process, under the scenario of its event.

    They are one trial, and two where the sides are lines of brokers: an experiment has one.
    """
    sides = dict(zip(SIDES, edge.sides, strict=True))
    parts = [{name: side} for name, side in sides.items()] if edge.key == LINE else [sides]
    ran = []
    for part in parts:
        trial = _claimed(edge, part, seed)
        worker.carry_out(trial.experiment, judge_socket)
        trial.experiment.refresh_from_db()
        ran.append(trial)
    return ran


@transaction.atomic
def _claimed(edge: Edge, sides: Mapping[str, Pipeline], seed: int) -> Trial:
    # In one transaction with the claim: no worker sees it waiting.
    arms = tuple(arm(name, side) for name, side in sides.items())
    side = next(iter(sides.values()))
    spec = ExperimentSpec(
        edge.event.scenario, seed, arms, release(side.kafka),
        streams=planning.streams_for(side),
    )  # fmt: skip
    stored = admission.store(spec)
    claimed = lifecycle.claim(stored.slug, stored.attempt, owners.new())
    if claimed is None:
        raise RuntimeError("an experiment that nobody else can see was taken away")
    component, setting = edge.key
    pipelines = {name: advisor.to_data(pipeline) for name, pipeline in sides.items()}
    return Trial.objects.create(
        experiment=claimed, event=edge.event.name, component=component.value, setting=setting,
        pipelines=pipelines, code=dict(fingerprint(edge.event.scenario)),
    )  # fmt: skip


def arm(name: str, side: Pipeline) -> ArmSpec:
    """One side of an edge as an experiment runs it."""
    # No guarantee is wanted: every anomaly is to be counted, and none is to be excused.
    return ArmSpec(name, advisor.in_force(side))


def observed(trials: Iterable[Trial] | None = None) -> list[Observed]:
    """What these trials saw, or all that are kept: arms that were judged, oldest first.

    An arm whose verdict is `unknown` says nothing. Nor does one whose pipeline the catalog no
    longer takes: it cannot be asked what the advisor says of it.
    """
    kept = Trial.objects.select_related("experiment").prefetch_related("experiment__runs")
    if trials is not None:
        kept = kept.filter(pk__in=[trial.pk for trial in trials])
    done = kept.filter(experiment__state=State.DONE).order_by("pk")
    arms = ((trial, run) for trial in done for run in trial.experiment.runs.all())
    return [seen for trial, run in arms for seen in _observed(trial, run)]


def comparison() -> Comparison:
    """Today's advisor compared with every trial that is kept."""
    done = Trial.objects.filter(experiment__state=State.DONE).order_by("pk")
    newest = done.values_list("experiment__slug", flat=True).last()
    return _comparison(done.count(), newest, *_sized(settings.LAB_RECORD))


def warm() -> None:
    """Asks the advisor of all runs that came with the release, before a page has to."""
    release_predictions(*_sized(settings.LAB_RECORD))


def _sized(record: Path) -> tuple[Path, int]:
    """A record with its bytes: what was made of it is kept as long as it has so many."""
    return record, record.stat().st_size if record.exists() else 0


@lru_cache(maxsize=2)
def _comparison(count: int, newest: str | None, record: Path, size: int) -> Comparison:
    return table.compare_predicted(
        [*table.predicted(observed()), *release_predictions(record, size)]
    )


@lru_cache(maxsize=2)
def release_predictions(record: Path, size: int) -> list[Predicted]:
    """What today's advisor says of each run of a record of this size in bytes.

    Cached apart from own runs: it takes most of a second, and own runs do not change it.
    """
    return table.predicted(shipped(record))


def scenarios_staged() -> list[Staged]:
    """What each scenario showed, by the record that came with the release."""
    return _staged(*_sized(settings.LAB_STAGED_RECORD))


@lru_cache(maxsize=2)
def _staged(record: Path, size: int) -> list[Staged]:
    return staged(record)


def local_counts() -> dict[str, list[dict[str, int | None]]]:
    """By scenario, the counts of every arm that was judged on this installation."""
    done = Run.objects.filter(experiment__state=State.DONE, verdict__in=JUDGED)
    results: dict[str, list[dict[str, int | None]]] = {}
    for scenario, counts in done.values_list("experiment__scenario", "result__counts"):
        results.setdefault(scenario, []).append(counts or {})
    return results


def shipped(record: Path) -> list[Observed]:
    """What the runs of a record saw that say something, as they stand on the evidence page.

    Left out is one of which today's catalog or failures know nothing.
    """
    return [seen for run in Record(record).runs if run.judged for seen in _shipped(run)]


def _shipped(run: Explored) -> Iterable[Observed]:
    staged = {(event.name, event.scenario) for event in all_events()}
    pipeline = _read(json.dumps(run.pipeline, sort_keys=True))
    if pipeline is None or (run.event, run.scenario) not in staged:
        return
    stated = (
        f"{name}={json.dumps(value) if isinstance(value, bool) else value}"
        for part in run.pipeline["settings"].values()
        for name, value in part.items()
        if name not in SHORTENED
    )
    kafka = run.versions.get("kafka", run.pipeline["kafka"])
    where = f"{run.date}, Kafka {kafka}, {run.clients}{_code(run.code)}"
    yield Observed(
        run.event, pipeline, frozenset(map(Anomaly, run.seen)), " ".join(stated), "", where,
        older=run.code != fingerprint(run.scenario),
    )  # fmt: skip


def _code(code: Mapping[str, str]) -> str:
    return f", code {short_form(code)}" if code else ""


def unjudged(trials: Iterable[Trial]) -> list[tuple[Experiment, str]]:
    """The experiments of these trials that say nothing, or only half of it, and why."""
    results = []
    for trial in trials:
        experiment = trial.experiment
        reasons = [
            f"{run.name}: {run.result.get('reason', '')}"
            for run in experiment.runs.all()
            if not run.judged
        ]
        if experiment.state != State.DONE or reasons:
            results.append((experiment, experiment.reason or " ".join(reasons)))
    return results


def _observed(trial: Trial, run: Run) -> Iterable[Observed]:
    pipeline = _read(json.dumps(trial.pipelines.get(run.name), sort_keys=True))
    if pipeline is None or not run.judged:
        return
    seen = frozenset(anomaly for anomaly in Anomaly if run.counts.get(anomaly))
    experiment = trial.experiment
    day = f"{experiment.ended_at:%Y-%m-%d}, " if experiment.ended_at else ""
    yield Observed(
        trial.event, pipeline, seen, trial.label(run.name), experiment.get_absolute_url(),
        f"{day}Kafka {experiment.kafka}{_code(trial.code)}",
        older=trial.code != fingerprint(experiment.scenario),
    )  # fmt: skip


@lru_cache(maxsize=2048)
def _read(text: str) -> Pipeline | None:
    try:
        return advisor.from_data(json.loads(text))
    except advisor.PipelineError:
        return None
