"""The brokers of one arm, booted on request or ahead of time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from labs.engine.cluster.cluster import Cluster
from labs.engine.cluster.prepare import prepared
from labs.engine.distributions.download import Progress
from labs.engine.distributions.java import find_java
from labs.engine.run.shape import Shape


@dataclass(frozen=True, slots=True)
class Booted:
    """A cluster that serves and has no topic yet. `java` is the version that it runs on."""

    cluster: Cluster
    kafka: str
    java: str
    took_s: float
    ready_ns: int


def boot(shape: Shape, folder: Path, logs: Path, progress: Progress) -> Booted:
    """Boots a cluster of a shape; the caller stops it.

    Raises `BootFailed`, and the errors of `prepared`.
    """
    java = find_java()
    distribution = prepared(shape.kafka, java, progress, zookeeper=shape.layout.zookeeper)
    began_ns = time.monotonic_ns()
    cluster = Cluster(
        distribution, java, folder, shape.layout, shape.settings, features=shape.features, logs=logs
    )
    cluster.start()
    now = time.monotonic_ns()
    return Booted(cluster, distribution.version, java.version, (now - began_ns) / 1e9, now)


class PrebootedCluster:
    """A cluster that boots ahead of time, to be used once, by one arm.

    It keeps its place among the machine's clusters (`slots`) until it is stopped.
    """

    def __init__(self, shape: Shape, folder: Path, place: IO[bytes]) -> None:
        self._place, self._logs = place, folder / "logs"
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="ahead")
        self._boot = self._thread.submit(
            boot, shape, folder / "cluster", self._logs, lambda _: None
        )

    @property
    def booted(self) -> bool:
        """Whether it has booted, or has failed to boot."""
        return self._boot.done()

    @property
    def usable(self) -> bool:
        """Whether it is booting, or has booted and every node and the proxy of its links run."""
        if not self.booted:
            return True
        if self._boot.exception():
            return False
        cluster = self._boot.result().cluster
        running = {node.state for node in cluster.nodes.values()} == {"running"}
        return running and not cluster.lost

    @contextmanager
    def use(self, logs: Path, report: Callable[[str], None]) -> Iterator[Booted]:
        """Yields the cluster, with its logs in the folder `logs`, and stops it after the block.

        Once the cluster serves, `report` receives a note on when it was booted. Raises the errors
        of `boot`.
        """
        began_ns = time.monotonic_ns()
        try:
            booted = self._boot.result()
            booted.cluster.move_logs(logs)
            report(_boot_note(booted, began_ns))
            yield booted
        finally:
            if not self._boot.cancel() and not self._boot.exception():
                self._boot.result().cluster.stop()
            self._thread.shutdown()
            self._place.close()


def _boot_note(booted: Booted, requested_ns: int) -> str:
    early_s = (requested_ns - booted.ready_ns) / 1e9
    when = f"{early_s:.0f} s before this run" if early_s > 0 else "since before this run"
    return f"the brokers were booted {when}, in {booted.took_s:.1f} s"
