"""SIGSTOP, and the SIGCONT that heals it: a broker that is connected and does not respond."""

from __future__ import annotations

from collections import Counter

from labs.engine.base import processes
from labs.engine.cluster.broker import Broker
from labs.engine.faults.inject import inject
from labs.engine.faults.rig import Rig, Rows
from labs.engine.faults.roles import Role


def pause(rig: Rig, role: Role) -> Rows:
    """Stops the brokers of a role by SIGSTOP, like a long garbage collection or a hung disk.

    The evidence is the kernel's state of every thread of the process: T, stopped by a signal
    (proc(5)). The process keeps its connections: peers get no response, but no closed socket.
    """
    return inject("pause", rig, role, _stop, all_threads_stopped, limit_s=5)


def resume(rig: Rig, role: Role) -> Rows:
    """Continues the paused brokers of a role by SIGCONT.

    The evidence is that no thread of the process is still in state T.
    """
    return inject("resume", rig, role, _continue, _running, limit_s=5)


def _stop(broker: Broker) -> None:
    if broker.state == "paused":
        raise RuntimeError(f"broker {broker.id} (pid {broker.pid}) was paused already")
    broker.pause()


def _continue(broker: Broker) -> None:
    if broker.state == "running":
        raise RuntimeError(f"broker {broker.id} (pid {broker.pid}) was not paused")
    broker.resume()


def _threads(broker: Broker) -> Counter[str]:
    if broker.pid is None or broker.returncode is not None:
        raise ChildProcessError(f"pid {broker.pid} ended with code {broker.returncode}")
    return Counter(processes.thread_states(broker.pid))


def all_threads_stopped(broker: Broker) -> str | None:
    """Returns evidence that every thread of the process is stopped, None if not."""
    threads = _threads(broker)
    if not threads or set(threads) != {"T"}:
        return None
    return f"pid {broker.pid} state T in all {threads['T']} threads"


def _running(broker: Broker) -> str | None:
    threads = _threads(broker)
    if not threads or threads["T"]:
        return None
    return f"pid {broker.pid} runs again: none of {threads.total()} threads in state T"
