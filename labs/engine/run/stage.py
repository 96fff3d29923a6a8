"""The stage for a scenario: faults and waits on one arm's cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec

from labs.engine.base.wait import WaitTimeout, rest, until
from labs.engine.cluster.cluster import Cluster
from labs.engine.faults.record import FaultLog, FaultRow
from labs.engine.faults.rig import Condition, Rig, Rows
from labs.engine.record.fault_words import Fault
from labs.engine.scenarios.conditions import leaders
from labs.engine.scenarios.model import Topology
from labs.engine.workloads import ProduceConsume

P = ParamSpec("P")


class LiveStage:
    """Stages a scenario on a cluster (`scenarios.model.Stage`), and records the proof.

    `unproved` lists the faults that could not be shown to have happened. `phase` is called when
    faults begin and when healing begins. A `quiet` stage lets time pass and does nothing.
    """

    def __init__(
        self, cluster: Cluster, topology: Topology, clients: ProduceConsume, log: FaultLog,
        phase: Callable[[str], None], quiet: bool = False,
    ) -> None:  # fmt: skip
        self.topology = topology
        self.unproved: list[str] = []
        self.notes: list[str] = []
        self._rig = Rig(cluster, log, clients, leaders(cluster).get(0))
        self._phase, self._quiet = phase, quiet
        self._reported_phases: list[str] = []

    def let_run(self, seconds: float) -> None:
        rest(seconds)

    def do(
        self, fault: Callable[Concatenate[Rig, P], Rows], *args: P.args, **named: P.kwargs
    ) -> None:
        self._stage("faulting", lambda: fault(self._rig, *args, **named))

    def heal(
        self, heal: Callable[Concatenate[Rig, P], Rows], *args: P.args, **named: P.kwargs
    ) -> None:
        self._stage("healing", lambda: heal(self._rig, *args, **named))

    def not_applicable(self, fault: Fault, target: str, why: str) -> None:
        if not self._quiet:
            self._add_note(self._rig.log.not_applicable(fault, target, why))

    def wait(self, condition: Condition, limit_s: float) -> None:
        if self._quiet:
            return
        try:
            until(lambda: condition.holds(self._rig), limit_s, condition.missing,
                  awaits=condition.awaits)  # fmt: skip
        except WaitTimeout as timeout:
            if not condition.is_optional:
                raise
            self.notes.append(str(timeout))

    def _stage(self, phase: str, act: Callable[[], Rows]) -> None:
        if self._quiet:
            return
        if phase not in self._reported_phases:
            self._reported_phases.append(phase)
            self._phase(phase)
        for row in act():
            self._add_note(row)

    def _add_note(self, row: FaultRow) -> None:
        if row.phase == "failed":
            self.unproved.append(f"{row.fault} of {row.target}: {row.evidence}")
        elif row.phase == "not_applicable":
            self.notes.append(f"no {row.fault} of a {row.target}: {row.evidence}")
