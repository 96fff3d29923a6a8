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
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from labs.engine.base import processes
from labs.engine.clients import java_consumer
from labs.engine.clients.commits import Commits
from labs.engine.clients.control import Control, listen
from labs.engine.clients.copier_log import Copied, Fact, Joined, Turned, fact
from labs.engine.clients.deliveries import Deliveries
from labs.engine.clients.errors import Outcome
from labs.engine.clients.java_consumer import JavaConsumerConfig
from labs.engine.clients.java_producer import LinesMissing
from labs.engine.clients.tool import Tool
from labs.engine.clients.verifiable import Assigned, Placed

_SILENT_S = 0.05
_OPEN, _COMMITTING, _DONE, _FATAL = (
    "IN_TRANSACTION", "COMMITTING_TRANSACTION", "READY", "FATAL_ERROR",
)  # fmt: skip


class Account(java_consumer.Account):
    """The tool's facts as rows of `deliveries` and `commits`, and where it has got to.

    A row's offset is counted from where its partition was read; the offsets that the tool then
    commits must be the same, or a fact is missing (`LinesMissing`): so there may be no gap.
    """

    def __init__(self, topic: str, deliveries: Deliveries, commits: Commits | None) -> None:
        super().__init__(deliveries, commits)
        self._topic = topic
        self._joined: Mapping[int, int] = {}
        self._last: dict[int, int] = {}  # by partition: the value that was copied last
        self._began = False
        self.state, self.in_hand = "", 0
        self.why = ""  # the fatal error of its producer

    @property
    def ready(self) -> bool:
        """Whether it has had an assignment; it leaves at each end of the log and joins again."""
        return self._began

    @property
    def stands_at(self) -> str | None:
        """The point of its work that it is at, if it is at one."""
        if self.state == _OPEN:
            return "processed" if self._joined else None
        return "polling" if self.state == _DONE else None

    def take(self, facts: Iterable[object], ahead_ns: int) -> None:
        """Takes facts in the order in which they were printed; their clock is the ledger's."""
        for line in facts:
            if isinstance(line, Copied):
                self._copy(line)
            elif isinstance(line, Turned):
                self._turn(line)
            elif isinstance(line, Joined):
                self._join(line.offsets)
            elif isinstance(line, Placed):
                self.position[line.partition] = line.offset
                self._began = self._began or self.placed
            elif isinstance(line, Assigned):
                self._deliveries.assignment += bool(line.partitions)
                self._assigned, self.position = set(line.partitions), {}

    def is_at(self, ends: Mapping[int, int]) -> bool:
        """Whether every partition that it has was copied to its end, and that was committed."""
        return self.state == _DONE and super().is_at(ends)

    def end(self) -> None:
        """Its process has ended: the outcome of a commit that had begun is unknown."""
        if self.state == _COMMITTING:
            self._commit("info", time.monotonic_ns())
        self.state, self._assigned, self.position = "", set(), {}

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
        for number, offset in offsets.items():
            if self.position.get(number) != offset:
                raise LinesMissing(
                    f"the tool is at offset {offset} of partition {number}, its lines are at "
                    f"{self.position.get(number)}"
                )
        self._joined = offsets

    def _turn(self, to: Turned) -> None:
        if to.state == _DONE and self.state == _COMMITTING:
            self._commit("ok", to.time_ns)
        if to.state == _OPEN:
            self._joined, self._last, self.in_hand = {}, {}, 0
        elif to.state != _COMMITTING and self.state in (_OPEN, _COMMITTING):
            self._deliveries.end_poll()
        self.why = to.why if to.state == _FATAL else self.why
        self.state = to.state

    def _commit(self, outcome: Outcome, time_ns: int) -> None:
        if self._commits is None:
            return
        for partition, offset in self._joined.items():
            self._commits.note((self._topic, partition), offset, outcome, time_ns)


class Run(java_consumer.Run):
    """One instance of the application: the tool, again and again."""

    _account: Account

    def __init__(self, config: JavaConsumerConfig, control: Control) -> None:
        super().__init__(config, Tool[Fact](config.command, fact), control)
        self._account = Account(config.topic, self._deliveries, self._commits)

    def _facts(self) -> Iterator[object]:
        for data in super()._facts():
            yield data  # it is accounted for when this goes on
            point = self._account.stands_at
            if point and self._control.wants(point):
                yield from self._stop_at(point)

    def _stop_at(self, point: str) -> Iterator[object]:
        """Stops its JVM, and stands if that is still at this point by all that it has said."""
        self._tool.freeze()
        yield from self._tool.hear_out(_SILENT_S)
        if self._account.stands_at == point:
            self._control.reach(point, self._stand)
        self._tool.thaw()

    def _stand(self) -> Mapping[str, Any]:
        held = f"{self._account.in_hand:,} records are with its producer, and nothing is committed"
        return self._written(held if self._account.state == _OPEN else "between two transactions")

    def _ended_by_itself(self) -> None:
        """Starts it again if it ended in order; one that failed has stopped."""
        self._account.end()
        if self._tool.code == 0:
            self._tool = Tool[Fact](self._config.command, fact)
            return
        if self._tool.code > 0 and not processes.by_signal(self._tool.code):
            why = f"the tool ended with code {self._tool.code}"
            self._account.stopped = self._account.why or why
        super()._ended_by_itself()

    def _check_end(self) -> None:
        if self._account.stopped is None and self._tool.ended and self._tool.code:
            self._tool.refuse_its_end()

    def _is_over(self) -> bool:
        if self._tool.ended and self._account.stopped is None:
            self._ended_by_itself()
        return self._account.stopped is not None


def main(argv: list[str]) -> int:
    config = JavaConsumerConfig(**json.loads(Path(argv[1]).read_text("utf-8")))
    Run(config, listen()).run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
