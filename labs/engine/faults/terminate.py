"""SIGTERM: the clean stop of a rolling restart. The broker leaves the in-sync set, then ends."""

from __future__ import annotations

from labs.engine.cluster.broker import Broker
from labs.engine.faults.inject import inject
from labs.engine.faults.rig import Rig, Rows
from labs.engine.faults.roles import Role


def terminate(rig: Rig, role: Role, limit_s: float = 30) -> Rows:
    """Stops the brokers of a role cleanly: each does a controlled shutdown and flushes.

    The evidence is the exit code of this process, which is that of an end by SIGTERM. If a broker
    ended in another way, or not within `limit_s` seconds, the fault `failed`.
    """
    return inject("terminate", rig, role, Broker.ask_to_stop, sigterm_code, limit_s)


def sigterm_code(broker: Broker) -> str | None:
    """Returns evidence that the process ended upon SIGTERM, None while it runs.

    Raises `ChildProcessError` if it ended in another way.
    """
    if broker.returncode is None:
        return None
    if not broker.ended_by_sigterm:
        raise ChildProcessError(f"pid {broker.pid} ended with code {broker.returncode}, not by us")
    return f"pid {broker.pid} ended by itself upon SIGTERM (code {broker.returncode})"
