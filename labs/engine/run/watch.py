"""Detects disturbances: a process of the run is stopped although the run did not stop it.

A schedule in seconds and the timeouts of clients are meaningful only while all processes run.
From the boot of a cluster to its verdict, a process that is stopped for too long ends the arm
(`labs.engine.base.wait.Disturbed`). While deadlines apply, a machine that freezes adds a failed row
to the ledger's table `faults`. Such a run never holds, no matter when its ledger is judged.
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
"""As long as the shortest steps of a schedule. On a busy machine a thread waits for a fraction of a
second; on one that is out of memory, or frozen, for many seconds."""

_EVERY_S = 0.25


class Watch:
    """Checks all processes several times a second, until its `with` block ends.

    `log` knows which processes the run stopped, and gets a row when a check is late. `disturbance`
    describes what stopped; it is '' as long as nothing did.
    """

    def __init__(
        self, cluster: Cluster, clients: Callable[[], Iterable[ClientProcess]], log: FaultLog
    ) -> None:
        self.disturbance = ""
        self._cluster, self._clients, self._log = cluster, clients, log
        self._since: dict[str, float] = {}
        self._checked_at: float | None = None
        self._has_deadlines = False
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="watch", daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()

    @contextmanager
    def with_deadlines(self) -> Iterator[None]:
        """Records late checks in this block, in which the schedule and clients have deadlines."""
        self._checked_at, self._has_deadlines = None, True
        try:
            yield
        finally:
            self._has_deadlines = False

    def check(self, now: float) -> None:
        """Checks once which processes are stopped, and whether the check itself is late."""
        before, self._checked_at = self._checked_at, now
        late = 0.0 if before is None else now - before - _EVERY_S
        if late >= LONG_S and self._has_deadlines:
            why = f"nothing ran here for {late:.1f} s: the machine was busy or frozen"
            self._log.record("run", "machine", "failed", why)
        stopped = {name for name, pids in self._process_ids() if any(map(_is_stopped, pids))}
        stopped = {name for name in stopped if not self._log.paused(name)}
        earlier, self._since = self._since, {name: self._since.get(name, now) for name in stopped}
        for name, since in (earlier | self._since).items():  # includes those that just resumed
            if now - since >= LONG_S and not self.disturbance:
                self.disturbance = (
                    f"{name} was stopped for {now - since:.1f} s, and not by this run"
                )

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self.check(time.monotonic())
                self._stopping.wait(_EVERY_S)
        except Exception as error:  # without checks nobody knows that nothing was wrong
            self.disturbance = f"the check of its processes failed: {error}"

    def _process_ids(self) -> Iterator[tuple[str, list[int]]]:
        """The names and process ids of nodes and clients; a client may have a JVM as its child."""
        for node in list(self._cluster.nodes.values()):
            if node.pid is not None and node.state != "dead":
                yield node.name, [node.pid]
        if self._cluster.links:
            yield "the proxy of the links", self._cluster.links.pids
        for client in self._clients():
            if client.returncode is None:
                yield client.name, processes.process_tree(client.pid)


def _is_stopped(pid: int) -> bool:
    """Whether the kernel holds a process stopped (proc(5))."""
    return processes.state(pid) in ("T", "t")
