"""A consume-transform-produce application: it writes a result for each message to a topic.

`python -m labs.engine.clients.transformer CONFIG.json`, where the file holds a
`TransformerConfig`. It is the group's consumer with a producer (`Output`). With `in_transaction`,
one transaction commits the output and the position in the input. At `processed` all output of a
poll is in the log and nothing is committed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer, TopicPartition

from labs.engine.clients import consumer
from labs.engine.clients.control import Control, FailureRequested, listen, read_config, report
from labs.engine.clients.errors import error_text, fatal_report
from labs.engine.clients.processing import Polled

_LIMIT_S = 30.0


class Output:
    """The producer of the results. Methods raise `KafkaException` if the brokers refuse.

    With a transactional.id each poll is one transaction. With `takes_offsets` the offsets of the
    input are committed in it (KIP-98, KIP-447), and `apply` leaves it open; otherwise `apply`
    commits it.
    """

    def __init__(self, topic: str, client: Mapping[str, Any], takes_offsets: bool) -> None:
        self._topic, self._takes_offsets = topic, takes_offsets
        self._transactional = "transactional.id" in client
        self._refused: KafkaError | None = None
        self._producer = Producer(dict(client))
        if self._transactional:
            self._producer.init_transactions(_LIMIT_S)

    @fatal_report()
    def apply(self, values: Iterable[int]) -> None:
        """Writes the results for the values of one poll; they are in the log when it returns."""
        if self._transactional:
            self._producer.begin_transaction()
        for value in values:
            self._produce(str(value).encode())
        unwritten = self._producer.flush(_LIMIT_S)
        if self._refused or unwritten:
            timeout = KafkaError(KafkaError._TIMED_OUT, f"{unwritten} records have no result")
            raise KafkaException(self._refused or timeout)
        if self._transactional and not self._takes_offsets:
            self._producer.commit_transaction(_LIMIT_S)

    @fatal_report()
    def commit(self, positions: list[TopicPartition], group: Any) -> None:
        """Commits the open transaction together with the positions of the group."""
        self._producer.send_offsets_to_transaction(positions, group, _LIMIT_S)
        self._producer.commit_transaction(_LIMIT_S)

    @fatal_report()
    def abort(self) -> None:
        """Aborts the open transaction."""
        self._producer.abort_transaction(_LIMIT_S)
        self._refused = None

    def close(self) -> None:
        with suppress(KafkaException):  # a fenced producer raises once more
            self._producer.close()

    def _produce(self, value: bytes) -> None:
        while True:
            try:
                self._producer.produce(self._topic, value=value, on_delivery=self._on_delivery)
                return
            except BufferError:
                self._producer.poll(0.1)

    def _on_delivery(self, error: KafkaError | None, _message: Message) -> None:
        self._refused = self._refused or error


def describe_abort(why: str, records: int, rewinds: bool) -> str:
    """Describes how an application handles a transaction that it could not commit."""
    action = "reads its input again" if rewinds else "continues after its input"
    text = f"{why}: the transaction with {records:,} records is aborted"
    return f"{text}, and the application {action}"


@dataclass(frozen=True, slots=True)
class TransformerConfig(consumer.ConsumerConfig):
    """Configuration of the application.

    `producer` is librdkafka's complete configuration of the producer for the topic `output`. With
    `in_transaction` the offsets are committed in the producer's transaction, and `commit` is
    ignored. `rewinds` is whether the application returns to the input of an aborted transaction.
    """

    output: str = ""
    producer: dict[str, str | int | bool] = field(default_factory=dict)
    in_transaction: bool = False
    rewinds: bool = True


class Run(consumer.Run):
    """One instance of the application."""

    def __init__(self, config: TransformerConfig, control: Control) -> None:
        self._transformer_config = config
        self._output = Output(config.output, config.producer, config.in_transaction)
        self._messages: Sequence[Message] = ()
        super().__init__(config, control)

    def _open_sink(self) -> Output:
        return self._output

    def _process(self, polled: Polled, messages: Sequence[Message]) -> None:
        self._messages = messages
        try:
            super()._process(polled, messages)
        except KafkaException as refused:
            if self._transformer_config.in_transaction:
                self._abort(error_text(refused.args[0]))
            else:
                self._stop(refused.args[0])

    def _on_failure(
        self, failed: FailureRequested, polled: Polled, messages: Sequence[Message]
    ) -> Polled | None:
        if not self._transformer_config.in_transaction:
            return super()._on_failure(failed, polled, messages)
        self._abort(str(failed))
        return None

    def _settle(self) -> None:
        if not self._transformer_config.in_transaction:
            super()._settle()
            return
        for positions in self._processor.processed():
            self._commit_with_output(positions)

    def _commit_with_output(self, positions: list[TopicPartition]) -> None:
        try:
            self._output.commit(positions, self._consumer.consumer_group_metadata())
        except KafkaException as refused:
            error: KafkaError = refused.args[0]
            self._commits.add(error, positions)
            if error.txn_requires_abort():
                self._abort(error_text(error))
            else:
                self._stop(error)
        else:
            self._commits.add(None, positions)

    def _abort(self, why: str) -> None:
        """Aborts the transaction, and returns to its input if the application rewinds."""
        try:
            self._output.abort()
        except KafkaException as refused:
            self._stop(refused.args[0])
            return
        if self._transformer_config.rewinds:
            self._rewind()
        report(mishap=describe_abort(why, len(self._messages), self._transformer_config.rewinds))

    def _rewind(self) -> None:
        """Seeks to the start of the poll, which is still the committed position of the group."""
        first: dict[int, int] = {}
        for message in self._messages:
            first.setdefault(message.partition() or 0, message.offset() or 0)
        for partition, offset in first.items():
            try:
                self._consumer.seek(
                    TopicPartition(self._transformer_config.topic, partition, offset)
                )
            except KafkaException as error:  # another member has the partition and reads it again
                print(error, file=sys.stderr, flush=True)
            else:
                self._position[partition] = offset

    def _stop(self, error: KafkaError) -> None:
        """Stops the application, because a fenced producer cannot continue."""
        self._stopped = error_text(error)
        print(self._stopped, file=sys.stderr, flush=True)


if __name__ == "__main__":
    Run(read_config(TransformerConfig, sys.argv[1]), listen()).run()
