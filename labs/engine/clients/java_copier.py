"""Kafka's own TransactionalMessageCopier as the team's application, and its part of the ledger.

`python -m labs.engine.clients.java_copier CONFIG.json`, where the file holds a
`JavaConsumerConfig`. The tool copies what was in its input when it began, and ends; it is started
again as often as it ends in order, as a job would be. One that fails is not: it has stopped.

It hears no wish, so this process makes it stand still: SIGSTOP as soon as the line comes that
leads to the wanted point. What it said until then tells where it really stands; if it got further
than wanted, it goes on and is stopped at the next. `processed` is within a transaction, with all
of a poll handed to the producer and the commit not begun; `polling` is between two transactions.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from labs.engine.clients.commits import Commits
from labs.engine.clients.control import Control, listen, report
from labs.engine.clients.copied import Assigned, Copied, Fact, Joined, Turned, fact
from labs.engine.clients.deliveries import Deliveries
from labs.engine.clients.java_consumer import JavaConsumerConfig
from labs.engine.clients.java_producer import LinesMissing
from labs.engine.clients.tool import Tool
from labs.engine.clients.verifiable import Placed
from labs.engine.clients.watermarks import log_ends

_HEAR_S = 0.05
_REPORT_EVERY_S = 0.25
_ASK_S = 5.0
_END_S = 10.0
_OPEN, _COMMITTING, _DONE, _FATAL = (
    "IN_TRANSACTION", "COMMITTING_TRANSACTION", "READY", "FATAL_ERROR",
)  # fmt: skip


class Account:
    """The tool's facts as rows of `deliveries` and `commits`, and where it has got to.

    A row's offset is counted from where its partition was read; the offsets that the tool then
    commits must be the same, or a fact is missing (`LinesMissing`): so there may be no gap.
    """

    def __init__(self, topic: str, deliveries: Deliveries, commits: Commits) -> None:
        self._topic, self._deliveries, self._commits = topic, deliveries, commits
        self._assigned: frozenset[int] = frozenset()
        self._joined: Mapping[int, int] = {}
        self._last: dict[int, int] = {}  # by partition: the value that was copied last
        self.position: dict[int, int] = {}
        self.state, self.in_hand = "", 0
        self.why = ""  # the fatal error of its producer

    @property
    def ready(self) -> bool:
        """Whether it has partitions, and a place to read from in each."""
        return bool(self._assigned) and self._assigned <= self.position.keys()

    @property
    def stands_at(self) -> str | None:
        """The point of its work that it is at, if it is at one."""
        if self.state == _OPEN:
            return "processed" if self._joined else None
        return "polling" if self.state == _DONE else None

    def take(self, told: Fact) -> None:
        """Takes facts in the order in which they were printed."""
        if isinstance(told, Copied):
            self._copy(told)
        elif isinstance(told, Turned):
            self._turn(told)
        elif isinstance(told, Joined):
            self._join(told.offsets)
        elif isinstance(told, Placed):
            self.position[told.partition] = told.offset
        elif isinstance(told, Assigned):
            self._deliveries.assignment += bool(told.partitions)
            self._assigned = told.partitions
            self.position = {}

    def is_at(self, ends: Mapping[int, int]) -> bool:
        """Whether every partition that it has was copied to its end, and that was committed."""
        return (
            self.ready
            and self.state == _DONE
            and all(self.position[each] >= ends.get(each, 0) for each in self._assigned)
        )

    def end(self) -> None:
        """Its process is gone: of a commit that had begun nobody knows what became of it."""
        if self.state == _COMMITTING:
            self._note("info", time.monotonic_ns())
        self.state, self._assigned, self.position = "", frozenset(), {}

    def _copy(self, record: Copied) -> None:
        if self._last.get(record.partition) == record.value:
            return  # it is offered once more where it begins a batch
        self._last[record.partition] = record.value
        offset = self.position.get(record.partition)
        if offset is None:
            raise LinesMissing(f"{record.value} was copied, and nobody said from where")
        self._deliveries.hand(
            self._topic, record.partition, offset, record.value, record.time_ns
        )  # fmt: skip
        self.position[record.partition] = offset + 1
        self.in_hand += 1

    def _join(self, offsets: Mapping[int, int]) -> None:
        for each, offset in offsets.items():
            if self.position.get(each) != offset:
                raise LinesMissing(
                    f"the tool is at offset {offset} of partition {each}, its lines are at "
                    f"{self.position.get(each)}"
                )
        self._joined = offsets

    def _turn(self, to: Turned) -> None:
        if to.state == _DONE and self.state == _COMMITTING:
            self._note("ok", to.time_ns)
        if to.state == _OPEN:
            self._joined, self._last, self.in_hand = {}, {}, 0
        elif to.state != _COMMITTING and self.state in (_OPEN, _COMMITTING):
            self._deliveries.end_poll()
        self.why = to.why if to.state == _FATAL else self.why
        self.state = to.state

    def _note(self, outcome: Any, time_ns: int) -> None:
        for partition, offset in self._joined.items():
            self._commits.note((self._topic, partition), offset, outcome, time_ns)


class Run:
    """One instance of the application: the tool, again and again."""

    def __init__(self, config: JavaConsumerConfig, control: Control) -> None:
        self._config, self._control = config, control
        ledger = Path(config.ledger)
        self._deliveries = Deliveries(ledger, config.name, config.group, config.isolation)
        self._commits = Commits(ledger, config.name, config.group)
        self._account = Account(config.topic, self._deliveries, self._commits)
        self._ready, self._stopped = False, ""
        self._due_report = 0.0
        self._tool = Tool[Fact](config.command, fact)

    def run(self) -> None:
        """Copies until the owner says stop, then to the end of the log, and ends.

        Raises `ToolFailed` if somebody killed it, and `LinesMissing`.
        """
        while not self._control.stop.is_set():
            self._go_on()
        self._drain()
        self._tool.ask_to_end()
        deadline = time.monotonic() + _END_S
        while not self._tool.ended and time.monotonic() < deadline:
            self._hear()
        self._tool.kill()
        while not self._tool.ended:
            self._hear()
        self._account.end()
        self._deliveries.close()
        self._commits.close()
        self._report(ended=True)

    def _go_on(self) -> None:
        """Hears what it does; starts it again if it has ended, or waits for good if it failed."""
        self._hear()
        if not self._tool.ended:
            return
        self._account.end()
        if self._tool.code == 0:
            self._tool = Tool[Fact](self._config.command, fact)
            return
        if self._tool.code < 0:
            self._tool.refuse_its_end()
        self._stopped = self._account.why or f"the tool ended with code {self._tool.code}"
        self._report(ended=False)
        self._control.stop.wait()

    def _drain(self) -> None:
        deadline = time.monotonic() + self._config.drain_limit_s
        ends: dict[int, int] = {}
        while time.monotonic() < deadline and not self._stopped:
            ends = ends or log_ends(self._config.bootstrap, self._config.topic, _ASK_S)
            if ends and self._account.is_at(ends):
                return
            self._go_on()

    def _hear(self) -> None:
        for told in self._tool.hear(_HEAR_S):
            self._account.take(told)
            point = self._account.stands_at
            if point and self._control.wants(point):
                self._stop_at(point)
        if time.monotonic() >= self._due_report:
            self._report(ended=False)
            self._due_report = time.monotonic() + _REPORT_EVERY_S
            self._commits.flush()

    def _stop_at(self, point: str) -> None:
        """Stops its JVM, and stands if that is still at this point by all that it has said."""
        self._tool.freeze()
        while said := [*self._tool.hear(_HEAR_S)]:
            for told in said:
                self._account.take(told)
        if self._account.stands_at == point:
            self._control.reach(point, self._stand)
        self._tool.thaw()

    def _stand(self) -> Mapping[str, Any]:
        """All that is known is written down: from here on a kill hides nothing."""
        self._deliveries.flush()
        self._commits.flush()
        account = self._account
        done = f"{account.in_hand:,} records are with its producer, and nothing is committed"
        stands = done if account.state == _OPEN else "between two transactions"
        return {
            "written": True, "delivered": self._deliveries.count, "position": account.position,
            "stands": stands,
        }  # fmt: skip

    def _report(self, ended: bool) -> None:
        self._ready = self._ready or self._account.ready
        report(
            ready=self._ready or bool(self._stopped), stopped=self._stopped or None,
            delivered=self._deliveries.count, ended=ended,
        )  # fmt: skip


def main(argv: list[str]) -> int:
    config = JavaConsumerConfig(**json.loads(Path(argv[1]).read_text("utf-8")))
    Run(config, listen()).run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
