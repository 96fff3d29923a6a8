"""A Kafka Streams application, and its part of the ledger.

`python -m labs.engine.clients.streams CONFIG.json`, where the file holds a `StreamsConfig`. The
application runs in its own JVM (`StreamsApplication.java`), which dies with this process. It
reports each record before it processes it, and can be held at `handed` and `processed`. At
`processed` the result of a record was passed to the producer, which sends it while the application
is held, and nothing is committed.

It does not report the commits of the group; the group's coordinator has them.
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

_READ_S = 0.05
_ASK_S = 5.0
_REPORT_EVERY_S = 0.25
_CLOSE_S = 12.0  # the application itself allows 10 s
WORD_COUNTS: Mapping[str, int] = {
    "handed": 4, "standing": 1, "going": 0, "state": 1, "failed": 1, "kept": 2,
}  # fmt: skip
"""First word of a line → the number of words after it."""


@dataclass(frozen=True, slots=True)
class StreamsConfig:
    """Configuration of the process. `command` is the complete command of the application.

    `drain_limit_s` limits, in seconds, how long it reads to the end of the log after a stop
    command.
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
    """One instance of the application, from the time it joins its group until it leaves."""

    def __init__(self, config: StreamsConfig, process: JavaProcess, control: Control) -> None:
        self._config, self._process, self._control = config, process, control
        self._deliveries = Deliveries(
            Path(config.ledger), config.name, config.group, config.isolation
        )
        self._position: dict[int, int] = {}  # partition → offset after the last delivery
        self._state = Counter[str]()
        self._has_run = False
        self._failed: str | None = None
        self._report_due = 0.0
        self._is_behind = False

    def run(self) -> None:
        """Reads lines until the stop command, then to the end of the log; then closes.

        Raises `JavaProcessFailed` if the JVM ends earlier.
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
        self._report(ended=True, kept=self._state)

    def _drain(self) -> None:
        deadline = time.monotonic() + self._config.drain_limit_s
        ends: dict[int, int] = {}
        while time.monotonic() < deadline and not (self._failed or self._process.ended):
            ends = ends or log_ends(self._config.bootstrap, self._config.topic, _ASK_S)
            if ends and all(self._position.get(number, 0) >= end for number, end in ends.items()):
                return
            self._read_lines()
        self._is_behind = self._deliveries.is_still_arriving and not (
            self._failed or self._process.ended
        )

    def _read_lines(self) -> None:
        for words in self._process.read_lines(_READ_S):
            self._handle(*words)
        if time.monotonic() >= self._report_due:
            self._report(ended=False)
            self._report_due = time.monotonic() + _REPORT_EVERY_S

    def _handle(self, first: str, *rest: str) -> None:
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
            self._has_run = self._has_run or rest[0] == "RUNNING"
        elif first == "failed":
            self._failed = rest[0]
        elif first == "kept":
            self._state[rest[0]] += int(rest[1])

    def _report_held(self, point: str) -> None:
        """Writes all deliveries, so that a kill afterwards loses no evidence, and reports."""
        self._deliveries.flush()
        count = self._deliveries.count
        progress = {"handed": "the last one is not processed"}.get(
            point, "the last one's result is written"
        )
        report(
            written=True, delivered=count, standing=point, stands=f"{count:,} records, {progress}"
        )

    def _report(self, ended: bool, **fields: Any) -> None:
        report(
            ready=self._has_run or self._failed is not None, stopped=self._failed,
            delivered=self._deliveries.count, ended=ended, behind=self._is_behind, **fields,
        )  # fmt: skip


def main() -> None:
    config = read_config(StreamsConfig, sys.argv[1])
    process = JavaProcess(config.command, WORD_COUNTS)
    Run(config, process, listen(ForwardingControl(process))).run()


if __name__ == "__main__":
    main()
