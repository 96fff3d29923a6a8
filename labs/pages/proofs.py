"""What experiments have already shown of one description, in a few words for its advice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from confluent_kafka import libversion
from django.utils import timezone

from advisor.pages.presentation import GRAVITY
from advisor.reasoning.guarantees import FORBIDS, Anomaly, Guarantee
from advisor.reasoning.pipeline import Pipeline
from advisor.templatetags.look import KINDS
from labs.engine.scenarios import find as find_scenario
from labs.models import Experiment, Run, State
from labs.pages import presentation
from labs.runs.conditions import clients_for, java_release

MOST = 3
"""So many scenarios are told of, those that were run last."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What one arm showed: the symbol and colour of `kind`, and a few words."""

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
    """Which client sends and reads in an experiment; `otherwise` is the one to choose instead."""

    name: str
    otherwise: str


def proofs(pipeline: str) -> tuple[Proof, ...]:
    """The latest experiment that is done with each scenario on a description, newest first."""
    done = Experiment.objects.filter(pipeline=pipeline, state=State.DONE, lesson="")
    latest: dict[str, Experiment] = {}
    for experiment in done.order_by("-ended_at", "-pk").prefetch_related("runs"):
        latest.setdefault(experiment.scenario, experiment)
    return tuple(_proof(each) for each in list(latest.values())[:MOST])


def sender(pipeline: Pipeline, scenario: str) -> Sender:
    """Who sends and reads when a scenario is run on a pipeline and nothing else is chosen."""
    ours = f"librdkafka {libversion()[0]}"
    staged = find_scenario(scenario)
    java = java_release(pipeline, staged)
    plays = clients_for(pipeline, staged)
    if plays is None:
        return Sender(ours, f"Java {java}" if java else "")
    return Sender(f"Kafka’s own Java client {plays}", "" if staged.client_decides else ours)


def _proof(experiment: Experiment) -> Proof:
    title = presentation.scenario_title(experiment.scenario)
    arms = tuple(_shown(experiment, run) for run in experiment.runs.all())
    ended = experiment.ended_at
    day = _day(timezone.localdate(ended), timezone.localdate()) if ended else ""
    return Proof(experiment, title, day, arms)


def _shown(experiment: Experiment, run: Run) -> Shown:
    label = presentation.label(experiment, run.name)
    if run.verdict == "broken":
        return Shown(label, *_harm(run.want, run.result.get("counts") or {}))
    if run.verdict == "holds":
        return Shown(label, "holds", "nothing forbidden was seen")
    return Shown(label, "unknown", "nothing can be concluded")


def _harm(want: str, counts: Mapping[str, Any]) -> tuple[str, str]:
    """The gravest thing that was seen, with its number; what is forbidden comes before all else."""
    forbidden = FORBIDS[Guarantee(want)] if want in set(Guarantee) else frozenset[Anomaly]()
    seen = [each for each in GRAVITY if counts.get(each)]
    if not seen:
        return "lost", "broken"
    gravest = min(seen, key=lambda each: each not in forbidden)
    kind, word = KINDS[gravest]
    return kind, f"{counts[gravest]:,} {word}"


def _day(then: date, today: date) -> str:
    return {0: "today", 1: "yesterday"}.get((today - then).days, then.isoformat())
