"""Does a fault or heal to brokers, and waits for the proof that it happened."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from labs.engine.base.wait import WaitTimeout, until
from labs.engine.cluster.broker import Broker
from labs.engine.faults.record import Phase
from labs.engine.faults.rig import Rig, Rows
from labs.engine.faults.roles import Role
from labs.engine.record.fault_words import Fault

_BECOMES: Mapping[Fault, str] = {
    "kill": "to end", "terminate": "to end", "restart": "to come back",
    "pause": "to stand still", "resume": "to go on",
}  # fmt: skip

Proof = Callable[[Broker], str | None]
"""Evidence in words once the broker shows the fault, None until then."""


def inject(
    fault: Fault,
    rig: Rig,
    role: Role,
    act: Callable[[Broker], object],
    proof: Proof,
    limit_s: float,
) -> Rows:
    """Does `act` to every broker that plays `role` now, then waits for the proof of each.

    All are hit first and proved afterwards, so that they are hit together. Returns the closing
    row of each, `complete` or `failed`; what could not be shown to have happened is `failed`,
    and so is a role without a broker.
    """
    targets = role.targets(rig.cluster)
    if not targets:
        rig.log.record(fault, role.name, "invoke")
        return (rig.log.record(fault, role.name, "failed", f"no broker is {role.name} now"),)
    refused: dict[int, str] = {}
    for target in targets:
        rig.log.record(fault, str(target), "invoke")
        try:
            act(target.broker)
        except (OSError, RuntimeError, WaitTimeout) as problem:
            refused[target.broker.id] = str(problem)
    closing = []
    for target in targets:
        evidence = None
        trouble = refused.get(target.broker.id)
        if trouble is None:
            try:
                evidence = _await_proof(fault, proof, target.broker, limit_s)
            except (WaitTimeout, OSError) as problem:
                trouble = str(problem)
        phase: Phase = "complete" if evidence else "failed"
        closing.append(rig.log.record(fault, str(target), phase, evidence or trouble or ""))
    return tuple(closing)


def _await_proof(fault: Fault, proof: Proof, broker: Broker, limit_s: float) -> str:
    message = f"it could not be shown; {broker.name} (pid {broker.pid}) is {broker.state}"
    awaits = f"for {broker.name} {_BECOMES.get(fault, f'to show the {fault}')}"
    return until(lambda: proof(broker), limit_s, message, every_s=0.01, awaits=awaits)
