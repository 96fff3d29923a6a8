"""The team's producer with Kafka's Java client, and its part of the ledger.

`python -m labs.engine.clients.java_producer CONFIG.json`, where the file holds a
`JavaProducerConfig`. The program (`ClientApplication.java`) sends the numbers from 0 upwards as
text. It reports each attempt and its result, which become rows. An attempt without a result at the
end is `info`, also if the JVM was killed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from labs.engine.clients.control import Control, listen, read_config, report
from labs.engine.clients.java_lines import WORD_COUNTS, SentRows
from labs.engine.clients.java_process import ForwardingControl, JavaProcess
from labs.engine.clients.sends import Sends

_READ_S = 0.05
_REPORT_EVERY_S = 0.25
_WRITE_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class JavaProducerConfig:
    """Configuration of the process. `command` is the complete command of the program.

    `resend` is whether the application sends a value again after an error. `flush_limit_s` limits,
    in seconds, the wait for the program to end after a stop command.
    """

    ledger: str
    name: str
    topic: str
    command: Sequence[str]
    keyed: bool = False
    resend: bool = False
    flush_limit_s: float = 30.0


class Run:
    """One producer, from its first send to its last result."""

    def __init__(self, config: JavaProducerConfig, process: JavaProcess, control: Control) -> None:
        self._process, self._control, self._limit_s = process, control, config.flush_limit_s
        self._sends = Sends(
            Path(config.ledger), config.name, config.name, config.topic, config.keyed
        )
        self._rows = SentRows(self._sends, config.resend)
        self._report_due = self._write_due = 0.0

    def run(self) -> None:
        """Reads lines until the stop command, then lets the program flush and end.

        Raises `LinesMissing`, and `JavaProcessFailed` if the program ends earlier.
        """
        while not (self._control.stop.is_set() or self._process.ended):
            self._read_lines()
        if self._process.ended:
            self._process.raise_exit_failure()
        self._rows.run_over = True
        self._process.write_line("stop")
        deadline = time.monotonic() + self._limit_s
        while not self._process.ended and time.monotonic() < deadline:
            self._read_lines()
        self._process.kill()
        while not self._process.ended:
            self._read_lines()
        self._rows.close()
        report(**self._sends.totals, ended=True)

    def _read_lines(self) -> None:
        for words in self._process.read_lines(_READ_S):
            self._rows.take(*words)
        now = time.monotonic()
        if now >= self._write_due:
            self._sends.flush()
            self._write_due = now + _WRITE_EVERY_S
        if now >= self._report_due:
            report(**self._sends.totals, ended=False)
            self._report_due = now + _REPORT_EVERY_S


def main() -> None:
    config = read_config(JavaProducerConfig, sys.argv[1])
    process = JavaProcess(config.command, WORD_COUNTS)
    Run(config, process, listen(ForwardingControl(process))).run()


if __name__ == "__main__":
    main()
