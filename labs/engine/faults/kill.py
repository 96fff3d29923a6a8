"""SIGKILL, and the restart that heals it."""

from __future__ import annotations

from operator import methodcaller

from labs.engine.base import processes
from labs.engine.cluster.broker import Broker
from labs.engine.faults.inject import inject
from labs.engine.faults.rig import Rig, Rows
from labs.engine.faults.roles import Role


def kill(rig: Rig, role: Role) -> Rows:
    """Kills the brokers of a role by SIGKILL: the process is gone, its page cache is not.

    Evidence is the wait status that the kernel gave for exactly this process: ended by signal 9.
    A broker that ended in any other way, or before, is a fault that `failed`.
    """
    return inject("kill", rig, role, Broker.kill, sigkill_status, limit_s=10)


def restart(rig: Rig, role: Role, limit_s: float = 60) -> Rows:
    """Starts the brokers of a role, all dead, on the data that they left behind.

    Evidence is the new process, accepting connections at the broker's port. When its replicas
    are in sync again is another question: `Cluster.wait_in_sync`.
    """
    return inject("restart", rig, role, methodcaller("start"), _accepts, limit_s)


def sigkill_status(broker: Broker) -> str | None:
    """Evidence that the process was ended by SIGKILL. Raises if it ended otherwise."""
    if broker.returncode is None:
        return None
    if not broker.ended_by_sigkill:
        raise ChildProcessError(f"pid {broker.pid} ended with code {broker.returncode}, not by us")
    return f"pid {broker.pid} gone: its wait status says signal 9 (SIGKILL)"


def _accepts(broker: Broker) -> str | None:
    if broker.returncode is not None:
        raise ChildProcessError(f"pid {broker.pid} ended with code {broker.returncode}")
    accepts = broker.pid and broker.port in processes.listening_ports(broker.pid)
    return f"pid {broker.pid} accepts connections" if accepts else None
