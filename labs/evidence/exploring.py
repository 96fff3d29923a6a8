"""Exploring: runs randomly drawn pipelines on real brokers, and keeps the runs in a record."""

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
"""The most pipelines that are drawn until one can be staged; about every second can."""
ARM = "explored"


@dataclass(frozen=True, slots=True)
class Workspace:
    """The environment of exploring: record, folder of the runs, judge socket, and reporter."""

    record: Record
    folder: Path
    judge_socket: Path
    say: Callable[[str], None]


def refuted(run: Explored) -> frozenset[Anomaly]:
    """Returns the anomalies of a run that today's advisor calls impossible.

    It returns none for a run that was not judged, or whose pipeline the catalog now rejects.
    """
    if not run.judged:
        return frozenset()
    try:
        pipeline = advisor.from_data(run.pipeline)
    except advisor.PipelineError:
        return frozenset()
    return frozenset(map(Anomaly, run.seen)) & refutable(event_of(run.event), pipeline)


def explore(
    workspace: Workspace, seed: int, seconds: float, events: Collection[FailureEvent] = ()
) -> Iterator[Explored]:
    """Runs the missing numbers of a seed until the time is over, and shrinks refutations.

    A number that has begun is completed: its pipeline, and the same on another line. If `events`
    is not empty, only these are drawn.
    """
    deadline = time.monotonic() + seconds
    for number in count(1):
        if time.monotonic() >= deadline:
            return
        for step, drawn in _steps(workspace.record, seed, number, events):
            run = run_candidate(workspace, seed, number, step, Staged(drawn))
            yield run
            if against := refuted(run):
                workspace.say(
                    f"    refuted: {', '.join(sorted(against))}; looking for fewer settings"
                )
                yield from _shrink(workspace, seed, number, Staged(drawn), against)


def _steps(
    record: Record, seed: int, number: int, events: Collection[FailureEvent]
) -> Iterator[tuple[str, Drawn]]:
    """Yields the missing steps of a number: as drawn, and the same on another line of brokers."""
    wanted = [step for step in ("drawn", "line") if not record.has(seed, number, step)]
    first = first_runnable(seed, number, events) if wanted else None
    for step in wanted:
        drawn = first if step == "drawn" or first is None else across_lines(first)
        if drawn and can_be_staged(drawn):
            yield step, drawn


def _shrink(
    workspace: Workspace, seed: int, number: int, first: Staged, against: frozenset[Anomaly]
) -> Iterator[Explored]:
    ran: list[Explored] = []

    def still(candidate: Staged) -> bool:
        if not can_be_staged(candidate.drawn):
            return False
        ran.append(run_candidate(workspace, seed, number, "shrunk", candidate))
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
    """Returns the conditions with the drawn client, among those that can run it."""
    drawn, scenario = staged.drawn, find(staged.drawn.event.scenario)
    java = java_release(drawn.pipeline, scenario)
    condition = [Conditions()] if not java or not scenario.client_decides else []
    if java:
        condition.append(Conditions(java_clients=java))
    return replace(condition[int(drawn.player * len(condition))], overrides=staged.durations)


def experiment_spec(staged: Staged) -> ExperimentSpec:
    """Returns the experiment. Raises `ValueError` if it cannot be staged."""
    drawn = staged.drawn
    # No guarantee is wanted, so that every anomaly is counted.
    arm = replace(planning.arm(ARM, drawn.pipeline, "none"), want=None)
    return planning.exact_spec(
        drawn.event.scenario, drawn.seed, [arm], drawn.pipeline, _conditions(staged)
    )


def _as_it_runs(staged: Staged) -> Pipeline:
    spec = experiment_spec(staged)
    return as_run(staged.drawn, spec.arms[0].settings, topology_of(spec, spec.arms[0]))


def run_candidate(
    workspace: Workspace, seed: int, number: int, step: str, staged: Staged
) -> Explored:
    """Runs it and adds it to the record; keeps the ledger of a refutation."""
    spec, drawn = experiment_spec(staged), staged.drawn
    workspace.say(
        f"{number} {step}  {spec.scenario} on {spec.kafka}, {drawn.pipeline.family} "
        f"{drawn.pipeline.version} by {_clients(spec, drawn.pipeline)}"
    )
    folder = workspace.folder / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{seed}-{number}"
    result, seconds = arm_result(spec, folder, workspace.judge_socket)
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
    workspace.record.add(run)
    workspace.say(f"    {run.verdict}: saw {', '.join(run.seen) or 'nothing'}")
    return run


def arm_result(
    spec: ExperimentSpec, folder: Path, judge_socket: Path
) -> tuple[dict[str, Any], float]:
    """Returns the result of the only arm, and the seconds of its run without the wait for a place.

    The verdict is `unknown` if the runner ended without a result.
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
