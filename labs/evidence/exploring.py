"""Exploring: drawn pipelines run on real brokers until the time is over, and kept in a record."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count, islice
from pathlib import Path
from typing import Any

from advisor import services as advisor
from advisor.catalog import Family
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.obstacle import obstacles
from advisor.reasoning.pipeline import Pipeline
from labs.calibration.draw import Drawn, across_lines, as_run, draws
from labs.calibration.edges import event_of
from labs.calibration.fingerprint import fingerprint
from labs.calibration.record import Explored, Record
from labs.calibration.shrink import Staged, shrunk
from labs.calibration.table import refutable
from labs.engine.plan.spec import ExperimentSpec
from labs.engine.run.launch import Launch, RunnerDied
from labs.engine.run.result import JUDGED
from labs.engine.run.shape import topology_of
from labs.engine.scenarios import find
from labs.runs import planning
from labs.runs.conditions import Conditions, java_release

MOST_DRAWS = 500
"""Of pipelines that are drawn before one can be staged; about every second can."""
ARM = "explored"


@dataclass(frozen=True, slots=True)
class Setting:
    """Where exploring happens: its record, the folder of its runs, the judge, and the reporter."""

    record: Record
    folder: Path
    judge_socket: Path
    say: Callable[[str], None]


def refuted(run: Explored) -> frozenset[Anomaly]:
    """What a run saw and today's advisor calls impossible; nothing of one that says nothing.

    Nor of one whose pipeline the catalog no longer takes.
    """
    if not run.judged:
        return frozenset()
    try:
        pipeline = advisor.from_data(run.pipeline)
    except advisor.PipelineError:
        return frozenset()
    return frozenset(map(Anomaly, run.seen)) & refutable(event_of(run.event), pipeline)


def explore(
    at: Setting, seed: int, seconds: float, events: Collection[FailureEvent] = ()
) -> Iterator[Explored]:
    """Runs what a record lacks of a seed until the time is over; the smallest refutations too.

    A number that has begun is carried to its end: its pipeline, and the same on another line.
    Only these events are drawn, if any is named.
    """
    until = time.monotonic() + seconds
    for number in count(1):
        if time.monotonic() >= until:
            return
        for step, drawn in _steps(at.record, seed, number, events):
            run = run_candidate(at, seed, number, step, Staged(drawn))
            yield run
            if against := refuted(run):
                at.say(f"    refuted: {', '.join(sorted(against))}; looking for fewer settings")
                yield from _shrink(at, seed, number, Staged(drawn), against)


def _steps(
    record: Record, seed: int, number: int, events: Collection[FailureEvent]
) -> Iterator[tuple[str, Drawn]]:
    """What is not in the record of a number: as drawn, and the same on another line of brokers."""
    wanted = [step for step in ("drawn", "line") if not record.has(seed, number, step)]
    first = first_runnable(seed, number, events) if wanted else None
    for step in wanted:
        drawn = first if step == "drawn" or first is None else across_lines(first)
        if drawn and can_be_staged(drawn):
            yield step, drawn


def _shrink(
    at: Setting, seed: int, number: int, first: Staged, against: frozenset[Anomaly]
) -> Iterator[Explored]:
    ran: list[Explored] = []

    def still(candidate: Staged) -> bool:
        if not can_be_staged(candidate.drawn):
            return False
        ran.append(run_candidate(at, seed, number, "shrunk", candidate))
        return bool(refuted(ran[-1]) & against)

    shrunk(first, still)
    yield from ran


def first_runnable(seed: int, number: int, events: Collection[FailureEvent] = ()) -> Drawn:
    for drawn in islice(draws(seed, number, events), MOST_DRAWS):
        if can_be_staged(drawn):
            return drawn
    raise RuntimeError(f"none of {MOST_DRAWS} pipelines of seed {seed}, number {number} can run")


def can_be_staged(drawn: Drawn) -> bool:
    try:
        experiment_spec(Staged(drawn))
    except ValueError:
        return False
    runs = _as_it_runs(Staged(drawn))
    return not (runs.problems() or obstacles(runs))


def _conditions(staged: Staged) -> Conditions:
    """Who plays the clients: one of those who can, as was drawn."""
    drawn, scenario = staged.drawn, find(staged.drawn.event.scenario)
    java = java_release(drawn.pipeline, scenario)
    condition = [Conditions()] if not java or not scenario.client_decides else []
    if java:
        condition.append(Conditions(java_clients=java))
    return replace(condition[int(drawn.player * len(condition))], overrides=staged.durations)


def experiment_spec(staged: Staged) -> ExperimentSpec:
    """What is run. Raises `ValueError` for what cannot be staged."""
    drawn = staged.drawn
    # No guarantee is wanted: every anomaly is to be counted, and none is to be excused.
    arm = replace(planning.arm(ARM, drawn.pipeline, "none"), want=None)
    return planning.exact_spec(
        drawn.event.scenario, drawn.seed, [arm], drawn.pipeline, _conditions(staged)
    )


def _as_it_runs(staged: Staged) -> Pipeline:
    spec = experiment_spec(staged)
    return as_run(staged.drawn, spec.arms[0].settings, topology_of(spec, spec.arms[0]))


def run_candidate(at: Setting, seed: int, number: int, step: str, staged: Staged) -> Explored:
    """Runs it, keeps it in the record, and its ledger where something was refuted."""
    spec, drawn = experiment_spec(staged), staged.drawn
    at.say(
        f"{number} {step}  {spec.scenario} on {spec.kafka}, {drawn.pipeline.family} "
        f"{drawn.pipeline.version} by {_clients(spec, drawn.pipeline)}"
    )
    folder = at.folder / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{seed}-{number}"
    result, seconds = arm_result(spec, folder, at.judge_socket)
    counts = result.get("counts", {}) if result["verdict"] in JUDGED else {}
    run = Explored(
        seed, number, step, f"{datetime.now(UTC):%Y-%m-%d}", drawn.event.name, spec.scenario,
        spec.seed, dict(staged.durations), _clients(spec, drawn.pipeline),
        advisor.to_data(_as_it_runs(staged)), result.get("versions", {}), result["verdict"],
        result["reason"], [anomaly.value for anomaly in Anomaly if counts.get(anomaly)],
        result.get("notes", []), code=dict(fingerprint(spec.scenario)),
        seconds=round(seconds, 1),
    )  # fmt: skip
    if refuted(run):
        run = replace(run, ledger=folder.name)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    at.record.add(run)
    at.say(f"    {run.verdict}: saw {', '.join(run.seen) or 'nothing'}")
    return run


def arm_result(
    spec: ExperimentSpec, folder: Path, judge_socket: Path
) -> tuple[dict[str, Any], float]:
    """The one arm's result, and for how many seconds it ran: the wait for its turn is left out.

    It is `unknown` where the runner ended without a result.
    """
    result: dict[str, Any] = {}
    began: float | None = None
    try:
        with Launch(spec, folder, judge_socket) as running:
            for event in running:
                if began is None and event.get("phase") == "booting":
                    began = time.monotonic()
                result = event.get("experiment") or result
        arm: dict[str, Any] = result["arms"][0]
    except RunnerDied as died:
        arm = {"verdict": "unknown", "reason": str(died)}
    return arm, time.monotonic() - began if began else 0.0


def _clients(spec: ExperimentSpec, pipeline: Pipeline) -> str:
    if pipeline.family in (Family.SPARK, Family.STREAMS):
        return pipeline.family.value
    return f"java {spec.java_clients}" if spec.java_clients else "librdkafka"
