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

    The evidence is the kernel's wait status of this process: ended by signal 9. If a broker ended
    in another way, or earlier, the fault `failed`.
    """
    return inject("kill", rig, role, Broker.kill, sigkill_status, limit_s=10)


def restart(rig: Rig, role: Role, limit_s: float = 60) -> Rows:
    """Starts the dead brokers of a role on their existing data.

    The evidence is the new process, which accepts connections at the broker's port. For its
    replicas to be in sync again, see `Cluster.wait_in_sync`.
    """
    return inject("restart", rig, role, methodcaller("start"), _accepts, limit_s)


def sigkill_status(broker: Broker) -> str | None:
    """Returns evidence that SIGKILL ended the process, None while it runs.

    Raises `ChildProcessError` if it ended in another way.
    """
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
