"""The stage on which a scenario plays: faults and waits on one arm's cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec

from labs.engine.base.wait import WaitTimeout, rest, until
from labs.engine.cluster.cluster import Cluster
from labs.engine.faults.record import FaultLog, FaultRow
from labs.engine.faults.rig import Rig, Rows
from labs.engine.record.fault_words import Fault
from labs.engine.scenarios.model import TOPIC, Topology
from labs.engine.workloads import ProduceConsume

P = ParamSpec("P")


class LiveStage:
    """Does to a cluster what a scenario says (`scenarios.model.Stage`), and keeps the proof.

    `unproved` lists the faults that could not be shown to have happened. `phase` is
    called when faults and healing begin. A `quiet` stage lets time pass and does nothing.
    """

    def __init__(
        self, cluster: Cluster, topology: Topology, clients: ProduceConsume, log: FaultLog,
        phase: Callable[[str], None], quiet: bool = False,
    ) -> None:  # fmt: skip
        self.topology = topology
        self.unproved: list[str] = []
        self.notes: list[str] = []
        self._rig, self._clients, self._cluster = Rig(cluster, log, clients), clients, cluster
        self._phase, self._quiet = phase, quiet
        self._phases: list[str] = []
        self._leaders_before = self._leaders()

    def go_on(self, seconds: float) -> None:
        rest(seconds)

    def do(
        self, fault: Callable[Concatenate[Rig, P], Rows], *args: P.args, **named: P.kwargs
    ) -> None:
        self._act("faulting", lambda: fault(self._rig, *args, **named))

    def heal(
        self, heal: Callable[Concatenate[Rig, P], Rows], *args: P.args, **named: P.kwargs
    ) -> None:
        self._act("healing", lambda: heal(self._rig, *args, **named))

    def await_position(self, limit_s: float) -> None:
        if self._quiet:
            return
        try:
            until(self._clients.saved, limit_s, "the group saved no position",
                  awaits="for the group to save a position")  # fmt: skip
        except WaitTimeout as never:
            self.notes.append(str(never))

    def not_applicable(self, fault: Fault, target: str, why: str) -> None:
        if not self._quiet:
            self._keep(self._rig.log.not_applicable(fault, target, why))

    def await_new_leader(self, limit_s: float) -> None:
        if not self._quiet:
            until(self._new_leader, limit_s, "no follower became leader",
                  awaits="for a follower to become leader")  # fmt: skip

    def await_controller(self, limit_s: float) -> None:
        if not self._quiet:
            until(self._cluster.active_controller, limit_s, "there is no active controller",
                  awaits="for a controller to become active")  # fmt: skip

    def await_isr(self, size: int, limit_s: float) -> None:
        if not self._quiet:
            self._cluster.wait_in_sync(TOPIC, self.topology.partitions, size, limit_s)

    def await_fenced(self, limit_s: float) -> None:
        if not self._quiet:
            until(self._fenced, limit_s, "a dead broker still counts as leader",
                  awaits="for the controller to notice that the leader is gone")  # fmt: skip

    def await_in_sync(self, limit_s: float) -> None:
        self.await_isr(self.topology.replication_factor, limit_s)

    def _act(self, phase: str, act: Callable[[], Rows]) -> None:
        if self._quiet:
            return
        if phase not in self._phases:
            self._phases.append(phase)
            self._phase(phase)
        for row in act():
            self._keep(row)

    def _keep(self, row: FaultRow) -> None:
        if row.phase == "failed":
            self.unproved.append(f"{row.fault} of {row.target}: {row.evidence}")
        elif row.phase == "not_applicable":
            self.notes.append(f"no {row.fault} of a {row.target}: {row.evidence}")

    def _leaders(self) -> dict[int, int | None]:
        return {state.partition: state.leader for state in self._cluster.describe(TOPIC)}

    def _running(self) -> set[int]:
        return {id_ for id_, state in self._cluster.states().items() if state == "running"}

    def _new_leader(self) -> bool:
        leader, before = self._leaders().get(0), self._leaders_before.get(0)
        return leader in self._running() and leader != before

    def _fenced(self) -> bool:
        leaders = self._leaders()
        return bool(leaders) and set(leaders.values()) <= {None, *self._running()}
