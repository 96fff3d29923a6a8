"""A quota on what clients may write (KIP-13), and its end.

A broker answers at once, says for how long the client has to wait, and reads nothing more of that
connection until then (KIP-219).
"""

from __future__ import annotations

from labs.engine.base.wait import WaitTimeout, until
from labs.engine.faults.rig import Rig, Rows
from labs.engine.protocol import quotas
from labs.engine.record.fault_words import Fault

_ASK_S, _LIMIT_S = 5.0, 20.0
_TARGET = "every client"


def limit_writes(rig: Rig, bytes_per_s: int) -> Rows:
    """Lets each client write so many bytes a second to a broker; evidence is each broker's word."""
    return _set(rig, "limit", bytes_per_s)


def lift_limit(rig: Rig) -> Rows:
    """Heals: clients may write as much as they can."""
    return _set(rig, "resume", None)


def _set(rig: Rig, fault: Fault, bytes_per_s: int | None) -> Rows:
    ports = [node.port for node in rig.cluster.brokers.values() if node.state == "running"]

    def act() -> str:
        quotas.limit(ports[0], bytes_per_s, _ASK_S)
        until(
            lambda: all(quotas.limited_to(port, _ASK_S) == bytes_per_s for port in ports),
            _LIMIT_S,
            "a broker does not have the quota",
        )
        text = "no limit" if bytes_per_s is None else f"{bytes_per_s:,} bytes a second"
        return f"{len(ports)} of {len(rig.cluster.brokers)} brokers say: {text} for each client"

    return (rig.log.attempt(fault, _TARGET, act, (OSError, WaitTimeout, IndexError)),)
