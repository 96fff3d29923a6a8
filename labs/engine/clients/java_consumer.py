"""The team's consumer group with Kafka's Java client, and its part of the ledger.

`python -m labs.engine.clients.java_consumer CONFIG.json`, where the file holds a
`JavaConsumerConfig`. The program (`ClientApplication.java`) does with the Java clients what
`clients.consumer` does with librdkafka. With an output topic it does what `clients.transformer`
does. The owner can hold it at `polling`, `handed` and `processed`. At `processed` all output of a
poll is in the log and nothing is committed. A program that cannot continue ends. It reports `ready`
once every partition is assigned and its position is resolved.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from labs.engine.clients.commits import Commits
from labs.engine.clients.control import Control, listen, read_config, report
from labs.engine.clients.deliveries import Deliveries
from labs.engine.clients.java_lines import WORD_COUNTS, ReadRows
from labs.engine.clients.java_process import ForwardingControl, JavaProcess
from labs.engine.clients.transformer import describe_abort
from labs.engine.clients.watermarks import log_ends

_READ_S = 0.05
_REPORT_EVERY_S = 0.25
_ASK_S = 5.0
_END_S = 12.0  # to leave the group; the program itself allows 5 s for each of its clients
_PROGRESS = {"handed": "none of them is processed", "processed": "all of them are processed"}


@dataclass(frozen=True, slots=True)
class JavaConsumerConfig:
    """Configuration of the process. `command` is the complete command of the program.

    `reports_commits` is whether the application itself commits and reports its commits; otherwise
    its client commits automatically. `drain_limit_s` limits, in seconds, how long it reads to the
    end of the log after a stop command. `rewinds` is whether the application returns to the input
    of an aborted transaction.
    """

    ledger: str
    name: str
    group: str
    topic: str
    bootstrap: str
    isolation: str
    command: Sequence[str]
    reports_commits: bool
    drain_limit_s: float = 15.0
    rewinds: bool = True


class Run:
    """One member of the group, from the time it joins until it leaves."""

    def __init__(self, config: JavaConsumerConfig, process: JavaProcess, control: Control) -> None:
        self._config, self._process, self._control = config, process, control
        ledger = Path(config.ledger)
        self._deliveries = Deliveries(ledger, config.name, config.group, config.isolation)
        self._commits = (
            Commits(ledger, config.name, config.group) if config.reports_commits else None
        )
        self._rows = ReadRows(config.topic, self._deliveries, self._commits)
        self._report_due = 0.0
        self._is_behind = False

    def run(self) -> None:
        """Reads lines until the stop command, then to the end of the log; then leaves the group.

        Raises `JavaProcessFailed` if the program ends without reporting why.
        """
        while not (self._control.stop.is_set() or self._process.ended):
            self._read_lines()
        self._drain()
        if self._process.ended and self._rows.stopped is None:
            self._process.raise_exit_failure()
        self._process.write_line("stop")
        self._read_until_end(_END_S)
        self._process.kill()
        self._read_until_end(_END_S)
        self._deliveries.close()
        if self._commits:
            self._commits.close()
        self._report(ended=True)

    def _drain(self) -> None:
        deadline = time.monotonic() + self._config.drain_limit_s
        ends: dict[int, int] = {}
        while time.monotonic() < deadline and not self._process.ended:
            ends = ends or log_ends(self._config.bootstrap, self._config.topic, _ASK_S)
            if ends and self._rows.is_at(ends):
                return
            self._read_lines()
        self._is_behind = self._deliveries.is_still_arriving and not self._process.ended

    def _read_until_end(self, limit_s: float) -> None:
        deadline = time.monotonic() + limit_s
        while not self._process.ended and time.monotonic() < deadline:
            self._read_lines()

    def _read_lines(self) -> None:
        for words in self._process.read_lines(_READ_S):
            self._handle(*words)
        if time.monotonic() >= self._report_due:
            self._report(ended=False)
            self._report_due = time.monotonic() + _REPORT_EVERY_S
            if self._commits:
                self._commits.flush()

    def _handle(self, first: str, *rest: str) -> None:
        if first == "standing":
            self._report_held(rest[0])
        elif first == "going":
            report(standing=None, written=False)
        elif first == "aborted":
            report(mishap=describe_abort(rest[1], int(rest[0]), self._config.rewinds))
        else:
            self._rows.take(first, *rest)

    def _report_held(self, point: str) -> None:
        """Flushes all rows, so that a kill loses no evidence, and reports the held point."""
        self._deliveries.flush()
        if self._commits:
            self._commits.flush()
        progress = _PROGRESS.get(point)
        report(
            standing=point, written=True, delivered=self._deliveries.count,
            position=self._rows.position,
            stands=f"{self._rows.in_hand:,} records in hand, {progress}" if progress else point,
        )  # fmt: skip

    def _report(self, ended: bool) -> None:
        rows = self._rows
        report(
            ready=rows.placed or rows.stopped is not None, stopped=rows.stopped,
            delivered=self._deliveries.count, ended=ended, behind=self._is_behind,
        )  # fmt: skip


def main() -> None:
    config = read_config(JavaConsumerConfig, sys.argv[1])
    process = JavaProcess(config.command, WORD_COUNTS)
    Run(config, process, listen(ForwardingControl(process))).run()


if __name__ == "__main__":
    main()
