"""The team's producer: a process that sends at a steady rate and records every attempt.

`python -m labs.engine.clients.producer CONFIG.json`, where the file holds a `ProducerConfig`.
The value of a message is its number, from 0, as decimal text, so the log can be read by eye. The
delivery report returns the value, so no table of open messages is needed. Longer values are padded
with blanks, which number parsers, Spark's included, ignore.

It can be held at `polling`, between two checks of the clock, to be killed there. Before it stops it
writes every attempt to the ledger, also those without a result.
"""

from __future__ import annotations

import math
import sys
import time
from array import array
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from labs.engine.clients import errors
from labs.engine.clients.control import Control, listen, read_config, report
from labs.engine.clients.sends import NEVER_INVOKED, Sends
from labs.engine.clients.transactions import Transactions

_TICK_S = 0.005
_REPORT_EVERY_S = 0.25
_WRITE_EVERY_S = 1.0
_RESEND_EVERY_S = 0.5  # an application waits before it sends failed values again
_FLUSH_S = 10.0
_LARGE_EVERY = 1000
_BURST = 1000  # between two checks of the clock, so that a stop is noticed while catching up


@dataclass(frozen=True, slots=True)
class ProducerConfig:
    """Configuration of a producer process. `client` is librdkafka's complete configuration.

    With `keyed` the value is also the key (a compacted topic accepts no record without a key); with
    `keys` the key is the value modulo `keys`.
    `value_bytes` is the minimum size of a value; with `large_bytes` some values have that size.
    `age_ms` is how far in the past the timestamps of the records are, or in the future if it is
    negative; with 0 the client sets the timestamps.
    `block_s` is how long the application waits while the client's buffer is full; None means no
    limit. A message for which there is no room by then was never sent.
    `resend` is whether the application sends a value again after an error in its delivery report.
    An application that `stops` ends at such an error, and its successor sends the failed values.
    `flush_limit_s` limits, in seconds, the wait for the last delivery reports after a stop command.
    A successor has its own `part` of the ledger. It sends the values in `again`, which have no
    result, and continues with the value `first`. `left_open` is the open transaction of its
    predecessor. With a transactional.id all sends are in transactions.
    """

    ledger: str
    name: str
    topic: str
    rate_per_s: int
    client: dict[str, str | int | bool]
    keyed: bool = False
    keys: int = 0
    value_bytes: int = 0
    large_bytes: int = 0
    age_ms: int = 0
    block_s: float | None = None
    resend: bool = False
    stops: bool = False
    flush_limit_s: float = 30.0
    part: str = "producer-1"
    first: int = 0
    again: Sequence[int] = ()
    left_open: str | None = None


class Run:
    """One producer, from its first message to its last delivery report."""

    def __init__(self, config: ProducerConfig, control: Control) -> None:
        self._config = config
        self._control = control
        self._sends = Sends(
            Path(config.ledger), config.part, config.name, config.topic, config.keyed, config.keys
        )
        # Value → number of its last attempt.
        self._attempt = array("q", [-1]) * config.first
        self._again = deque(config.again)
        self._fatal: str | None = None
        self._stopped: str | None = None
        self._failed: list[int] = []
        self._report_due = self._write_due = self._resend_due = 0.0
        client: dict[str, Any] = {
            **config.client, "error_cb": self._on_error, "client.id": config.name,
        }  # fmt: skip
        self.client = Producer(client)
        self._transactions = self._new_transactions() if "transactional.id" in client else None

    def _new_transactions(self) -> Transactions:
        config = self._config
        return Transactions(
            self.client, self._control, Path(config.ledger), config.part, config.name,
            config.left_open,
        )  # fmt: skip

    def run(self) -> None:
        """Sends until the stop command, or until the client or the application gives up for good.

        Then waits for the last delivery reports and ends.
        """
        self._renew_transaction()
        self._send_again()
        began = time.monotonic()
        while not self._ending:
            self._control.reach("polling", self._write_ledger)
            self._renew_transaction()
            due = self._config.first + int((time.monotonic() - began) * self._config.rate_per_s)
            behind = due - len(self._attempt)
            self.send_new(min(behind, _BURST))
            self._serve(_TICK_S if behind <= _BURST else 0)
        self._renew_transaction()
        deadline = time.monotonic() + self._config.flush_limit_s
        while self._pending and time.monotonic() < deadline:
            self._serve(0.05)
            if self._fatal:
                self._again.clear()
        if self._stopped or self._again:  # for the successor
            unanswered = [*self._failed, *self._again, *self._sends.unanswered()]
            report(unanswered=unanswered)
        self._close_sends()
        if self._transactions:
            self._transactions.close()
        self._report(ended=True)

    @property
    def _pending(self) -> bool:
        """Whether a send has no result yet or waits to be sent again."""
        return bool(self._sends.open or (self._again and self._may_send))

    @property
    def _may_send(self) -> bool:
        """Whether the client accepts records; a transactional client needs an open transaction."""
        return self._transactions is None or self._transactions.open is not None

    def _close_sends(self) -> None:
        """Closes the table. Sends that the end of the run cut off were not given up."""
        run_over = self._control.stop.is_set() and not (self._fatal or self._stopped)
        if run_over:
            for value in self._again:
                self._sends.cut_off(self._sends.invoke(value, NEVER_INVOKED))
        self._sends.close(run_over)

    @property
    def _ending(self) -> bool:
        return self._control.stop.is_set() or bool(self._fatal or self._stopped)

    def _renew_transaction(self) -> None:
        """Commits the open transaction when it is due and begins the next, if transactional."""
        transactions = self._transactions
        if transactions is None:
            return
        try:
            if transactions.open and (transactions.due or self._ending):
                self._again.extend(transactions.end(self._write_ledger))
            if not transactions.open and not self._ending:
                self._sends.enter_transaction(transactions.begin())
                self._send_again()
        except KafkaException as failed:
            self._fatal = self._fatal or errors.error_text(failed.args[0])

    def send_new(self, count: int) -> None:
        for _ in range(count):
            if self._ending:
                return
            self._attempt.append(-1)
            self._send(len(self._attempt) - 1)

    def _serve(self, wait_s: float) -> None:
        self._poll(wait_s)
        now = time.monotonic()
        if now >= self._resend_due:
            self._send_again()
            self._resend_due = now + _RESEND_EVERY_S
        if now >= self._write_due:
            self._sends.flush()
            if self._transactions:
                self._transactions.flush()
            self._write_due = now + _WRITE_EVERY_S
        if now >= self._report_due:
            self._report(ended=False)
            self._report_due = now + _REPORT_EVERY_S

    def _poll(self, wait_s: float) -> None:
        """Serves the client's callbacks. A fatal error is raised here, not passed to a callback
        (confluent-kafka-python, confluent_kafka.c, error_cb)."""
        try:
            with errors.fatal_report():
                self.client.poll(wait_s)
        except KafkaException as raised:
            self._note_fatal(raised.args[0])
            if self._fatal is None:
                raise

    def _send_again(self) -> None:
        """Sends the values that failed once more; one that fails again waits for the next call."""
        for _ in range(len(self._again)):
            if self._fatal or not self._may_send:
                return
            self._send(self._again.popleft())

    def _send(self, value: int) -> None:
        attempt = self._attempt[value] = self._sends.invoke(value)
        if self._transactions:
            self._transactions.values.append(value)
        record = self.record(value)
        block_s = math.inf if self._config.block_s is None else self._config.block_s
        deadline = time.monotonic() + block_s
        while True:
            try:
                self.client.produce(self._config.topic, on_delivery=self._on_delivery, **record)
                return
            except BufferError as full:
                wait_s = min(0.1, deadline - time.monotonic())
                if wait_s > 0 and not self._ending:
                    self._control.reach("polling", self._write_ledger)
                    self._poll(wait_s)  # backpressure
                    continue
                if wait_s > 0 and self._control.stop.is_set():
                    self._sends.cut_off(attempt)
                    return
                self._sends.complete(attempt, "fail", error=str(full))
                if self._config.resend and not self._ending:
                    self._again.append(value)
            except KafkaException as refused:
                error: KafkaError = refused.args[0]
                self._sends.complete(attempt, "fail", error=errors.error_text(error))
                self._note_fatal(error)
            return

    def record(self, value: int) -> dict[str, Any]:
        config, text = self._config, str(value).encode()
        large = config.large_bytes and value % _LARGE_EVERY == _LARGE_EVERY - 1
        record: dict[str, Any] = {
            "value": text.ljust(config.large_bytes if large else config.value_bytes)
        }
        if config.keyed:
            record["key"] = str(value % config.keys).encode() if config.keys else text
        if config.age_ms:
            # At least 1: to the client, 0 and less mean "no timestamp".
            record["timestamp"] = max(1, time.time_ns() // 1_000_000 - config.age_ms)
        return record

    def _on_delivery(self, error: KafkaError | None, message: Message) -> None:
        value = int(message.value() or b"")
        attempt = self._attempt[value]
        if error is None:
            self._sends.complete(attempt, "ok", message.partition(), message.offset())
            return
        outcome = errors.outcome(error.code())
        self._sends.complete(attempt, outcome, message.partition(), error=errors.error_text(error))
        self._note_fatal(error)
        if self._transactions:
            return
        if self._config.resend:
            self._again.append(value)
        elif self._config.stops:
            self._failed.append(value)
            self._stopped = self._stopped or f"a send failed: {errors.error_text(error)}"

    def _on_error(self, error: KafkaError) -> None:
        print(errors.error_text(error), file=sys.stderr, flush=True)
        self._note_fatal(error)

    def _note_fatal(self, error: KafkaError) -> None:
        if error.fatal() or error.code() == KafkaError._FATAL:
            self._fatal = self._fatal or errors.error_text(error)

    def _write_ledger(self) -> dict[str, Any]:
        """Writes all rows before a kill. Later sends would have no row, so none may follow."""
        if self._transactions:
            self.client.flush(_FLUSH_S)  # so that the offsets of the aborted records are known
        unanswered, next_value = self._sends.unanswered(), len(self._attempt)
        state = f"{len(unanswered):,} records accepted by the client without a result"
        self._sends.close()
        facts: dict[str, Any] = {"written": True, "next": next_value}
        if self._transactions:
            unanswered, facts["left_open"] = self._transactions.values, self._transactions.open
            state = f"{len(unanswered):,} records in an open transaction"
            self._transactions.close()
        return {**facts, "unanswered": [*unanswered, *self._again], "stands": state}

    def _report(self, ended: bool) -> None:
        report(
            **self._sends.totals, ended=ended, fatal=self._fatal, stopped=self._stopped,
            next=len(self._attempt),
        )  # fmt: skip


if __name__ == "__main__":
    Run(read_config(ProducerConfig, sys.argv[1]), listen()).run()
