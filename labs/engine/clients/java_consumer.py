"""The team's group as Kafka's own Java client: VerifiableConsumer, and its part of the ledger.

`python -m labs.engine.clients.java_consumer CONFIG.json`, where the file holds a
`JavaConsumerConfig`. The tool polls, prints each record, and commits what it printed before it
polls again; where the client commits by itself the tool tells nothing of commits. The rows of a
poll bear the end of the millisecond in which its first record was printed. It says `ready` once
every partition is assigned and its position is resolved, by the client's own log.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from labs.engine.clients.commits import Commits
from labs.engine.clients.control import Control, listen, report
from labs.engine.clients.deliveries import Deliveries
from labs.engine.clients.errors import Outcome
from labs.engine.clients.tool import Tool
from labs.engine.clients.verifiable import (
    Assigned,
    Committed,
    Delivered,
    Placed,
    Polled,
    Revoked,
    Stopped,
    at_ns,
    fact,
)
from labs.engine.clients.watermarks import log_ends

_HEAR_S = 0.05
_REPORT_EVERY_S = 0.25
_ASK_S = 5.0
_END_S = 10.0  # for leaving the group; the client's own limit is 30 s


@dataclass(frozen=True, slots=True)
class JavaConsumerConfig:
    """Configuration of the process. `command` starts the tool, complete.

    `tells_commits` is whether the tool commits, and says so; `drain_limit_s` bounds the reading
    to the end after a stop.
    """

    ledger: str
    name: str
    group: str
    topic: str
    bootstrap: str
    isolation: str
    command: Sequence[str]
    tells_commits: bool
    drain_limit_s: float = 15.0

    def to_json(self) -> str:
        return json.dumps(asdict(self))


class Account:
    """The tool's facts as rows of `deliveries` and `commits`, and where it has got to."""

    def __init__(self, deliveries: Deliveries, commits: Commits | None) -> None:
        self._deliveries, self._commits = deliveries, commits
        self._poll_ns: int | None = None
        self._assigned: set[int] = set()
        self.position: dict[int, int] = {}  # by partition: the next offset, once it is resolved
        self.stopped: str | None = None

    @property
    def placed(self) -> bool:
        """Whether it has partitions, and a place to read from in each."""
        return bool(self._assigned) and self._assigned <= self.position.keys()

    @property
    def ready(self) -> bool:
        """Whether the run may count on it."""
        return self.placed

    def take(self, facts: Iterable[object], ahead_ns: int) -> None:
        """Takes facts in the order in which they were printed.

        `ahead_ns` is how far the wall clock is ahead of the ledger's.
        """
        for line in facts:
            if isinstance(line, Delivered):
                self._poll_ns = self._poll_ns or at_ns(line.wall_ms, ahead_ns)
                self._hand(line, self._poll_ns)
            elif isinstance(line, Polled):
                self._end_poll()
            elif isinstance(line, Committed):
                self._note(line, at_ns(line.wall_ms, ahead_ns))
            elif isinstance(line, Assigned):
                self._deliveries.assignment += 1
                self._assigned |= line.partitions
            elif isinstance(line, Revoked):
                self._revoke(line.partitions)
            elif isinstance(line, Placed):
                self.position[line.partition] = line.offset
            elif isinstance(line, Stopped):
                self.stopped = line.why

    def is_at(self, ends: Mapping[int, int]) -> bool:
        """Whether every partition that it has was read to its end, and no poll is unfinished."""
        return (
            self.placed
            and self._poll_ns is None
            and all(self.position[number] >= ends.get(number, 0) for number in self._assigned)
        )

    def end(self) -> None:
        """The tool has ended; whatever it did not report is lost."""

    def _hand(self, record: Delivered, time_ns: int) -> None:
        self._deliveries.hand(
            record.topic, record.partition, record.offset, record.value, time_ns
        )  # fmt: skip
        self.position[record.partition] = record.offset + 1

    def _revoke(self, partitions: Iterable[int]) -> None:
        for partition in partitions:
            self._assigned.discard(partition)
            self.position.pop(partition, None)

    def _end_poll(self) -> None:
        if self._poll_ns is not None:  # a poll may bring nothing
            self._deliveries.end_poll()
            self._poll_ns = None

    def _note(self, committed: Committed, time_ns: int) -> None:
        if self._commits is None:
            return
        # The tool prints the words of an error and not its kind: nobody knows what became of it.
        outcome: Outcome = "ok" if committed.error is None else "info"
        for place, offset in committed.offsets.items():
            self._commits.note(place, offset, outcome, time_ns)


class Run:
    """One member of the group, from joining to leaving."""

    def __init__(self, config: JavaConsumerConfig, tool: Tool[Any], control: Control) -> None:
        self._config, self._control = config, control
        ledger = Path(config.ledger)
        self._deliveries = Deliveries(ledger, config.name, config.group, config.isolation)
        self._commits = Commits(ledger, config.name, config.group) if config.tells_commits else None
        self._account = Account(self._deliveries, self._commits)
        self._due_report = 0.0
        self._tool = tool

    def run(self) -> None:
        """Hears until the owner says stop, then to the end of the log, and lets it leave.

        Raises `ToolFailed` if the tool ends for another reason than one that it names.
        """
        while not self._control.stop.is_set():
            self._hear()
            if self._tool.ended:
                self._ended_by_itself()
        self._drain()
        self._check_end()
        self._ask_to_end()
        self._hear_on(_END_S)
        self._tool.kill()
        self._hear_on(_END_S)
        self._account.end()
        self._deliveries.close()
        if self._commits:
            self._commits.close()
        self._report(ended=True)

    def _ask_to_end(self) -> None:
        self._tool.ask_to_end()

    def _check_end(self) -> None:
        """Raises `ToolFailed` for a tool that has ended, and not as an application that cannot go
        on."""
        if self._tool.ended and self._account.stopped is None:
            self._tool.refuse_its_end()

    def _ended_by_itself(self) -> None:
        """An application that cannot go on has left; the run goes on without it."""
        self._check_end()
        self._report(ended=False)
        self._control.stop.wait()

    def _drain(self) -> None:
        deadline = time.monotonic() + self._config.drain_limit_s
        ends: dict[int, int] = {}
        while time.monotonic() < deadline and not self._is_over():
            ends = ends or log_ends(self._config.bootstrap, self._config.topic, _ASK_S)
            if ends and self._account.is_at(ends):
                return
            self._hear()

    def _is_over(self) -> bool:
        """Whether reading is over, even if more records remain."""
        return self._tool.ended

    def _hear_on(self, limit_s: float) -> None:
        deadline = time.monotonic() + limit_s
        while not self._tool.ended and time.monotonic() < deadline:
            self._hear()

    def _hear(self) -> None:
        ahead_ns = time.time_ns() - time.monotonic_ns()
        self._account.take(self._facts(), ahead_ns)
        if time.monotonic() >= self._due_report:
            self._report(ended=False)
            self._due_report = time.monotonic() + _REPORT_EVERY_S
            if self._commits:
                self._commits.flush()

    def _facts(self) -> Iterator[object]:
        return self._tool.hear(_HEAR_S)

    def _written(self, stands: str) -> dict[str, Any]:
        """Writes down all that is known, so that a kill hides nothing, and says where it stands."""
        self._deliveries.flush()
        if self._commits:
            self._commits.flush()
        return {
            "written": True, "delivered": self._deliveries.count,
            "position": self._account.position, "stands": stands,
        }  # fmt: skip

    def _report(self, ended: bool) -> None:
        account = self._account
        report(
            ready=account.ready or account.stopped is not None, stopped=account.stopped,
            delivered=self._deliveries.count, ended=ended,
        )  # fmt: skip


def main(argv: list[str]) -> int:
    config = JavaConsumerConfig(**json.loads(Path(argv[1]).read_text("utf-8")))
    Run(config, Tool(config.command, fact), listen()).run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
