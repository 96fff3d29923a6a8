"""Applies a fault or heal to brokers, and waits for the proof that it happened."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from labs.engine.base.wait import WaitTimeout, until
from labs.engine.cluster.broker import Broker
from labs.engine.faults.record import Phase
from labs.engine.faults.rig import Rig, Rows
from labs.engine.faults.roles import Role
from labs.engine.record.fault_words import Fault

_AWAITED: Mapping[Fault, str] = {
    "kill": "to end", "terminate": "to end", "restart": "to come back",
    "pause": "to stop", "resume": "to continue",
}  # fmt: skip

Proof = Callable[[Broker], str | None]
"""Returns the evidence once the broker shows the fault, None until then."""


def inject(
    fault: Fault,
    rig: Rig,
    role: Role,
    act: Callable[[Broker], object],
    proof: Proof,
    limit_s: float,
) -> Rows:
    """Calls `act` for every broker that has `role` now, then waits for the proof of each.

    All brokers are hit before the first proof, so that they are hit together. Returns the closing
    row of each, `complete` or `failed`. A fault without proof is `failed`, and so is a role without
    a broker.
    """
    targets = role.targets(rig.cluster)
    if not targets:
        rig.log.record(fault, role.name, "invoke")
        return (rig.log.record(fault, role.name, "failed", f"no broker is {role.name} now"),)
    problems: dict[int, str] = {}
    for target in targets:
        rig.log.record(fault, str(target), "invoke")
        try:
            act(target.broker)
        except (OSError, RuntimeError, WaitTimeout) as problem:
            problems[target.broker.id] = str(problem)
    closing = []
    for target in targets:
        evidence = None
        problem_text = problems.get(target.broker.id)
        if problem_text is None:
            try:
                evidence = _await_proof(fault, proof, target.broker, limit_s)
            except (WaitTimeout, OSError) as problem:
                problem_text = str(problem)
        phase: Phase = "complete" if evidence else "failed"
        closing.append(rig.log.record(fault, str(target), phase, evidence or problem_text or ""))
    return tuple(closing)


def _await_proof(fault: Fault, proof: Proof, broker: Broker, limit_s: float) -> str:
    message = f"the fault could not be proved; {broker.name} (pid {broker.pid}) is {broker.state}"
    awaits = f"for {broker.name} {_AWAITED.get(fault, f'to show the {fault}')}"
    return until(lambda: proof(broker), limit_s, message, every_s=0.01, awaits=awaits)
