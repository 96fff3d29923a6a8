"""The consecutive transactions of one producer, and their table.

Each is open for a fraction of a second. The producer can be held at `in-transaction`, when all of
the transaction's records are in the log and nothing is committed. The values of an aborted
transaction are sent again. A successor with the same transactional.id aborts the transaction that
its predecessor left open before it may send (KIP-98, `initTransactions`), so that outcome is known.
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
    """Transactions of a producer. Calls `init_transactions`; raises `KafkaException` if it fails.

    `left_open` is the transaction that a predecessor left open. `values` are the values in the open
    transaction, whose name is `open`.
    """

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
        self._commit_due = 0.0
        self.open: str | None = None
        self.values: list[int] = []
        producer.init_transactions(_LIMIT_S)
        if left_open:
            self._add_row(left_open, "aborted")

    def begin(self) -> str:
        """Begins the next transaction and returns its name."""
        self._producer.begin_transaction()
        self._count += 1
        self.open, self.values = f"{self._part}-{self._count}", []
        self._began_ns = time.monotonic_ns()
        self._commit_due = time.monotonic() + OPEN_S
        return self.open

    @property
    def due(self) -> bool:
        """Whether the open transaction is due for its commit."""
        return time.monotonic() >= self._commit_due

    def end(self, facts: Facts) -> list[int]:
        """Commits the open transaction; returns the values to send again if it was aborted.

        Raises `KafkaException` if the outcome is unknown.
        """
        self._producer.flush(_LIMIT_S)
        self._control.reach("in-transaction", facts)
        name, resend = str(self.open), list[int]()
        try:
            self._producer.commit_transaction(_LIMIT_S)
            self._add_row(name, "committed")
        except KafkaException as failed:
            error: KafkaError = failed.args[0]
            if not error.txn_requires_abort():
                self._add_row(name, "unknown")
                raise
            self._producer.abort_transaction(_LIMIT_S)
            self._add_row(name, "aborted")
            resend = self.values
        self.open, self.values = None, []
        return resend

    def flush(self) -> None:
        """Writes the rows of the transactions that ended since the last flush."""
        if self._rows:
            self._writer.flush_rows(self._rows)
            self._rows = []

    def close(self) -> None:
        self.flush()
        self._writer.close()

    def _add_row(self, name: str, outcome: str) -> None:
        """Adds a row; `began_ns` is null for a transaction that another process began."""
        row = {"transaction": name, "producer": self._name, "outcome": outcome}
        times = {"began_ns": self._began_ns, "ended_ns": time.monotonic_ns()}
        self._rows.append({**row, **times})
