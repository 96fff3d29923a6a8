"""A quota on the producer byte rate of clients (KIP-13), and its removal.

A broker responds immediately with the throttle time of the client, and reads nothing from its
connection until then (KIP-219).
"""

from __future__ import annotations

from labs.engine.base.wait import WaitTimeout, until
from labs.engine.faults.rig import Rig, Rows
from labs.engine.protocol import quotas
from labs.engine.record.fault_words import Fault

_REQUEST_S, _LIMIT_S = 5.0, 20.0
_TARGET = "every client"


def limit_writes(rig: Rig, bytes_per_s: int) -> Rows:
    """Limits each client to a byte rate per broker; the evidence is each broker's quota."""
    return _set(rig, "limit", bytes_per_s)


def lift_limit(rig: Rig) -> Rows:
    """Heals: removes the limit."""
    return _set(rig, "resume", None)


def _set(rig: Rig, fault: Fault, bytes_per_s: int | None) -> Rows:
    ports = [node.port for node in rig.cluster.brokers.values() if node.state == "running"]

    def act() -> str:
        quotas.limit(ports[0], bytes_per_s, _REQUEST_S)
        until(
            lambda: all(quotas.limited_to(port, _REQUEST_S) == bytes_per_s for port in ports),
            _LIMIT_S,
            "a broker does not have the quota",
        )
        text = "no limit" if bytes_per_s is None else f"{bytes_per_s:,} bytes a second"
        return f"{len(ports)} of {len(rig.cluster.brokers)} brokers say: {text} for each client"

    return (rig.log.attempt(fault, _TARGET, act, (OSError, WaitTimeout, IndexError)),)
