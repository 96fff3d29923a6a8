"""Trials of the advisor: runs edges of its model on real brokers, stores and reads the results."""

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

    They are one trial, or two if the sides are lines of brokers: an experiment has one line.
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
    # In one transaction with the claim, so that no worker sees it in the queue.
    arms = tuple(arm(name, side) for name, side in sides.items())
    side = next(iter(sides.values()))
    spec = ExperimentSpec(
        edge.event.scenario, seed, arms, release(side.kafka),
        streams=planning.streams_for(side),
    )  # fmt: skip
    stored = admission.store(spec)
    claimed = lifecycle.claim(stored.slug, stored.attempt, owners.new())
    if claimed is None:
        raise RuntimeError("an experiment that is not visible to others was claimed")
    component, setting = edge.key
    pipelines = {name: advisor.to_data(pipeline) for name, pipeline in sides.items()}
    return Trial.objects.create(
        experiment=claimed, event=edge.event.name, component=component.value, setting=setting,
        pipelines=pipelines, code=dict(fingerprint(edge.event.scenario)),
    )  # fmt: skip


def arm(name: str, side: Pipeline) -> ArmSpec:
    """Returns one side of an edge as an arm of an experiment."""
    # No guarantee is wanted, so that every anomaly is counted.
    return ArmSpec(name, advisor.in_force(side))


def observed(trials: Iterable[Trial] | None = None) -> list[Observed]:
    """Returns the judged arms of these trials, or of all stored ones, oldest first.

    Arms with the verdict `unknown` are skipped, and so are those whose pipeline the catalog no
    longer accepts, because the advisor cannot judge them.
    """
    rows = Trial.objects.select_related("experiment").prefetch_related("experiment__runs")
    if trials is not None:
        rows = rows.filter(pk__in=[trial.pk for trial in trials])
    finished = rows.filter(experiment__state=State.DONE).order_by("pk")
    arms = ((trial, run) for trial in finished for run in trial.experiment.runs.all())
    return [seen for trial, run in arms for seen in _observed(trial, run)]


def comparison() -> Comparison:
    """Returns the comparison of today's advisor with every stored trial."""
    finished = Trial.objects.filter(experiment__state=State.DONE).order_by("pk")
    newest = finished.values_list("experiment__slug", flat=True).last()
    return _comparison(finished.count(), newest, *_sized(settings.LAB_RECORD))


def warm() -> None:
    """Computes the predictions for all shipped runs, before a page needs them."""
    release_predictions(*_sized(settings.LAB_RECORD))


def _sized(record: Path) -> tuple[Path, int]:
    """Returns a record and its size, which are the cache key of its predictions."""
    return record, record.stat().st_size if record.exists() else 0


@lru_cache(maxsize=2)
def _comparison(count: int, newest: str | None, record: Path, size: int) -> Comparison:
    return table.compare_predicted(
        [*table.predicted(observed()), *release_predictions(record, size)]
    )


@lru_cache(maxsize=2)
def release_predictions(record: Path, size: int) -> list[Predicted]:
    """Returns the predictions of today's advisor for each run of a record of this size.

    Cached separately from local runs: it takes most of a second, and they do not change it.
    """
    return table.predicted(shipped(record))


def scenarios_staged() -> list[Staged]:
    """Returns the results of each scenario in the shipped record."""
    return _staged(*_sized(settings.LAB_STAGED_RECORD))


@lru_cache(maxsize=2)
def _staged(record: Path, size: int) -> list[Staged]:
    return staged(record)


def local_counts() -> dict[str, list[dict[str, int | None]]]:
    """Returns the counts of every judged arm on this installation, by scenario."""
    runs = Run.objects.filter(experiment__state=State.DONE, verdict__in=JUDGED)
    results: dict[str, list[dict[str, int | None]]] = {}
    for scenario, counts in runs.values_list("experiment__scenario", "result__counts"):
        results.setdefault(scenario, []).append(counts or {})
    return results


def shipped(record: Path) -> list[Observed]:
    """Returns the judged runs of a record, as shown on the evidence page.

    Runs that today's catalog or failures do not know are skipped.
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
    origin = f"{run.date}, Kafka {kafka}, {run.clients}{_code(run.code)}"
    yield Observed(
        run.event, pipeline, frozenset(map(Anomaly, run.seen)), " ".join(stated), "", origin,
        older=run.code != fingerprint(run.scenario),
    )  # fmt: skip


def _code(code: Mapping[str, str]) -> str:
    return f", code {short_form(code)}" if code else ""


def unjudged(trials: Iterable[Trial]) -> list[tuple[Experiment, str]]:
    """Returns the experiments of these trials with an arm that was not judged, and the reasons."""
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
