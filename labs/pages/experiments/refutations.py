"""Anomalies in a visitor's experiment that the advice for its settings excludes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.core.exceptions import ObjectDoesNotExist

from advisor import services as advisor
from advisor.reasoning.failures import all_events
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.pipeline import Pipeline
from labs.calibration.table import refutable
from labs.models import Experiment, Run, State
from labs.pages.experiments import presentation
from labs.pages.sentences import COUNT_WORDS
from labs.runs import planning


@dataclass(frozen=True, slots=True)
class Refutation:
    """An anomaly of an arm, with its count, that no event in the run permits.

    Either the advice or the lab is wrong.
    """

    run: Run
    anomaly: Anomaly
    count: int

    def __str__(self) -> str:
        name = presentation.label(self.run.experiment, self.run.name)
        return f"{name}: {self.count:,} {COUNT_WORDS[self.anomaly]}."


def refutations(experiment: Experiment) -> tuple[Refutation, ...]:
    """Returns the refutations of a finished experiment on a description.

    They are computed with today's rules. An arm is skipped if it was not judged, or if today's
    rules would run it with other settings.
    """
    if experiment.state != State.DONE or not experiment.pipeline or experiment.lesson:
        return ()
    try:
        saved = advisor.find(experiment.pipeline)
        described = saved.described()
        if experiment.series_id:  # its brokers have another release than described
            described = planning.on_release(described, experiment.kafka)
        pipelines = {"described": described, "recommended": saved.recommended()}
    except (ObjectDoesNotExist, advisor.PipelineError):
        return ()
    refutations: list[Refutation] = []
    for run in experiment.runs.all():
        pipeline = pipelines.get(run.name)
        if pipeline is not None and run.judged:
            refutations += _refuted(experiment.scenario, run, pipeline)
    return tuple(refutations)


def _refuted(scenario: str, run: Run, pipeline: Pipeline) -> Iterator[Refutation]:
    event = next((event for event in all_events() if event.scenario == scenario), None)
    if event is None or run.settings != advisor.in_force(pipeline):
        return
    for anomaly in sorted(refutable(event, pipeline)):
        if count := run.counts.get(anomaly):
            yield Refutation(run, anomaly, count)
