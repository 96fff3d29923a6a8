"""The results of experiments on one description, in a few words, for its advice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from confluent_kafka import libversion
from django.utils import timezone

from advisor.reasoning.guarantees import FORBIDS, GRAVITY, Anomaly, Guarantee
from advisor.reasoning.pipeline import Pipeline
from advisor.templatetags.look import KINDS
from labs.engine.scenarios import ScenarioError
from labs.engine.scenarios import find as find_scenario
from labs.engine.scenarios.model import Scenario
from labs.models import Experiment, Run, State
from labs.pages.experiments import presentation
from labs.runs.conditions import clients_for, java_release
from labs.runs.planning import saved_pipeline

_LIBRDKAFKA = f"librdkafka {libversion()[0]}"
MOST = 3
"""The number of scenarios in the list, the latest run first."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The outcome of one arm in a few words; `kind` is its symbol and colour."""

    label: str
    kind: str
    words: str


@dataclass(frozen=True, slots=True)
class Proof:
    """The latest experiment with one scenario; `day` is when it ended."""

    experiment: Experiment
    title: str
    day: str
    arms: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class Sender:
    """The clients of an experiment, in words; `otherwise` is the client to choose instead, or
    empty."""

    description: str
    otherwise: str


def proofs(pipeline: str) -> tuple[Proof, ...]:
    """Returns the latest finished experiment of each scenario on a description, newest first.

    Series are excluded, since they ran on other releases than the described one.
    """
    experiments = Experiment.objects.filter(
        pipeline=pipeline, state=State.DONE, lesson="", series__isnull=True
    )
    latest: dict[str, Experiment] = {}
    for experiment in experiments.order_by("-ended_at", "-pk").prefetch_related("runs"):
        latest.setdefault(experiment.scenario, experiment)
    return tuple(_proof(experiment) for experiment in list(latest.values())[:MOST])


def sender(pipeline: Pipeline, scenario: str) -> Sender:
    """Returns the clients of a scenario on a pipeline, if nothing else is chosen."""
    staged = find_scenario(scenario)
    java = clients_for(pipeline, staged)
    otherwise = _LIBRDKAFKA if java and not staged.client_decides else ""
    return Sender(_summary(staged.workload, java), otherwise)


def sent(experiment: Experiment) -> Sender | None:
    """Returns the clients of an experiment; None if its scenario no longer exists."""
    try:
        staged = find_scenario(experiment.scenario)
    except ScenarioError:
        return None
    java = experiment.spec.get("java_clients")
    otherwise = _alternative(experiment, staged, java) if experiment.pipeline else ""
    return Sender(_summary(staged.workload, java), otherwise)


def _alternative(experiment: Experiment, staged: Scenario, java: str | None) -> str:
    if staged.client_decides:
        return ""
    if java:
        return _LIBRDKAFKA
    described = saved_pipeline(experiment.pipeline)
    release = java_release(described, staged) if described else None
    return f"Java {release}" if release else ""


def _summary(workload: str, java: str | None) -> str:
    """Returns a workload in words; `java` is the release of its Java clients, if any."""
    if workload.startswith("streams"):
        return "A Kafka Streams application reads and writes, with these settings"
    if workload == "spark-query":
        return "A Spark query reads, with your options"
    if workload.startswith("spark"):
        return "A Spark query sends, with your options"
    client = f"Kafka’s own Java client {java}" if java else _LIBRDKAFKA
    return f"{client} sends and reads, with these settings"


def _proof(experiment: Experiment) -> Proof:
    title = presentation.scenario_title(experiment.scenario)
    arms = tuple(_shown(experiment, run) for run in experiment.runs.all())
    ended = experiment.ended_at
    day = _day(timezone.localdate(ended), timezone.localdate()) if ended else ""
    return Proof(experiment, title, day, arms)


def _shown(experiment: Experiment, run: Run) -> Shown:
    return Shown(presentation.label(experiment, run.name), *gravest(run))


def gravest(run: Run) -> tuple[str, str]:
    """Returns the outcome of an arm: (kind, words)."""
    if run.verdict == "broken":
        return _harm(run.want, run.result.get("counts") or {})
    if run.verdict == "holds":
        return "holds", "nothing forbidden was seen"
    return "unknown", "nothing can be concluded"


def _harm(want: str, counts: Mapping[str, Any]) -> tuple[str, str]:
    """Returns the gravest anomaly with its count; forbidden ones come first."""
    forbidden = FORBIDS[Guarantee(want)] if want in set(Guarantee) else frozenset[Anomaly]()
    seen = [anomaly for anomaly in GRAVITY if counts.get(anomaly)]
    if not seen:
        return "lost", "broken"
    gravest = min(seen, key=lambda anomaly: anomaly not in forbidden)
    kind, word = KINDS[gravest]
    return kind, f"{counts[gravest]:,} {word}"


def _day(then: date, today: date) -> str:
    return {0: "today", 1: "yesterday"}.get((today - then).days, then.isoformat())
