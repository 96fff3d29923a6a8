"""Runs experiments in a house, strikes each at a random moment, and checks what each leaves behind.

Imports the models: Django's settings must already name the data folder of the house.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.survival.draw import Blow
from benchmarks.survival.record import Line, Record
from benchmarks.survival.strike import RUN_PARTS, SERVE_ONLY, pids_of, strike
from config.celery import app
from labs.calibration.cases import ARMS, CASES
from labs.engine.base.processes import ROOT
from labs.engine.base.wait import WaitTimeout, until
from labs.models import LIVE, Experiment, State
from labs.runs import admission, lifecycle, queue
from tests.stack.house import House, free_port, processes_of
from tests.stack.victims import PHASES

AT_A_TIME = 12
"""The number of runs whose ledgers are judged a second time together."""

_COME_LIMIT_S = 600.0
"""The limit until a run reaches a phase: other runs may use all clusters."""
_END_LIMIT_S = 420.0
_GONE_LIMIT_S = 60.0
_VERIFY_LIMIT_S = 900
_DISTURBED = ("broker", "client", "runner", "keeper")
_RATE = {"rate_per_s": 200}


@dataclass(slots=True)
class _Judged:
    """A run that is over, before its ledgers are judged again."""

    line: Line
    holds: list[tuple[Path, str]]


class Piece:
    """A house that is kept running, and the runs in it."""

    def __init__(self, data: Path, seed: int) -> None:
        self._data, self._seed, self._port = data, seed, free_port()
        self._up: House | None = None

    def __enter__(self) -> Piece:
        return self

    def __exit__(self, *_: object) -> None:
        if self._up and self._up.process.poll() is None:
            self._up.process.kill()
            self._up.process.wait()
            self._up.nothing_left(_GONE_LIMIT_S)

    def run(self, blows: Iterable[Blow], record: Record, until_s: float) -> None:
        """Runs the blows until `until_s` (monotonic) and adds a line for each to the record."""
        batch: list[_Judged] = []
        try:
            for blow in blows:
                if time.monotonic() > until_s:
                    break
                batch.append(self._run(blow))
                print(f"  {batch[-1].line}", flush=True)
                if len(batch) == AT_A_TIME:
                    self._close(batch, record)
                    batch = []
        finally:  # record the results also if `timeout` ends this, even during `_close`
            self._close(batch, record)

    def _house(self) -> House:
        """The running house, or a new one: the supervisor may be dead or have given up."""
        if self._up is None or self._up.process.poll() is not None:
            self._up = House(self._data, self._port)
            self._up.wait_until_ready()
        return self._up

    def _run(self, blow: Blow) -> _Judged:
        up = self._house()
        experiment = _queue(self._seed, blow)
        hit = ""
        try:
            if _reaches(experiment, blow.phase):
                time.sleep(blow.after_s)
                hit = strike(up, blow)
        except WaitTimeout as late:
            print(f"  {blow.number}: {late}", flush=True)  # `_aftermath` checks whether it ends
        at = time.monotonic()
        wrong = self._aftermath(up, experiment)
        ended_s = time.monotonic() - at
        wrong += self._left(experiment)
        line = _line(self._seed, blow, experiment, hit, ended_s)
        return _Judged(replace(line, wrong=(*wrong, *_contradictions(line))), _holding(experiment))

    def _aftermath(self, up: House, experiment: Experiment) -> list[str]:
        """Waits until a run ends, in a new house if the old one has ended; returns the errors."""
        wrong = []
        if up.process.poll() is not None:
            wrong += _wait_until_gone(lambda: processes_of(self._data).items())
        try:
            until(lambda: self._is_over(experiment), _END_LIMIT_S, "the run did not end")
        except WaitTimeout:
            wrong.append(f"the run did not end within {_END_LIMIT_S:.0f} s: {_states(experiment)}")
            lifecycle.cancel(experiment.slug, "the survival test")
        return wrong

    def _is_over(self, experiment: Experiment) -> bool:
        self._house()
        experiment.refresh_from_db()
        return experiment.state not in LIVE

    def _left(self, experiment: Experiment) -> list[str]:
        """What a run that is over has left: processes, and folders without a verdict."""
        up = self._house()
        return _wait_until_gone(lambda: _processes_of_runs(up)) + _wait_until_gone(
            lambda: _folders(experiment)
        )

    def _close(self, batch: list[_Judged], record: Record) -> None:
        """Judges the ledgers that hold again, by `manage.py verify`, and records the lines."""
        by_want = defaultdict(list)
        for judged in batch:
            for ledger, want in judged.holds:
                by_want[want].append(ledger)
        verdicts = {}
        for want, ledgers in by_want.items():
            verdicts.update(_verified(ledgers, want))
        for judged in batch:
            doubted = tuple(
                f"holds, and the second judging of {ledger.parent.name} says {verdicts[ledger]}"
                for ledger, _ in judged.holds
                if verdicts[ledger] != "holds"
            )
            if doubted:
                print(f"  {judged.line.number}: {doubted}")
            record.add(replace(judged.line, wrong=judged.line.wrong + doubted))


def _queue(seed: int, blow: Blow) -> Experiment:
    """Queues the run and notifies the worker, as a click does."""
    case = next(case for case in CASES if case.name == blow.case)
    arms = list(ARMS) if blow.arms == "both" else [blow.arms]
    spec = case.experiment(seed * 100_000 + blow.number, arms)
    experiment = admission.store(replace(spec, overrides={**spec.overrides, **_RATE}))
    app.set_current()  # the one that the queue knows
    queue.nudge(experiment.slug, experiment.attempt)
    return experiment


def _reaches(experiment: Experiment, phase: str) -> bool:
    """Waits until an arm has reached a phase; returns False if the run was over before."""
    later = set(PHASES[PHASES.index(phase) :])

    def reached() -> str:
        experiment.refresh_from_db()
        if experiment.state not in LIVE:
            return "over"
        return next((run.phase for run in experiment.runs.all() if run.phase in later), "")

    return until(reached, _COME_LIMIT_S, f"no arm came to {phase}", every_s=0.1) != "over"


def _wait_until_gone(remains: Callable[[], Collection[object]]) -> list[str]:
    """Waits until nothing is left; returns what is left after the limit."""
    try:
        until(lambda: not remains(), _GONE_LIMIT_S, "something is left")
    except WaitTimeout:
        return [f"left: {', '.join(map(str, remains()))}"]
    return []


def _processes_of_runs(up: House) -> list[str]:
    """The processes of a run, and those of the judge beyond the one that serves."""
    others = [part for part in ("judge", "spark") for _ in pids_of(up, part)[1:]]
    return [part for part in RUN_PARTS for _ in pids_of(up, part)] + others


def _folders(experiment: Experiment) -> list[str]:
    """The folders of brokers of a run that ended; of a run without a result, also those of arms."""
    folder = experiment.folder
    done = experiment.state in (State.DONE, State.FAILED)
    judged = {run.name for run in experiment.runs.all() if run.verdict in ("holds", "broken")}
    arms = [path for path in folder.glob("*") if path.is_dir() and path.name not in judged]
    left = list(folder.glob("*/cluster")) + ([] if done else arms)
    return [str(path.relative_to(folder)) for path in left]


def _states(experiment: Experiment) -> str:
    arms = (f"{run.name} in {run.phase or 'no phase'}" for run in experiment.runs.all())
    return f"{experiment.state}, {', '.join(arms)}"


def _holding(experiment: Experiment) -> list[tuple[Path, str]]:
    return [(run.ledger, run.want) for run in experiment.runs.all() if run.verdict == "holds"]


def _line(seed: int, blow: Blow, experiment: Experiment, hit: str, ended_s: float) -> Line:
    verdicts = {run.name: run.verdict for run in experiment.runs.all() if run.verdict}
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    return Line(
        seed=seed, **asdict(blow), struck=hit, state=experiment.state, reason=experiment.reason,
        verdicts=verdicts, ended_s=round(ended_s, 1), wrong=(), date=today,
    )  # fmt: skip


def _contradictions(line: Line) -> list[str]:
    """The errors in the result of a run, considering the blow."""
    wrong = []
    killed = line.struck.split(", ") if line.deed.startswith("kill") and line.struck else []
    if killed and set(killed) <= set(SERVE_ONLY) and line.state != State.DONE:
        wrong.append(f"it ended without {' and '.join(killed)}, which only serve it")
    # A final reader may have completed its work just before it is killed.
    early = PHASES.index(line.phase) < PHASES.index("healing") and line.after_s < 1
    mine = set(killed) & set(_DISTURBED)
    if mine and early and line.arms != "both" and "holds" in line.verdicts.values():
        wrong.append(f"holds, although its {' and '.join(sorted(mine))} was killed")
    return wrong


def _verified(ledgers: list[Path], want: str) -> dict[Path, str]:
    """The verdict of `manage.py verify` on each ledger, without knowledge of the run."""
    arguments = ["verify", *map(str, ledgers), "--want", want, "--json"]
    command = [sys.executable, str(ROOT / "manage.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_VERIFY_LIMIT_S)
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    lines = [str(answer.get("verdict") or answer.get("error")) for answer in answers]
    lines += [f"nothing ({done.stderr[-500:]})"] * (len(ledgers) - len(lines))
    return dict(zip(ledgers, lines, strict=True))
