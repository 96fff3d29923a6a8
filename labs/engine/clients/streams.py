"""A Kafka Streams application, and its part of the ledger.

`python -m labs.engine.clients.streams CONFIG.json`, where the file holds a `StreamsConfig`. The
application runs in a JVM of its own (`StreamsApplication.java`), which dies with this process. It
reports each record before it is processed, and can be held at `handed` and `processed`. At
`processed` a record's result was handed to the producer, which sends it while the application is
held, and nothing is committed.

It does not report what the group committed; the group's coordinator knows.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labs.engine.clients.control import Control, listen, read_config, report
from labs.engine.clients.deliveries import Deliveries
from labs.engine.clients.java_process import ForwardingControl, JavaProcess
from labs.engine.clients.watermarks import log_ends

_HEAR_S = 0.05
_ASK_S = 5.0
_REPORT_EVERY_S = 0.25
_CLOSE_S = 12.0  # the application's own limit is 10 s
WORD_COUNTS: Mapping[str, int] = {
    "handed": 4, "standing": 1, "going": 0, "state": 1, "failed": 1, "kept": 2,
}  # fmt: skip
"""How many words follow the first word of a line."""


@dataclass(frozen=True, slots=True)
class StreamsConfig:
    """Configuration of the process. `command` starts the application, complete.

    `drain_limit_s` bounds the reading to the end after a stop.
    """

    ledger: str
    name: str
    group: str
    topic: str
    bootstrap: str
    isolation: str
    command: Sequence[str]
    drain_limit_s: float = 15.0


class Run:
    """One instance of the application, from joining its group to leaving."""

    def __init__(self, config: StreamsConfig, process: JavaProcess, control: Control) -> None:
        self._config, self._process, self._control = config, process, control
        self._deliveries = Deliveries(
            Path(config.ledger), config.name, config.group, config.isolation
        )
        self._position: dict[int, int] = {}  # by partition: the offset after the last one handed
        self._kept = Counter[str]()
        self._runs = False
        self._failed: str | None = None
        self._due_report = 0.0
        self._behind = False

    def run(self) -> None:
        """Reads lines until the owner says stop, then to the end of the log; then it closes.

        Raises `JavaProcessFailed` if the JVM ends before.
        """
        while not self._control.stop.is_set():
            self._read_lines()
            if self._process.ended:
                self._process.raise_exit_failure()
        self._drain()
        if self._process.ended and self._failed is None:
            self._process.raise_exit_failure()
        self._process.write_line("stop")
        deadline = time.monotonic() + _CLOSE_S
        while not self._process.ended and time.monotonic() < deadline:
            self._read_lines()
        self._process.kill()
        self._deliveries.close()
        self._report(ended=True, kept=self._kept)

    def _drain(self) -> None:
        deadline = time.monotonic() + self._config.drain_limit_s
        ends: dict[int, int] = {}
        while time.monotonic() < deadline and not (self._failed or self._process.ended):
            ends = ends or log_ends(self._config.bootstrap, self._config.topic, _ASK_S)
            if ends and all(self._position.get(number, 0) >= end for number, end in ends.items()):
                return
            self._read_lines()
        self._behind = self._deliveries.is_still_arriving and not (
            self._failed or self._process.ended
        )

    def _read_lines(self) -> None:
        for words in self._process.read_lines(_HEAR_S):
            self._take(*words)
        if time.monotonic() >= self._due_report:
            self._report(ended=False)
            self._due_report = time.monotonic() + _REPORT_EVERY_S

    def _take(self, first: str, *rest: str) -> None:
        if first == "handed":
            partition, offset, value, time_ns = map(int, rest)
            self._deliveries.add_record(self._config.topic, partition, offset, value, time_ns)
            self._deliveries.end_poll()
            self._position[partition] = offset + 1
        elif first == "standing":
            self._report_held(rest[0])
        elif first == "going":
            report(standing=None, written=False)
        elif first == "state":
            self._runs = self._runs or rest[0] == "RUNNING"
        elif first == "failed":
            self._failed = rest[0]
        elif first == "kept":
            self._kept[rest[0]] += int(rest[1])

    def _report_held(self, point: str) -> None:
        """Writes down all deliveries, so that a kill after this loses no evidence."""
        self._deliveries.flush()
        count = self._deliveries.count
        last = {"handed": "the last is not processed"}.get(
            point, "the last one's result is written"
        )
        report(written=True, delivered=count, standing=point, stands=f"{count:,} records, {last}")

    def _report(self, ended: bool, **more: Any) -> None:
        report(
            ready=self._runs or self._failed is not None, stopped=self._failed,
            delivered=self._deliveries.count, ended=ended, behind=self._behind, **more,
        )  # fmt: skip


def main() -> None:
    config = read_config(StreamsConfig, sys.argv[1])
    tool = JavaProcess(config.command, WORD_COUNTS)
    Run(config, tool, listen(ForwardingControl(tool))).run()


if __name__ == "__main__":
    main()
