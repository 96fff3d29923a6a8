"""The transactions of one producer, one after the other, and their table.

Each is open for a fraction of a second. The producer can be held at `in-transaction`, when
all of its records are in the log and nothing is committed. The values of an aborted transaction
are sent again. A successor with the same transactional.id aborts what was left open before it
may send (KIP-98, `initTransactions`), so the outcome of that is known, too.
"""

from __future__ import annotations

import time
from pathlib import Path

from confluent_kafka import KafkaError, KafkaException, Producer

from labs.engine.clients.control import Control, Facts
from labs.engine.record.ledger import TableWriter

OPEN_S = 0.2
_LIMIT_S = 30.0


class Transactions:
    """Begins with `init_transactions`. Raises `KafkaException` if that fails for good."""

    def __init__(
        self, producer: Producer, control: Control, ledger: Path, part: str, name: str,
        left_open: str | None,
    ) -> None:  # fmt: skip
        self._producer, self._control = producer, control
        self._part, self._name = part, name
        self._writer = TableWriter(ledger, "transactions", part)
        self._rows: list[dict[str, str | int | None]] = []
        self._count = 0
        self._began_ns: int | None = None
        self._due = 0.0
        self.open: str | None = None
        self.values: list[int] = []
        producer.init_transactions(_LIMIT_S)
        if left_open:
            self._ended(left_open, "aborted")

    def begin(self) -> str:
        """Opens the next one, and returns its name."""
        self._producer.begin_transaction()
        self._count += 1
        self.open, self.values = f"{self._part}-{self._count}", []
        self._began_ns = time.monotonic_ns()
        self._due = time.monotonic() + OPEN_S
        return self.open

    @property
    def due(self) -> bool:
        """Whether the open transaction is old enough to be committed."""
        return time.monotonic() >= self._due

    def end(self, facts: Facts) -> list[int]:
        """Commits the open transaction; returns the values to send again if it was aborted."""
        self._producer.flush(_LIMIT_S)
        self._control.reach("in-transaction", facts)
        name, again = str(self.open), list[int]()
        try:
            self._producer.commit_transaction(_LIMIT_S)
            self._ended(name, "committed")
        except KafkaException as failed:
            error: KafkaError = failed.args[0]
            if not error.txn_requires_abort():
                self._ended(name, "unknown")
                raise
            self._producer.abort_transaction(_LIMIT_S)
            self._ended(name, "aborted")
            again = self.values
        self.open, self.values = None, []
        return again

    def flush(self) -> None:
        """Writes the rows of those that ended since the last flush."""
        if self._rows:
            self._writer.flush_rows(self._rows)
            self._rows = []

    def close(self) -> None:
        self.flush()
        self._writer.close()

    def _ended(self, name: str, outcome: str) -> None:
        """A row without `began_ns` is of one that another process began."""
        row = {"transaction": name, "producer": self._name, "outcome": outcome}
        times = {"began_ns": self._began_ns, "ended_ns": time.monotonic_ns()}
        self._rows.append({**row, **times})
