"""Experiments in every state for tests, with results in the engine's format."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from labs.lessons import all_lessons
from labs.lessons.classroom import Stage
from labs.models import Classroom, Experiment, Run, Series, State, settings_key
from spark_jobs.count_table import COUNTS
from tests.engine import histories

SCENARIO = "leader-killed-followers-behind"
START_NS = 5_000_000_000
SETTINGS = {"producer": {"acks": "1", "linger.ms": 5}, "topic": {"min.insync.replicas": 2}}


def result(verdict: str = "broken", **counts: int | None) -> dict[str, Any]:
    """The result of one arm: 10,000 acknowledged in 4 seconds, 985 of them lost by default."""
    lost = 0 if verdict == "holds" else 985
    by_name: dict[str, Any] = dict.fromkeys(COUNTS, 0) | {
        **dict.fromkeys(("effect_missing", "effect_duplicated")),  # a run without a sink
        "sent": 10_000,
        "ok": 10_000,
        "lost_write": lost,
    }
    if verdict == "unknown":
        by_name = dict.fromkeys(COUNTS)
    buckets = [
        {"t_ms": 200 * i, "sent": 500, "ok": 500, "fail": 0, "info": 0,
         "lost": lost if i == 5 else 0, "delivered": 450}
        for i in range(20) if i not in (7, 8)
    ]  # fmt: skip
    return {
        "verdict": verdict,
        "reason": "it was so",
        "counts": {**by_name, **counts},
        "examples": {"lost_write": [{"value": 17, "offset": 17}]} if lost else {},
        "unavailable_ms": 400,
        "ack_latency_ms": {"p50": 1.0, "p99": 2.0, "max": 9.0},
        "timeline": None if verdict == "unknown" else
        {"bucket_ms": 200, "start_ns": START_NS, "buckets": buckets},
        "fault_evidence": [
            {"fault": "kill", "target": "leader: broker 1", "phase": "complete",
             "evidence": "pid 4711 gone", "at_s": 4.0},
        ],
        "versions": {"kafka": "4.3.1", "java": "17.0.1"},
        "machine": {"cores": 2},
        "shortened": [{"setting": "broker broker.session.timeout.ms", "lab": 3000,
                       "product": 9000, "why": "fails over sooner"}],
        "notes": [],
        "axis_began_ns": START_NS - 3_000_000_000,
    }  # fmt: skip


def experiment(
    state: State = State.QUEUED, *verdicts: str, settings: Any = None, **fields: Any
) -> Experiment:
    """An experiment with two arms, whose results have these verdicts in order."""
    now = timezone.now()
    names = ("described", "recommended")
    times: dict[str, Any] = {"queued_at": now - timedelta(seconds=60)}
    if state != State.QUEUED:
        times["started_at"] = now - timedelta(seconds=50)
    if state == State.RUNNING:
        times |= {"owner": "somebody", "heartbeat_at": now}
    elif state != State.QUEUED:
        times["ended_at"] = now - timedelta(seconds=10)
    arms = [{"name": name, "settings": settings or SETTINGS} for name in names]
    spec = {"scenario": SCENARIO, "seed": 7, "kafka": "4.3.1", "arms": arms, "overrides": {}}
    created = Experiment.objects.create(
        **{"scenario": SCENARIO, "seed": 7, "kafka": "4.3.1", "spec": spec, "state": state,
           **times, **fields}
    )  # fmt: skip
    for position, name in enumerate(names):
        verdict = verdicts[position] if position < len(verdicts) else ""
        run(created, position, name, verdict, settings or SETTINGS)
    return created


def run(experiment: Experiment, position: int, name: str, verdict: str, settings: Any) -> Run:
    return Run.objects.create(
        experiment=experiment, name=name, position=position, want="at-least-once",
        settings=settings, settings_key=settings_key(settings), verdict=verdict,
        phase="done" if verdict else "", result=result(verdict) if verdict else {},
    )  # fmt: skip


def age(experiment: Experiment, **seconds: float) -> None:
    """Moves timestamps of an experiment into the past: `heartbeat_at=20` is twenty seconds ago."""
    past = {name: timezone.now() - timedelta(seconds=ago) for name, ago in seconds.items()}
    Experiment.objects.filter(pk=experiment.pk).update(**past)


def end(experiment: Experiment, state: State) -> None:
    """Ends an experiment at the time at which it was queued."""
    Experiment.objects.filter(pk=experiment.pk).update(
        started_at=experiment.queued_at, ended_at=experiment.queued_at, state=state
    )


def recorded() -> Experiment:
    """A finished experiment with a small ledger of its first arm (tests/engine/histories)."""
    finished = experiment(State.DONE, "broken", "holds")
    described = finished.runs.get(name="described")
    histories.lost_at_the_end_of_a_log(described.ledger)
    described.result["timeline"]["start_ns"] = histories.BEGAN
    described.result["axis_began_ns"] = histories.BEGAN
    described.result["examples"] = {"lost_write": [{"value": histories.LOST, "copies": 0}]}
    described.save()
    return finished


def one_in_each_state() -> list[Experiment]:
    """A finished experiment with a ledger, and one in each other state."""
    return [recorded(), *(experiment(state) for state in State if state != State.DONE)]


def recorded_in_two_partitions() -> Experiment:
    """Like `recorded`, with a second partition."""
    finished = recorded()
    histories.second_partition(finished.runs.get(name="described").ledger)
    return finished


def series(*verdicts: str, pipeline: str, state: State = State.DONE, **fields: Any) -> Series:
    """A series over the releases of 3.9 to 4.3. The first of them have these verdicts."""
    created = Series.objects.create(
        **{"pipeline": pipeline, "scenario": SCENARIO, "seed": 7, "bisect": False,
           "releases": ["3.9.2", "4.0.2", "4.1.2", "4.2.1", "4.3.1"], **fields}
    )  # fmt: skip
    for release, verdict in zip(created.releases, verdicts, strict=False):
        run = experiment(state, verdict, kafka=release, series=created, pipeline=pipeline)
        run.runs.filter(position=1).delete()
        run.spec = {**run.spec, "kafka": release, "arms": run.spec["arms"][:1]}
        run.save(update_fields=["spec"])
    return created


def series_in_each_state(pipeline: str) -> list[Series]:
    """A series whose verdict changes, a cancelled one, and one in progress."""
    now = timezone.now()
    done = series("broken", "holds", "holds", "unknown", "holds", pipeline=pipeline, ended_at=now)
    cancelled = series("", pipeline=pipeline, state=State.CANCELLED, ended_at=now,
                       reason="Cancelled by a visitor.")  # fmt: skip
    return [done, cancelled, series("", pipeline=pipeline, state=State.RUNNING)]


def rooms() -> list[Classroom]:
    """One class room per stage."""
    lesson = all_lessons()[0].name
    return [Classroom.objects.create(lesson=lesson, teacher="t", stage=stage) for stage in Stage]
