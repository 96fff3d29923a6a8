"""A look at an arm several times a second: broker states, leader, in-sync set, counters."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

from labs.engine.kafka.cluster import Cluster
from labs.engine.ledger import TableWriter

_EVERY_S = 0.3
_RATE_OVER = 4  # samples

Counters = Callable[[], dict[str, int]]
Show = Callable[[dict[str, Any]], None]


class Sampler:
    """Samples from `start` to `stop`, tells `show` of each sample, and writes `telemetry`.

    A sample's `leader` and `isr` are those of partition 0; None and empty while no broker that
    runs can say.
    """

    def __init__(
        self, cluster: Cluster, topic: str, counters: Counters, ledger: Path, show: Show
    ) -> None:
        self._cluster, self._topic, self._counters = cluster, topic, counters
        self._show = show
        self._writer = TableWriter(ledger, "telemetry", "sampler")
        self._rows: list[dict[str, Any]] = []
        self._stopping = Event()
        self._recent: deque[tuple[int, int]] = deque(maxlen=_RATE_OVER)  # (time_ns, acked)
        self._thread = Thread(target=self._run, name="sampler", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends sampling and writes the table; may be called twice, or without a start."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._writer.flush_rows(self._rows)

    def _run(self) -> None:
        while not self._stopping.is_set():
            began = time.monotonic()
            self._sample()
            self._stopping.wait(max(0.05, began + _EVERY_S - time.monotonic()))

    def _sample(self) -> None:
        states = {str(id_): state for id_, state in self._cluster.states().items()}
        partitions = self._cluster.describe(self._topic, limit_s=_EVERY_S)
        counters, now = self._counters(), time.monotonic_ns()
        brokers = ",".join(f"{id_}:{state}" for id_, state in states.items())
        for known in partitions:
            self._rows.append(
                {
                    "time_ns": now, "topic": self._topic, "partition": known.partition,
                    "leader": known.leader, "isr": known.isr, "elr": known.elr,
                    "leader_epoch": known.leader_epoch, "brokers": brokers, **counters,
                }
            )  # fmt: skip
        first = partitions[0] if partitions else None
        self._show(
            {
                "brokers": states,
                "leader": first.leader if first else None,
                "isr": list(first.isr) if first else [],
                **counters,
                "acknowledged_per_s": self._rate(now, counters["acknowledged"]),
            }
        )

    def _rate(self, now: int, acknowledged: int) -> int:
        # Clients report four times a second: from one sample to the next there may be no news.
        self._recent.append((now, acknowledged))
        then, before = self._recent[0]
        return round((acknowledged - before) * 1e9 / (now - then)) if now > then else 0
