"""The processes that tests kill during an experiment, in which phases, and the expected results.

`python -m benchmarks.survival` tries every victim in every phase; the tests try each victim and
each phase once.
"""

from __future__ import annotations

import os
import signal
import sqlite3
from contextlib import closing
from dataclasses import dataclass

from labs.engine.base.wait import until
from tests.stack.house import House, processes_of
from tests.stack.visitor import OVER, Visitor

PHASES = ("booting", "ready", "producing", "faulting", "healing", "reading", "judging")
RUN_LIMIT_S = 420

_START_LIMIT_S = 60


@dataclass(frozen=True, slots=True)
class Victim:
    """A process of the house, identified by a part of its command line.

    `says` is the reason that an interrupted run gives; it is empty if the run continues.
    """

    name: str
    part: str
    says: str = ""
    phases: tuple[str, ...] = PHASES

    def pid(self, up: House) -> int | None:
        """The pid of such a process, preferably of a child of the house; None if there is none."""
        numbers = [pid for pid, command in processes_of(up.data).items() if self.part in command]
        return up.pid_of(self.part) or next(iter(numbers), None)

    def kill(self, up: House) -> int:
        """Kills it with SIGKILL as soon as it exists, and returns its pid."""
        pid = until(lambda: self.pid(up), _START_LIMIT_S, f"there is no {self.name}")
        os.kill(pid, signal.SIGKILL)
        return pid


_GONE = "The process that ran the brokers was killed."
WORKER = Victim("worker", "celery", "The process of the worker that ran this was killed")
RUNNER = Victim("runner", "labs.engine.run.experiment", _GONE)
KEEPER = Victim("keeper", "labs.engine.run.keeper ", _GONE)
CLIENT = Victim("client", "labs.engine.clients.", "killed, and not by this run", PHASES[1:-1])
REDIS = Victim("redis", "redis.sock")
SPARK = Victim("spark", "org.apache.spark.deploy.SparkSubmit")
WEB = Victim("web", "config.web")
ALL = (WORKER, RUNNER, KEEPER, CLIENT, REDIS, SPARK, WEB)


def await_phase(up: House, page: str, phase: str) -> None:
    """Waits until an arm of a running experiment has reached a phase, according to the database.

    A short phase may be missed between two queries, so a later phase counts as well. The page is
    not used because the web server may be down.
    """
    reached = set(PHASES[PHASES.index(phase) :])

    def has_reached_phase() -> bool:
        rows = arms(up, page, "state, phase")
        assert {state for state, _ in rows} <= {"queued", "running"}, f"over before it was {phase}"
        return not reached.isdisjoint(now for _, now in rows)

    until(has_reached_phase, RUN_LIMIT_S, f"no arm of {page} came to {phase}")


def arms(up: House, page: str, columns: str) -> list[tuple[str, ...]]:
    """The values of these columns in the database, one row per arm of an experiment."""
    query = (
        f"SELECT {columns} FROM labs_run JOIN labs_experiment "
        "ON labs_experiment.id = experiment_id WHERE slug = ?"
    )
    with closing(sqlite3.connect(up.data / "lab.db", timeout=30)) as database:
        return database.execute(query, (page.strip("/").rsplit("/", 1)[-1],)).fetchall()


def strike(up: House, visitor: Visitor, page: str, victim: Victim, phase: str) -> str:
    """Kills a victim when an arm is in a phase, and returns the result of the run.

    `interrupted`: the run was interrupted for the expected reason. `went on`: it reached its
    verdicts, and this victim allows that. Otherwise the result is the text of the page.
    """
    await_phase(up, page, phase)
    victim.kill(up)
    end = visitor.waits_for(page, OVER, RUN_LIMIT_S)
    if victim.says and victim.says in end and "Interrupted." in end:
        return "interrupted"
    # A client may finish its work just before it is killed.
    may_go_on = not victim.says or (victim, phase) == (CLIENT, "reading")
    return "went on" if may_go_on and went_on(end) else end


def went_on(text: str) -> bool:
    """Whether a finished experiment reached its verdicts at the first attempt."""
    return "acknowledged messages are gone" in text and "attempt 2" not in text
