"""Turns the output lines of `ClientApplication.java` into rows of the ledger.

All times are on the ledger's clock: `System.nanoTime()`, which Linux reads from CLOCK_MONOTONIC. A
line that contradicts earlier lines is refused (`LinesMissing`), and the arm fails, because the
ledger would be incomplete. A line is written as a whole, before the action that it announces. So
every send and delivery is known, even if the JVM is killed before the next line.

| line | meaning |
|---|---|
| `sent VALUE NS` | `send()` is called for the value at this time |
| `ok VALUE PARTITION OFFSET NS` | it was acknowledged; an offset below 0 is unknown (acks=0) |
| `refused VALUE NS within\\|later CLASS WHY` | it failed, before `send()` returned or later |
| `done SENT OK` | the producer is closed; the numbers of attempts and of acknowledgements |
| `polled NS` | a poll returned the records that follow |
| `handed PARTITION OFFSET VALUE` | one of these records |
| `settled COUNT` | the poll is finished; the number of its records |
| `committed NS ok\\|info PARTITION:OFFSET,…` | the outcome of a commit |
| `assigned`, `revoked PARTITION,…` | the partitions that the group assigned or revoked; `-`: none |
| `placed PARTITION OFFSET` | the resolved position of a partition |
| `aborted COUNT WHY`, `stopped WHY` | a transaction was aborted; the application cannot continue |
| `standing POINT`, `going` | the program is held at a point of its work; it continues |
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
"""First word of a line → the number of words after it; the last one is the rest of the line."""

_WITHIN = {"within": True, "later": False}
_OUTCOMES: Mapping[str, Outcome] = {"ok": "ok", "info": "info"}
_ERRORS = "org.apache.kafka.common.errors."
_NEVER_WRITTEN = frozenset(
    # The broker's validation rejects these at every attempt, before it writes anything.
    _ERRORS + name
    for name in (
        "RecordTooLargeException", "RecordBatchTooLargeException", "InvalidRequiredAcksException",
    )
)  # fmt: skip
_AFTER_APPEND = frozenset(
    # TransactionManager.maybeFailWithError, which `send()` calls after it appends to its buffer.
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
    """Lines of the program are missing, so its ledger would be incomplete."""


def outcome(within: bool, exception: str) -> Outcome:
    """Returns the outcome of a failed send: `fail` only if no attempt can be in a log.

    `within` is whether the error came before `send()` returned. Such a record never entered the
    buffer: missing metadata, no memory within max.block.ms, or a value that is too large
    (KafkaProducer.doSend). Any later error proves something only if every attempt would have met
    it, because the Java client also reports the error of the last attempt only.
    """
    never_sent = within and exception not in _AFTER_APPEND
    return "fail" if never_sent or exception in _NEVER_WRITTEN else "info"


class SentRows:
    """Builds rows of `sends` from the lines of a producer."""

    def __init__(self, sends: Sends, resends: bool) -> None:
        self._sends, self._resends = sends, resends
        self._open: dict[int, int] = {}  # value → number of its row
        self._to_resend: dict[int, None] = {}  # values that failed and are to be sent again
        self._next = 0
        self._closing_counts: tuple[int, int] | None = None
        self.run_over = False  # the program was asked to stop and closes its producer

    def take(self, first: str, *rest: str) -> None:
        """Handles the words of one line. Raises `LinesMissing`, `ValueError` or `KeyError`."""
        if first == "sent":
            self._send(int(rest[0]), int(rest[1]))
        elif first == "ok":
            value, partition, offset, time_ns = map(int, rest)
            self._sends.complete(self._row(value), "ok", partition, offset, None, time_ns)
        elif first == "refused":
            self._refuse(int(rest[0]), int(rest[1]), _WITHIN[rest[2]], rest[3], rest[4])
        elif first == "done":
            self._closing_counts = (int(rest[0]), int(rest[1]))

    def close(self) -> None:
        """Closes the rows after the program has ended.

        The end of the run cut off the attempts that are still unanswered. Raises `LinesMissing` if
        the program counted other numbers of attempts or acknowledgements than its lines show.
        """
        received = len(self._sends), self._sends.count["ok"]
        if self._closing_counts not in (None, received):
            raise LinesMissing(
                f"the program counts {self._closing_counts} attempts and acknowledgements; "
                f"{received} were received"
            )
        for value in self._to_resend:
            self._sends.cut_off(self._sends.invoke(value, NEVER_INVOKED))
        self._sends.close(run_over=True)

    def _send(self, value: int, time_ns: int) -> None:
        if value == self._next:
            self._next += 1
        elif value in self._to_resend:
            del self._to_resend[value]
        else:
            raise LinesMissing(f"{value} was sent, but {self._next} was expected next")
        self._open[value] = self._sends.invoke(value, time_ns)

    def _refuse(self, value: int, time_ns: int, within: bool, exception: str, why: str) -> None:
        row = self._row(value)
        if self.run_over and why.startswith(_CLOSED):
            self._sends.cut_off(row)
            return
        error = f"{exception.rpartition('.')[2]}: {why}"
        self._sends.complete(row, outcome(within, exception), error=error, time_ns=time_ns)
        if self._resends:
            self._to_resend[value] = None

    def _row(self, value: int) -> int:
        row = self._open.pop(value, None)
        if row is None:
            raise LinesMissing(f"{value} was answered, but no line reports its send")
        return row


class ReadRows:
    """Builds rows of `deliveries` and `commits` from the lines of a reader; tracks its position."""

    def __init__(self, topic: str, deliveries: Deliveries, commits: Commits | None) -> None:
        self._topic, self._deliveries, self._commits = topic, deliveries, commits
        self._poll_ns: int | None = None
        self._assigned: set[int] = set()
        self.in_hand = 0  # records of the unfinished poll
        self.position: dict[int, int] = {}  # partition → next offset, once resolved
        self.stopped: str | None = None

    @property
    def placed(self) -> bool:
        """Whether it has partitions and the position of each is resolved."""
        return bool(self._assigned) and self._assigned <= self.position.keys()

    def is_at(self, ends: Mapping[int, int]) -> bool:
        """Whether every assigned partition was read to its end and no poll is unfinished."""
        return (
            self.placed
            and self._poll_ns is None
            and all(self.position[number] >= ends.get(number, 0) for number in self._assigned)
        )

    def take(self, first: str, *rest: str) -> None:
        """Handles the words of one line. Raises `LinesMissing`, `ValueError` or `KeyError`."""
        if first == "handed":
            self._add_delivery(*map(int, rest))
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

    def _add_delivery(self, partition: int, offset: int, value: int) -> None:
        if self._poll_ns is None:
            raise LinesMissing(f"offset {offset} of partition {partition} came outside a poll")
        self._deliveries.add_record(self._topic, partition, offset, value, self._poll_ns)
        self.position[partition] = offset + 1
        self.in_hand += 1

    def _settle(self, count: int) -> None:
        if count != self.in_hand:
            raise LinesMissing(f"a poll of {count} records, but {self.in_hand} were received")
        self._deliveries.end_poll()
        self._poll_ns, self.in_hand = None, 0

    def _commit(self, time_ns: int, outcome: Outcome, offsets: str) -> None:
        if self._commits is None:
            return
        for item in offsets.split(","):
            partition, offset = map(int, item.split(":"))
            self._commits.add_row((self._topic, partition), offset, outcome, time_ns)


def _numbers(text: str) -> set[int]:
    return set() if text == "-" else {int(number) for number in text.split(",")}
