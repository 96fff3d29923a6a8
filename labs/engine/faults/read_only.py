"""A disk that takes no more writes: a broker can no longer write to any file.

A file system that went read-only, or is full, refuses what is written, also to files that are
open. Here the kernel refuses it to one process: its RLIMIT_FSIZE becomes 0 (prlimit(2); writes
fail with EFBIG, setrlimit(2)). That needs no right but to be the broker's owner, and binds root
too, whom the permissions of a folder do not bind; a folder without write permission would not
touch the segments that are open, either. What the broker prints cannot be written any more.

A lab's broker has one log folder, with its metadata in it; a broker whose last log folder failed
ends itself (KIP-112; LogManager.scala, `handleLogDirFailure`). The next process has no limit: a
restart is the heal, on a disk that can be written again.
"""

from __future__ import annotations

import resource

from labs.engine.cluster.broker import Broker
from labs.engine.faults.inject import inject
from labs.engine.faults.rig import Rig, Rows
from labs.engine.faults.roles import Role


def read_only(rig: Rig, role: Role, limit_s: float = 30) -> Rows:
    """Takes from the brokers of a role the right to write files, and waits until they have ended.

    Evidence is the limit as the kernel tells it and that the process ended itself, by the code
    of a Java program that gave up. If one ended in another way, the fault `failed`.
    """
    limits: dict[int, int] = {}

    def act(broker: Broker) -> None:
        if broker.pid is None or broker.returncode is not None:
            raise RuntimeError(f"broker {broker.id} is not running")
        broker.expect_end(1)
        _, most = resource.prlimit(broker.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(broker.pid, resource.RLIMIT_FSIZE, (0, most))
        limits[broker.id] = resource.prlimit(broker.pid, resource.RLIMIT_FSIZE)[0]

    def proof(broker: Broker) -> str | None:
        if broker.returncode is None:
            return None
        if not broker.ended_itself:
            raise ChildProcessError(f"pid {broker.pid} ended with code {broker.returncode}")
        return (
            f"simulated read-only disk: pid {broker.pid} could write files of {limits[broker.id]} "
            f"bytes at most, and ended itself with code {broker.returncode}"
        )

    return inject("read_only", rig, role, act, proof, limit_s)
