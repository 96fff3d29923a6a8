"""Arms whose broker, controller or client is killed or stopped from outside, in each phase.

Small processes stand in for brokers and clients; `tests/cluster/test_kills.py` has real ones.
"""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet as pq
import pytest

from labs.engine.base.wait import rest, until
from labs.engine.cluster.broker import Broker
from labs.engine.cluster.cluster import Cluster
from labs.engine.cluster.nodes import Layout
from labs.engine.record.ledger import SEAL, seal
from labs.engine.run import runner
from labs.engine.run.events import Emitter
from labs.engine.run.runner import Arm, ArmRunner
from labs.engine.scenarios import find
from labs.engine.scenarios.model import draw
from tests.engine.arms import DESCRIBED, SCENARIO, experiment
from tests.engine.run.test_runner import HOLDS
from tests.engine.stand_in_cluster import StandInCluster

pytestmark = pytest.mark.process

SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)"]
PHASES = ("ready", "producing", "reading", "judging")
LONG_S = 60.0


@dataclass
class BootedCluster(StandInCluster):
    """A booted cluster, with the attributes that an arm uses."""

    bootstrap = "127.0.0.1:1"
    addresses = SimpleNamespace(note="", told=bootstrap, lab=bootstrap, clients=())
    shortened = {}  # type: ignore[var-annotated]
    layout = Layout(1)
    _addresses = None
    lost = Cluster.lost
    states = Cluster.states

    def describe(self, *_: Any) -> list[Any]:
        return []

    def create_topic(self, *_: Any) -> None:
        """No topic is needed."""

    def stop(self) -> None:
        for broker in (*self.brokers.values(), *self.controllers.values()):
            broker.terminate(grace_s=0)


class PhaseHook(io.StringIO):
    """A stream for the events of an arm that calls `act` when `phase` begins."""

    def __init__(self, phase: str, act: Any) -> None:
        super().__init__()
        self.phase, self._act, self.acted_s = phase, act, 0.0

    def write(self, message: str) -> int:
        if json.loads(message).get("phase") == self.phase and not self.acted_s:
            self._act()
            self.acted_s = time.monotonic()
        return super().write(message)


class Clients:
    """The clients of an arm: one process that sleeps. The arm waits in the phase of the hook."""

    topics, runs_streams, ready_limit_s, flow_limit_s = (), False, 1.0, 1.0
    pinned = pinned_readers = played_by = {}  # type: ignore[var-annotated]
    notes = differences = ()

    def __init__(self, client: Broker, hook: PhaseHook) -> None:
        self._client, self._hook = client, hook

    def __call__(self, _: Any) -> Clients:
        return self

    def all_clients(self) -> list[Any]:
        return [self._client] if self._client.pid else []

    def counters(self) -> dict[str, int]:
        return {"acknowledged": 0, "delivered": 0}

    def start_consumer(self) -> None:
        self._client.start()

    def start_producer(self) -> None:
        self.wait_in("ready")

    def play(self, *_: Any) -> None:
        self.wait_in("producing")

    def stop_producer(self) -> None:
        """Nothing is sent."""

    def stop_consumer(self) -> None:
        self.wait_in("reading")

    def read_to_the_end(self) -> bool:
        return True

    def judge(self, *_: Any, **__: Any) -> dict[str, Any]:
        self.wait_in("judging")
        return HOLDS

    def wait_in(self, phase: str) -> None:
        if phase == self._hook.phase:
            rest(LONG_S)

    def kill(self) -> None:
        self._client.terminate(grace_s=0)


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[dict[str, Broker]]:
    """A broker, a controller and a client, by name."""
    names = {1: "broker 1", 4: "node 4", 9: "the consumer-1"}
    processes = {
        name: Broker(id_, 1, SLEEPER, tmp_path, tmp_path / "log", name=name)
        for id_, name in names.items()
    }
    yield processes
    for broker in processes.values():
        broker.terminate(grace_s=0)


def run_arm(
    parts: dict[str, Broker], hook: PhaseHook, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[dict[str, Any], ArmRunner]:
    broker, controller, client = parts.values()
    broker.start()
    controller.start()
    cluster = BootedCluster({1: broker}, controllers={4: controller})
    clients = Clients(client, hook)
    booted = SimpleNamespace(cluster=cluster, java="17", kafka="4.3.1")
    stand_ins: dict[str, Any] = {
        "slot": lambda **_: nullcontext(), "boot": lambda *_: booted,
        "workload": lambda *_: clients, "judge": clients.judge,
    }  # fmt: skip
    for name, stands_in in stand_ins.items():
        monkeypatch.setattr(runner, name, stands_in)
    no_lead_in = {"lead_in_s": (0.0, 0.0)}
    scenario = replace(find(SCENARIO), play=clients.play, durations=no_lead_in)
    arm = Arm(
        experiment(DESCRIBED), DESCRIBED, scenario, draw(scenario, 1, {}),
        folder / "described", Emitter(hook),
    )  # fmt: skip
    arm_runner = ArmRunner(arm)
    return arm_runner.run(), arm_runner


KILLED = (signal.SIGKILL, "was killed, and not by this run.")
SEGV = (signal.SIGSEGV, "was killed (SIGSEGV), and not by this run.")
STOPPED = (signal.SIGSTOP, "and not by this run.")
DISTURBANCES = [
    *((part, phase, *KILLED) for part in ("broker 1", "node 4") for phase in PHASES),
    *(("the consumer-1", phase, *KILLED) for phase in PHASES[:-1]),
    ("the consumer-1", "reading", *SEGV),
    ("the consumer-1", "reading", *STOPPED),
    ("broker 1", "reading", *STOPPED),
    ("broker 1", "judging", *STOPPED),
    ("node 4", "producing", *STOPPED),
]


@pytest.mark.parametrize(("part", "phase", "number", "reason"), DISTURBANCES)
def test_the_arm_ends_immediately_and_names_the_disturbed_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: dict[str, Broker],
    part: str, phase: str, number: signal.Signals, reason: str,
) -> None:  # fmt: skip
    hook = PhaseHook(phase, lambda: os.kill(parts[part].pid or 0, number))
    data, arm_runner = run_arm(parts, hook, tmp_path, monkeypatch)
    assert time.monotonic() - hook.acted_s < LONG_S / 2
    assert data["verdict"] == "unknown"
    assert data["reason"].startswith(f"The run was disturbed: {part} ")
    assert data["reason"].endswith(reason)
    assert set(data["counts"].values()) == {None}
    assert arm_runner.failed
    rows = pq.read_table(tmp_path / "described" / "ledger" / "faults.parquet").to_pylist()
    assert [(row["fault"], row["phase"]) for row in rows] == [("run", "failed")]


def test_an_undisturbed_arm_has_the_verdict_of_its_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: dict[str, Broker]
) -> None:
    data, arm_runner = run_arm(parts, PhaseHook("none", None), tmp_path, monkeypatch)
    assert (data["verdict"], arm_runner.failed) == ("holds", False)
    assert (tmp_path / "described" / "ledger" / SEAL).is_file()


def test_a_disturbance_after_the_judges_answer_makes_the_verdict_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: dict[str, Broker]
) -> None:
    def seal_and_kill(ledger: Path) -> None:
        seal(ledger)
        if parts["node 4"].returncode is None:
            os.kill(parts["node 4"].pid or 0, signal.SIGKILL)
            until(lambda: parts["node 4"].returncode is not None, LONG_S, "it did not end")

    monkeypatch.setattr(runner, "seal", seal_and_kill)
    hook = PhaseHook("none", None)
    data, arm_runner = run_arm(parts, hook, tmp_path, monkeypatch)
    assert data["verdict"] == "unknown"
    assert "node 4 was killed, and not by this run" in data["reason"]
    assert arm_runner.failed
    sealed = json.loads((tmp_path / "described" / "ledger" / SEAL).read_text())
    fault_parts = sealed["tables"]["faults"].values()
    assert sum(part["rows"] for part in fault_parts) == 1, "the row is in a sealed part"


def test_an_arm_has_one_deadline_for_all_its_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: dict[str, Broker]
) -> None:
    monkeypatch.setattr(ArmRunner, "limit_s", 0.5)
    hook = PhaseHook("producing", lambda: None)
    data, _ = run_arm(parts, hook, tmp_path, monkeypatch)
    assert data["verdict"] == "unknown"
    assert "it did not end within 0 s" in data["reason"]
    assert time.monotonic() - hook.acted_s < LONG_S / 2
