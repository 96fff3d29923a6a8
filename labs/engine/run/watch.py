"""Detects disturbances: a process of the run is stopped although the run did not stop it.

A schedule of seconds and the timeouts of clients are meaningful only while all processes run.
From the boot of a cluster to its verdict, a process that is stopped for too long ends the arm
(`labs.engine.base.wait.Disturbed`). Where time is kept, a machine that froze is a failed row of the
ledger's `faults`: such a run never holds, whenever its ledger is judged.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from labs.engine.base import processes
from labs.engine.clients.process import ClientProcess
from labs.engine.cluster.cluster import Cluster
from labs.engine.faults.record import FaultLog

LONG_S = 2.0
"""As long as the shortest steps of a schedule. A busy machine makes a thread wait for a fraction
of a second; one that is out of memory, or frozen, for many."""

_EVERY_S = 0.25


class Watch:
    """Looks several times a second, from `with` to its end.

    `log` knows who was stopped here, and gets a row when a look comes late. `disturbance` says what
    froze, in words; it is '' as long as nothing did.
    """

    def __init__(
        self, cluster: Cluster, clients: Callable[[], Iterable[ClientProcess]], log: FaultLog
    ) -> None:
        self.disturbance = ""
        self._cluster, self._clients, self._log = cluster, clients, log
        self._since: dict[str, float] = {}
        self._looked: float | None = None
        self._keeps_time = False
        self._over = Event()
        self._thread = Thread(target=self._run, name="watch", daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    @contextmanager
    def keeping_time(self) -> Iterator[None]:
        """Within it a look that comes late counts: the schedule and the clients have deadlines."""
        self._looked, self._keeps_time = None, True
        try:
            yield
        finally:
            self._keeps_time = False

    def look(self, now: float) -> None:
        """Checks once which processes are stopped, and whether the check itself comes late."""
        before, self._looked = self._looked, now
        late = 0.0 if before is None else now - before - _EVERY_S
        if late >= LONG_S and self._keeps_time:
            why = f"nothing ran here for {late:.1f} s: it was busy with other things, or frozen"
            self._log.record("run", "machine", "failed", why)
        stopped = {name for name, pids in self._everybody() if any(map(_is_stopped, pids))}
        stopped = {name for name in stopped if not self._log.paused(name)}
        by_name, self._since = self._since, {name: self._since.get(name, now) for name in stopped}
        for name, since in (by_name | self._since).items():  # also of who has just gone on
            if now - since >= LONG_S and not self.disturbance:
                self.disturbance = (
                    f"{name} stood still for {now - since:.1f} s, and nothing here had stopped it"
                )

    def _run(self) -> None:
        try:
            while not self._over.is_set():
                self.look(time.monotonic())
                self._over.wait(_EVERY_S)
        except Exception as problem:  # who does not look cannot say that nothing was wrong
            self.disturbance = f"the watch over its processes failed: {problem}"

    def _everybody(self) -> Iterator[tuple[str, list[int]]]:
        """The process ids of each node and client; a client may have a JVM as its child."""
        for node in list(self._cluster.nodes.values()):
            if node.pid is not None and node.state != "dead":
                yield node.name, [node.pid]
        if self._cluster.links:
            yield "what carries the links", self._cluster.links.pids
        for client in self._clients():
            if client.returncode is None:
                yield client.name, processes.process_tree(client.pid)


def _is_stopped(pid: int) -> bool:
    """Whether the kernel holds a process stopped (proc(5))."""
    return processes.state(pid) in ("T", "t")
