"""The topic that a transforming application writes to: what it made of each message it read.

With a transactional.id all of one poll is one transaction. Where the offsets of what was read are
committed in it (KIP-98, KIP-447), `apply` leaves it open for them; else `apply` commits it, and
the offsets go their own way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer, TopicPartition

from labs.engine.clients.errors import fatal_report

_LIMIT_S = 30.0


class Output:
    """One writer of the topic. Raises `KafkaException` for what the brokers refuse."""

    def __init__(self, topic: str, client: Mapping[str, Any], takes_offsets: bool) -> None:
        self._topic, self._takes_offsets = topic, takes_offsets
        self._transactional = "transactional.id" in client
        self._refused: KafkaError | None = None
        self._producer = Producer(dict(client))
        if self._transactional:
            self._producer.init_transactions(_LIMIT_S)

    @fatal_report()
    def apply(self, values: Iterable[int]) -> None:
        """Writes what was made of the values of one poll; it is in the log when it returns."""
        if self._transactional:
            self._producer.begin_transaction()
        for value in values:
            self._produce(str(value).encode())
        unwritten = self._producer.flush(_LIMIT_S)
        if self._refused or unwritten:
            late = KafkaError(KafkaError._TIMED_OUT, f"{unwritten} records were not answered for")
            raise KafkaException(self._refused or late)
        if self._transactional and not self._takes_offsets:
            self._producer.commit_transaction(_LIMIT_S)

    @fatal_report()
    def commit(self, positions: list[TopicPartition], group: Any) -> None:
        """Commits the open transaction, and in it how far the group has read."""
        self._producer.send_offsets_to_transaction(positions, group, _LIMIT_S)
        self._producer.commit_transaction(_LIMIT_S)

    @fatal_report()
    def abort(self) -> None:
        """Takes back what the open transaction wrote."""
        self._producer.abort_transaction(_LIMIT_S)
        self._refused = None

    def close(self) -> None:
        with suppress(KafkaException):  # one that was fenced says so once more
            self._producer.close()

    def _produce(self, value: bytes) -> None:
        while True:
            try:
                self._producer.produce(self._topic, value=value, on_delivery=self._heard)
                return
            except BufferError:
                self._producer.poll(0.1)

    def _heard(self, error: KafkaError | None, _message: Message) -> None:
        self._refused = self._refused or error
