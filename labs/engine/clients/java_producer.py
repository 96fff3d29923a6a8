"""The team's producer as Kafka's own Java client: VerifiableProducer, and its part of the ledger.

`python -m labs.engine.clients.java_producer CONFIG.json`, where the file holds a
`JavaProducerConfig`. The tool sends the numbers from 0 upwards as text and never sends one again.
What it prints becomes rows: invoked when the client says that it takes the record, completed when
the tool was answered (to the end of that millisecond). A record without an answer at the end, be
it that the JVM was killed, is `info`; one that was never taken has no row. It cannot be told to
stand still: the tool knows no such wish.
"""

from __future__ import annotations

import json
import sys
import time
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from labs.engine.clients import verifiable
from labs.engine.clients.control import Control, listen, report
from labs.engine.clients.sends import Sends
from labs.engine.clients.tool import Tool
from labs.engine.clients.verifiable import Answered, Fact, Offered, Summary, fact

_HEAR_S = 0.05
_REPORT_EVERY_S = 0.25
_WRITE_EVERY_S = 1.0
_UNKNOWN = -1


class LinesMissing(Exception):
    """The tool did not say what it must have said; its ledger would not be complete."""


@dataclass(frozen=True, slots=True)
class JavaProducerConfig:
    """Configuration of the process. `command` starts the tool, complete.

    `flush_limit_s` bounds the wait for the last answers after a stop.
    """

    ledger: str
    name: str
    topic: str
    command: Sequence[str]
    keyed: bool = False
    flush_limit_s: float = 30.0

    def to_json(self) -> str:
        return json.dumps(asdict(self))


class Account:
    """The tool's facts as rows of `sends`; each value is sent once."""

    def __init__(self, sends: Sends) -> None:
        self._sends = sends
        self._attempt = array("q")  # by value: the number of its row, or unknown
        self.summary: Summary | None = None
        self.run_over = False  # the tool was asked to end, and closes its producer

    def take(self, facts: Iterable[Fact], ahead_ns: int) -> None:
        """Takes facts in the order in which they were printed.

        `ahead_ns` is how far the wall clock is ahead of the ledger's. Raises `LinesMissing` for
        an acknowledgement of what was not taken by the client before.
        """
        for line in facts:
            if isinstance(line, Offered):
                # A record that waits for memory is offered again: the first time counts.
                if self._row(line.value) == _UNKNOWN:
                    self._open(line.value, line.time_ns)
            elif isinstance(line, Answered):
                self._answer(line, ahead_ns)
            elif isinstance(line, Summary):
                self.summary = line

    def check(self) -> None:
        """Raises `LinesMissing` if the tool counted other acknowledgements than were heard."""
        heard = self._sends.count["ok"]
        if self.summary and self.summary.acknowledged != heard:
            raise LinesMissing(f"the tool had {self.summary.acknowledged} answers, {heard} heard")

    def _answer(self, answer: Answered, ahead_ns: int) -> None:
        if verifiable.refused_by_its_end(answer):
            return
        row = self._row(answer.value)
        offered = row != _UNKNOWN
        if not offered:
            if answer.exception is None:
                raise LinesMissing(f"{answer.value} was acknowledged, and never seen to be sent")
            row = self._open(answer.value, _UNKNOWN)
        if self.run_over and verifiable.cut_off_by_close(answer):
            self._sends.cut_off(row)
            return
        error = None if answer.exception is None else _words(answer)
        self._sends.complete(
            row, verifiable.outcome(answer, offered), answer.partition, answer.offset, error,
            verifiable.at_ns(answer.wall_ms, ahead_ns),
        )  # fmt: skip

    def _row(self, value: int) -> int:
        return self._attempt[value] if value < len(self._attempt) else _UNKNOWN

    def _open(self, value: int, time_ns: int) -> int:
        missing = value + 1 - len(self._attempt)
        self._attempt.extend([_UNKNOWN] * missing)
        self._attempt[value] = self._sends.invoke(value, time_ns)
        return self._attempt[value]


def _words(answer: Answered) -> str:
    """An error as a person reads it: its class without the package, and what it says."""
    return f"{str(answer.exception).rpartition('.')[2]}: {answer.error}"


class Run:
    """One producer from its first message to its last answer."""

    def __init__(self, config: JavaProducerConfig, control: Control) -> None:
        self._config, self._control = config, control
        self._sends = Sends(
            Path(config.ledger), config.name, config.name, config.topic, config.keyed
        )
        self._account = Account(self._sends)
        self._due_report = self._due_write = 0.0
        self._tool = Tool[Fact](config.command, fact)

    def run(self) -> None:
        """Hears until the owner says stop, then lets the tool flush and end.

        Raises `ToolFailed` if it ends before, and `LinesMissing`.
        """
        while not (self._control.stop.is_set() or self._tool.ended):
            self._hear()
        if self._tool.ended:
            self._tool.refuse_its_end()
        self._account.run_over = True
        self._tool.ask_to_end()
        deadline = time.monotonic() + self._config.flush_limit_s
        while not self._tool.ended and time.monotonic() < deadline:
            self._hear()
        self._tool.kill()
        while not self._tool.ended:
            self._hear()
        self._account.check()
        self._sends.close(run_over=True)
        self._report(ended=True)

    def _hear(self) -> None:
        ahead_ns = time.time_ns() - time.monotonic_ns()
        self._account.take(self._tool.hear(_HEAR_S), ahead_ns)
        now = time.monotonic()
        if now >= self._due_write:
            self._sends.flush()
            self._due_write = now + _WRITE_EVERY_S
        if now >= self._due_report:
            self._report(ended=False)
            self._due_report = now + _REPORT_EVERY_S

    def _report(self, ended: bool) -> None:
        count = self._sends.count
        report(
            sent=len(self._sends), acknowledged=count["ok"], ended=ended,
            failed=count["fail"] + count["info"],
        )  # fmt: skip


def main(argv: list[str]) -> int:
    config = JavaProducerConfig(**json.loads(Path(argv[1]).read_text("utf-8")))
    Run(config, listen()).run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
