"""A disk that accepts no more writes: a broker can no longer write to any file.

A read-only or full file system refuses writes, also to open files. Here the kernel refuses them to
one process: its RLIMIT_FSIZE becomes 0 (prlimit(2); writes fail with EFBIG, setrlimit(2)). This
requires no privilege for processes of the same user, and also applies to root, unlike the
permissions of a folder. A folder without write permission would also not affect open segments. The
broker's log output is lost as well.

A broker of the lab has one log folder, which includes its metadata. A broker exits when its last
log folder fails (KIP-112; LogManager.scala, `handleLogDirFailure`). The next process has no limit,
so a restart is the heal, on a writable disk.
"""

from __future__ import annotations

import resource

from labs.engine.cluster.broker import Broker
from labs.engine.faults.inject import inject
from labs.engine.faults.rig import Rig, Rows
from labs.engine.faults.roles import Role


def read_only(rig: Rig, role: Role, limit_s: float = 30) -> Rows:
    """Forbids the brokers of a role to write files, and waits until they have ended.

    The evidence is the limit that the kernel reports, and that the process exited with the code of
    a failed Java program. If it ended in another way, the fault `failed`.
    """
    limits: dict[int, int] = {}

    def act(broker: Broker) -> None:
        if broker.pid is None or broker.returncode is not None:
            raise RuntimeError(f"broker {broker.id} is not running")
        broker.expect_end(1)
        _, hard_limit = resource.prlimit(broker.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(broker.pid, resource.RLIMIT_FSIZE, (0, hard_limit))
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
