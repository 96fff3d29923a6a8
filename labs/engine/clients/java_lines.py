"""Turns the output lines of `ClientApplication.java` into rows of the ledger.

All times are the ledger's own: `System.nanoTime()`, which Linux reads from CLOCK_MONOTONIC. A line
that does not add up with those before it is refused (`LinesMissing`), and so is its arm: the ledger
would not be complete. A line is written as a whole, before what it announces is done: what is sent
or handed out is known even of a JVM that is killed before the next line.

| line | it says |
|---|---|
| `sent VALUE NS` | `send()` is called for the value, at that time |
| `ok VALUE PARTITION OFFSET NS` | it was acknowledged; an offset below 0 is not known (acks=0) |
| `refused VALUE NS within\\|later CLASS WHY` | it failed, before `send()` returned or later |
| `done SENT OK` | the producer is closed; so many attempts, so many acknowledged |
| `polled NS` | a poll returned records, each of which follows |
| `handed PARTITION OFFSET VALUE` | one of them |
| `settled COUNT` | all that was to be done about them is done; there were so many |
| `committed NS ok\\|info PARTITION:OFFSET,…` | what came of a commit |
| `assigned`, `revoked PARTITION,…` | the group gave these, or took them away; `-` is none |
| `placed PARTITION OFFSET` | where it is read from; before this its position is not resolved |
| `aborted COUNT WHY`, `stopped WHY` | a transaction was aborted; the application cannot go on |
| `standing POINT`, `going` | it stands still at a point of its work; it goes on from there |
"""

from __future__ import annotations

from collections.abc import Mapping

from labs.engine.clients.commits import Commits
from labs.engine.clients.deliveries import Deliveries
from labs.engine.clients.errors import Outcome
from labs.engine.clients.sends import NEVER_INVOKED, Sends

WORD_COUNTS: Mapping[str, int] = {
    "sent": 2, "ok": 4, "refused": 5, "done": 2,
    "polled": 1, "handed": 3, "settled": 1, "committed": 3,
    "assigned": 1, "revoked": 1, "placed": 2,
    "aborted": 2, "stopped": 1, "standing": 1, "going": 0,
}  # fmt: skip
"""How many words follow the first word of a line; the last one is the rest of the line."""

_WITHIN = {"within": True, "later": False}
_OUTCOMES: Mapping[str, Outcome] = {"ok": "ok", "info": "info"}
_ERRORS = "org.apache.kafka.common.errors."
_NEVER_WRITTEN = frozenset(
    # Refused by the broker's validation at every attempt, before anything is written.
    _ERRORS + name
    for name in (
        "RecordTooLargeException", "RecordBatchTooLargeException", "InvalidRequiredAcksException",
    )
)  # fmt: skip
_AFTER_APPEND = frozenset(
    # TransactionManager.maybeFailWithError, which `send()` calls behind the append to its buffer.
    (
        "org.apache.kafka.common.KafkaException", "java.lang.IllegalStateException",
        _ERRORS + "ProducerFencedException", _ERRORS + "InvalidProducerEpochException",
    )
)  # fmt: skip
_CLOSED = (
    # KafkaProducer.waitOnMetadata, BufferPool.allocate; Sender.run (forced); throwIfProducerClosed.
    "Producer closed while", "Producer is closed forcefully",
    "Cannot perform operation after producer has been closed",
)  # fmt: skip


class LinesMissing(Exception):
    """Lines of the program are missing, so that its ledger would not be complete."""


def outcome(within: bool, exception: str) -> Outcome:
    """The outcome of a send that failed: `fail` only where no attempt can be in a log.

    One that comes before `send()` returns is of a record that never entered the buffer: metadata
    that did not come, no memory within max.block.ms, a value that is too large
    (KafkaProducer.doSend). Else only an error that every attempt would have met proves anything:
    the Java client, too, tells the last of its attempts alone.
    """
    never_sent = within and exception not in _AFTER_APPEND
    return "fail" if never_sent or exception in _NEVER_WRITTEN else "info"


class SentRows:
    """Rows of `sends` from the lines of a producer."""

    def __init__(self, sends: Sends, resends: bool) -> None:
        self._sends, self._resends = sends, resends
        self._open: dict[int, int] = {}  # by value: the number of its row
        self._again: dict[int, None] = {}  # values that failed and are to be sent again
        self._next = 0
        self._done: tuple[int, int] | None = None
        self.run_over = False  # the program was asked to end, and closes its producer

    def take(self, first: str, *rest: str) -> None:
        """Adds the words of one line. Raises `LinesMissing`, `ValueError` or `KeyError`."""
        if first == "sent":
            self._send(int(rest[0]), int(rest[1]))
        elif first == "ok":
            value, partition, offset, time_ns = map(int, rest)
            self._sends.complete(self._row(value), "ok", partition, offset, None, time_ns)
        elif first == "refused":
            self._refuse(int(rest[0]), int(rest[1]), _WITHIN[rest[2]], rest[3], rest[4])
        elif first == "done":
            self._done = (int(rest[0]), int(rest[1]))

    def close(self) -> None:
        """The program has ended; what has no answer by now was cut off by the end of the run.

        Raises `LinesMissing` if it counted other attempts or acknowledgements than were heard.
        """
        heard = len(self._sends), self._sends.count["ok"]
        if self._done not in (None, heard):
            raise LinesMissing(
                f"the program counts {self._done} attempts and acknowledgements; {heard} were heard"
            )
        for value in self._again:
            self._sends.cut_off(self._sends.invoke(value, NEVER_INVOKED))
        self._sends.close(run_over=True)

    def _send(self, value: int, time_ns: int) -> None:
        if value == self._next:
            self._next += 1
        elif value in self._again:
            del self._again[value]
        else:
            raise LinesMissing(f"{value} was sent where {self._next} was to be the next")
        self._open[value] = self._sends.invoke(value, time_ns)

    def _refuse(self, value: int, time_ns: int, within: bool, kind: str, why: str) -> None:
        row = self._row(value)
        if self.run_over and why.startswith(_CLOSED):
            self._sends.cut_off(row)
            return
        error = f"{kind.rpartition('.')[2]}: {why}"
        self._sends.complete(row, outcome(within, kind), error=error, time_ns=time_ns)
        if self._resends:
            self._again[value] = None

    def _row(self, value: int) -> int:
        row = self._open.pop(value, None)
        if row is None:
            raise LinesMissing(f"{value} was answered, and it was not seen to be sent")
        return row


class ReadRows:
    """Rows of `deliveries` and `commits` from the lines of a reader, and its position."""

    def __init__(self, topic: str, deliveries: Deliveries, commits: Commits | None) -> None:
        self._topic, self._deliveries, self._commits = topic, deliveries, commits
        self._poll_ns: int | None = None
        self._assigned: set[int] = set()
        self.in_hand = 0  # records of the poll that is not settled
        self.position: dict[int, int] = {}  # by partition: the next offset, once it is resolved
        self.stopped: str | None = None

    @property
    def placed(self) -> bool:
        """Whether it has partitions, and a place to read from in each."""
        return bool(self._assigned) and self._assigned <= self.position.keys()

    def is_at(self, ends: Mapping[int, int]) -> bool:
        """Whether every partition that it has was read to its end, and no poll is unfinished."""
        return (
            self.placed
            and self._poll_ns is None
            and all(self.position[number] >= ends.get(number, 0) for number in self._assigned)
        )

    def take(self, first: str, *rest: str) -> None:
        """Adds the words of one line. Raises `LinesMissing`, `ValueError` or `KeyError`."""
        if first == "handed":
            self._hand(*map(int, rest))
        elif first == "polled":
            self._poll_ns = int(rest[0])
        elif first == "settled":
            self._settle(int(rest[0]))
        elif first == "committed":
            self._commit(int(rest[0]), _OUTCOMES[rest[1]], rest[2])
        elif first == "assigned":
            self._deliveries.assignment += 1
            self._assigned |= _numbers(rest[0])
        elif first == "revoked":
            for number in _numbers(rest[0]):
                self._assigned.discard(number)
                self.position.pop(number, None)
        elif first == "placed":
            self.position[int(rest[0])] = int(rest[1])
        elif first == "stopped":
            self.stopped = rest[0]

    def _hand(self, partition: int, offset: int, value: int) -> None:
        if self._poll_ns is None:
            raise LinesMissing(f"offset {offset} of partition {partition} came with no poll")
        self._deliveries.add_record(self._topic, partition, offset, value, self._poll_ns)
        self.position[partition] = offset + 1
        self.in_hand += 1

    def _settle(self, count: int) -> None:
        if count != self.in_hand:
            raise LinesMissing(f"a poll of {count} records, {self.in_hand} of which were heard")
        self._deliveries.end_poll()
        self._poll_ns, self.in_hand = None, 0

    def _commit(self, time_ns: int, outcome: Outcome, offsets: str) -> None:
        if self._commits is None:
            return
        for place in offsets.split(","):
            partition, offset = map(int, place.split(":"))
            self._commits.add_row((self._topic, partition), offset, outcome, time_ns)


def _numbers(text: str) -> set[int]:
    return set() if text == "-" else {int(number) for number in text.split(",")}
