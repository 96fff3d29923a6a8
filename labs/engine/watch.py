"""Whether a run was disturbed: what should run stands still, and nobody here stopped it.

A schedule of seconds, and the patience of clients, mean what they say only while everybody gets
to run. What stood still for longer is a failed row of the ledger's `faults`: such a run never
holds, whenever its ledger is judged.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from threading import Event, Thread
from types import TracebackType

from labs.engine import processes
from labs.engine.clients.process import ClientProcess
from labs.engine.faults import FaultLog
from labs.engine.kafka.cluster import Cluster

LONG_S = 2.0
"""As long as the shortest steps of a schedule. A busy machine makes a thread wait for a fraction
of a second; one that is out of memory, or frozen, for many."""

_EVERY_S = 0.25


class Watch:
    """Looks several times a second, from `with` to its end; what it finds goes into `log`."""

    def __init__(
        self, cluster: Cluster, clients: Callable[[], Iterable[ClientProcess]], log: FaultLog
    ) -> None:
        self._cluster, self._clients, self._log = cluster, clients, log
        self._since: dict[str, float] = {}
        self._looked: float | None = None
        self._over = Event()
        self._thread = Thread(target=self._run, name="watch", daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self._over.set()
        self._thread.join()
        now = time.monotonic()
        for name, since in self._since.items():
            self._stood_still(name, now - since)

    def look(self, now: float) -> None:
        """One look: who is stopped, and whether the look itself comes late."""
        if self._looked is not None:
            late = now - self._looked - _EVERY_S
            if late >= LONG_S:
                why = f"nothing ran here for {late:.1f} s: it was busy with other things, or frozen"
                self._log.record("run", "machine", "failed", why)
        self._looked = now
        stopped = {name for name, pids in self._everybody() if any(map(_is_stopped, pids))}
        stopped = {name for name in stopped if not self._log.paused(name)}
        for name in self._since.keys() - stopped:
            self._stood_still(name, now - self._since.pop(name))
        for name in stopped:
            self._since.setdefault(name, now)

    def _run(self) -> None:
        while not self._over.is_set():
            self.look(time.monotonic())
            self._over.wait(_EVERY_S)

    def _everybody(self) -> Iterator[tuple[str, list[int]]]:
        """Who runs, and the processes of each: a broker starts none, a client may have a JVM."""
        for broker in self._cluster.brokers.values():
            if broker.pid is not None and broker.state != "dead":
                yield f"broker {broker.id}", [broker.pid]
        for client in self._clients():
            if client.returncode is None:
                yield client.name, processes.family(client.pid)

    def _stood_still(self, name: str, seconds: float) -> None:
        if seconds >= LONG_S:
            why = f"it stood still for {seconds:.1f} s, and nothing here had stopped it"
            self._log.record("run", name, "failed", why)


def _is_stopped(pid: int) -> bool:
    """Whether the kernel holds a process stopped (proc(5))."""
    return processes.state(pid) in ("T", "t")
