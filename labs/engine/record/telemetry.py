"""Samples an arm several times a second: brokers, leaders, log end offsets and counters.

No request goes to a broker that is paused or dead, and no answer is waited for longer than a
sample may take; what was not received is null. The log end offsets come from the brokers' files,
so they are known whatever state the brokers are in.
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
_RATE_SAMPLES = 5  # samples
_RATES = ("acknowledged", "delivered")
_SHOWN = ("leader", "isr", "high_watermark", "committed")
"""The columns of partition 0 that are shown while the arm runs, besides its log end offsets."""

Counters = Callable[[], dict[str, int]]
Show = Callable[[dict[str, Any]], None]


class Sampler:
    """Samples from `start` to `stop`, passes each sample to `show`, and writes `telemetry`.

    A shown sample has the leader, the in-sync set, the high watermark, the committed offset of
    `group` and the log end offsets (by broker) of partition 0. They are None or empty while no
    running broker knows them.
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
        self._recent: deque[tuple[int, Mapping[str, int]]] = deque(maxlen=_RATE_SAMPLES)
        self._requesters = ThreadPoolExecutor(
            2 * cluster.layout.brokers, thread_name_prefix="offsets"
        )
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
        self._requesters.shutdown(wait=False, cancel_futures=True)
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
            row = common | _columns(partition_state, answers)
            self._rows += [
                {**row, "replica": replica, "log_end_offset": end}
                for (number, replica), end in ends.items()
                if number == partition
            ]
        shown = _columns(described.get(0) or PartitionState(0, None, (), None, None), answers)
        shown_ends = {
            str(replica): end for (partition, replica), end in ends.items() if partition == 0
        }
        self._show({
            "brokers": states, **{name: shown[name] for name in _SHOWN}, "ends": shown_ends,
            **counters, **self._rates(now, counters),
        })  # fmt: skip

    def _offsets(self) -> Mapping[int, Offsets]:
        """The offsets that each running broker reports, by its id; silent ones are absent."""
        partitions = sorted(self._known)
        requests = {
            self._requesters.submit(
                offsets.fetch, broker.port, self._topic, partitions, self._group, _EVERY_S
            ): broker.id
            for broker in self._cluster.brokers.values()
            if partitions and broker.state == "running"
        }
        done, _ = wait(requests, timeout=_EVERY_S)
        return {requests[task]: task.result() for task in done if not task.exception()}

    def _log_ends(self) -> dict[tuple[int, int], int | None]:
        """The log end offset of every replica that exists or once did, by (partition, broker)."""
        for broker in self._cluster.brokers.values():
            for partition in self._known:
                folder = broker.data / f"{self._topic}-{partition}"
                if (partition, broker.id) not in self._logs and folder.is_dir():
                    self._logs[partition, broker.id] = LogEnd(folder)
        return {place: log.read() for place, log in sorted(self._logs.items())}

    def _rates(self, now: int, counters: Mapping[str, int]) -> dict[str, int]:
        """Messages acknowledged and delivered per second, over the last samples."""
        # Clients report four times a second, so two consecutive samples may be equal.
        self._recent.append((now, counters))
        then, before = self._recent[0]
        return {
            f"{name}_per_s": round((counters[name] - before[name]) * 1e9 / (now - then))
            if now > then else 0
            for name in _RATES
        }  # fmt: skip


def _columns(partition_state: PartitionState, answers: Mapping[int, Offsets]) -> dict[str, Any]:
    """A partition's columns: the leader reports watermarks, the coordinator committed offsets."""
    partition = partition_state.partition
    leader = answers.get(partition_state.leader or 0, Offsets())
    commits: Sequence[int] = [
        answer.committed[partition] for answer in answers.values() if partition in answer.committed
    ]
    return {
        "partition": partition,
        "leader": partition_state.leader,
        "isr": list(partition_state.isr),
        "elr": partition_state.elr,
        "leader_epoch": partition_state.leader_epoch,
        "high_watermark": leader.high_watermark.get(partition),
        "last_stable_offset": leader.last_stable.get(partition),
        "committed": max(commits, default=None),
    }
