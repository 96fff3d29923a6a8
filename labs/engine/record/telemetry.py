"""Samples an arm several times a second: brokers, leaders, log ends and counters.

Nothing here asks a broker that is paused or dead, and no answer is waited for longer than a
sample may take: what was not heard is null. The ends of logs come from the brokers' files, so
they are there whatever the brokers do.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from threading import Event, Thread
from typing import Any

from labs.engine.cluster.cluster import Cluster
from labs.engine.cluster.log_ends import LogEnd
from labs.engine.protocol import offsets
from labs.engine.protocol.offsets import Offsets
from labs.engine.protocol.topics import PartitionState
from labs.engine.record.ledger import TableWriter

_EVERY_S = 0.25
_RATE_OVER = 5  # samples
_RATES = ("acknowledged", "delivered")
_SHOWN = ("leader", "isr", "high_watermark", "committed")
"""What is shown of partition 0 while the arm runs, besides the ends of its logs."""

Counters = Callable[[], dict[str, int]]
Show = Callable[[dict[str, Any]], None]


class Sampler:
    """Samples from `start` to `stop`, tells `show` of each sample, and writes `telemetry`.

    A sample that is shown has the leader, the in-sync set, the watermark, the committed offset and
    the ends of the logs (by broker) of partition 0; None and empty while no broker that runs can
    say. `group` is whose commits are looked at.
    """

    def __init__(
        self, cluster: Cluster, topic: str, group: str, counters: Counters, ledger: Path,
        show: Show,
    ) -> None:  # fmt: skip
        self._cluster, self._topic, self._group = cluster, topic, group
        self._counters, self._show = counters, show
        self._writer = TableWriter(ledger, "telemetry", "sampler")
        self._rows: list[dict[str, Any]] = []
        self._known: dict[int, PartitionState] = {}
        self._logs: dict[tuple[int, int], LogEnd] = {}  # (partition, broker)
        self._stopping = Event()
        self._recent: deque[tuple[int, Mapping[str, int]]] = deque(maxlen=_RATE_OVER)
        self._askers = ThreadPoolExecutor(2 * cluster.layout.brokers, thread_name_prefix="offsets")
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
        self._askers.shutdown(wait=False, cancel_futures=True)
        self._writer.flush_rows(self._rows)

    def _run(self) -> None:
        while not self._stopping.is_set():
            began = time.monotonic()
            self._sample()
            self._stopping.wait(max(0.05, began + _EVERY_S - time.monotonic()))

    def _sample(self) -> None:
        states = {str(id_): state for id_, state in self._cluster.states().items()}
        described = {
            state.partition: state for state in self._cluster.describe(self._topic, _EVERY_S)
        }
        self._known |= described
        answers = self._offsets()
        ends = self._log_ends()
        counters, now = self._counters(), time.monotonic_ns()
        common = {
            "time_ns": now, "topic": self._topic, **counters,
            "brokers": ",".join(f"{id_}:{state}" for id_, state in states.items()),
        }  # fmt: skip
        for partition in sorted(self._known):
            partition_state = described.get(partition) or PartitionState(
                partition, None, (), None, None
            )
            seen = common | _of_partition(partition_state, answers)
            self._rows += [
                {**seen, "replica": replica, "log_end_offset": end}
                for (own, replica), end in ends.items()
                if own == partition
            ]
        first = _of_partition(described.get(0) or PartitionState(0, None, (), None, None), answers)
        own = {str(replica): end for (partition, replica), end in ends.items() if partition == 0}
        self._show({
            "brokers": states, **{name: first[name] for name in _SHOWN}, "ends": own,
            **counters, **self._rates(now, counters),
        })  # fmt: skip

    def _offsets(self) -> Mapping[int, Offsets]:
        """What each running broker says, by its id; silent ones are absent."""
        partitions = sorted(self._known)
        fields = {
            self._askers.submit(
                offsets.fetch, broker.port, self._topic, partitions, self._group, _EVERY_S
            ): broker.id
            for broker in self._cluster.brokers.values()
            if partitions and broker.state == "running"
        }
        done, _ = wait(fields, timeout=_EVERY_S)
        return {fields[ask]: ask.result() for ask in done if not ask.exception()}

    def _log_ends(self) -> dict[tuple[int, int], int | None]:
        """The end of every replica's log that there is or once was, by (partition, broker)."""
        for broker in self._cluster.brokers.values():
            for partition in self._known:
                folder = broker.data / f"{self._topic}-{partition}"
                if (partition, broker.id) not in self._logs and folder.is_dir():
                    self._logs[partition, broker.id] = LogEnd(folder)
        return {place: log.read() for place, log in sorted(self._logs.items())}

    def _rates(self, now: int, counters: Mapping[str, int]) -> dict[str, int]:
        """How much a second was acknowledged and delivered of late."""
        # Clients report four times a second: from one sample to the next there may be no news.
        self._recent.append((now, counters))
        then, before = self._recent[0]
        return {
            f"{name}_per_s": round((counters[name] - before[name]) * 1e9 / (now - then))
            if now > then else 0
            for name in _RATES
        }  # fmt: skip


def _of_partition(
    partition_state: PartitionState, answers: Mapping[int, Offsets]
) -> dict[str, Any]:
    """A partition's columns: its leader tells the watermarks, the coordinator the commits."""
    own = partition_state.partition
    leader = answers.get(partition_state.leader or 0, Offsets())
    commits: Sequence[int] = [a.committed[own] for a in answers.values() if own in a.committed]
    return {
        "partition": own,
        "leader": partition_state.leader,
        "isr": list(partition_state.isr),
        "elr": partition_state.elr,
        "leader_epoch": partition_state.leader_epoch,
        "high_watermark": leader.high_watermark.get(own),
        "last_stable_offset": leader.last_stable.get(own),
        "committed": max(commits, default=None),
    }
