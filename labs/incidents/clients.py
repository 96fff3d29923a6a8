"""Client operations for the steps of incidents: create, send, read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin._config import ConfigSource
from confluent_kafka.cimpl import NewTopic

from labs.engine.base.wait import until
from labs.engine.protocol.admin import TOPIC, config, quiet_admin, silent_log

_LIMIT_S = 60.0
_NOT_YET = (
    KafkaError.NOT_COORDINATOR, KafkaError.COORDINATOR_NOT_AVAILABLE,
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
)  # fmt: skip


def producer(bootstrap: str, **settings: str | int) -> Producer:
    """Returns a librdkafka producer with these settings, with underscores for dots.

    It logs nothing; the steps check the errors that it reports.
    """
    config = {name.replace("_", "."): value for name, value in settings.items()}
    return Producer({**config, "bootstrap.servers": bootstrap}, logger=silent_log)


def create(
    bootstrap: str, topic: str, config: Mapping[str, str], copies: int = 1, partitions: int = 1
) -> None:
    """Creates a topic. Raises `KafkaException`."""
    with quiet_admin(bootstrap) as admin:
        new = NewTopic(topic, partitions, copies, config=dict(config))
        admin.create_topics([new])[topic].result(_LIMIT_S)


def described(bootstrap: str, topic: str, name: str) -> str:
    """Returns one setting of a topic and its source, as returned by DescribeConfigs."""
    with quiet_admin(bootstrap) as admin:
        entry = config(admin, TOPIC, topic, _LIMIT_S)[name]
    return f"{name}={entry.value} ({ConfigSource(entry.source).name})"


def send(sender: Producer, topic: str, key: bytes | None, value: bytes) -> KafkaError | None:
    """Sends one record and waits for the result; returns None if it was acknowledged."""
    answers: list[KafkaError | None] = []

    def on_delivery(error: KafkaError | None, _: Message) -> None:
        answers.append(error)

    sender.produce(topic, key=key, value=value, on_delivery=on_delivery)
    sender.flush(_LIMIT_S)
    if not answers:
        raise TimeoutError(f"no answer to a send within {_LIMIT_S:.0f} s")
    return answers[0]


def send_all(
    sender: Producer,
    topic: str,
    values: Iterable[int],
    partition: Callable[[int], int] = lambda _: 0,
) -> set[int]:
    """Sends numbers without keys, waits, and returns the acknowledged ones."""
    acknowledged: set[int] = set()

    def on_delivery(error: KafkaError | None, message: Message) -> None:
        if error is None:
            acknowledged.add(int(message.value() or b""))

    for value in values:
        sender.produce(topic, str(value), partition=partition(value), on_delivery=on_delivery)
        sender.poll(0)
    if pending := sender.flush(_LIMIT_S):
        raise TimeoutError(f"{pending} sends had no answer within {_LIMIT_S:.0f} s")
    return acknowledged


def must_send(sender: Producer, topic: str, key: bytes | None, value: bytes) -> None:
    """Sends one record that must be acknowledged. Raises `KafkaException`."""
    error = send(sender, topic, key, value)
    if error is not None:
        raise KafkaException(error)


def read(bootstrap: str, topic: str, isolation: str = "read_committed") -> list[Message]:
    """Returns every record of a topic's only partition with this isolation level."""
    with _reader(bootstrap, "incident", isolation) as consumer:
        return _to_the_end(consumer, TopicPartition(topic, 0, 0))


def read_on(bootstrap: str, topic: str, group: str) -> list[Message]:
    """Returns the records of a topic's only partition after a group's last commit; commits all.

    Without a commit, it returns all records. It fetches the committed offset separately, because
    librdkafka does not repeat the request if a newly elected coordinator refuses it.
    """
    start = max(committed(bootstrap, topic, group), 0)
    with _reader(bootstrap, group) as consumer:
        results = _to_the_end(consumer, TopicPartition(topic, 0, start))
        if results:
            consumer.commit(message=results[-1], asynchronous=False)
        return results


def committed(bootstrap: str, topic: str, group: str) -> int:
    """Returns the committed offset of a group for a topic's only partition; below 0 if none.

    The request is repeated while the coordinator is unavailable or still loading.
    """
    offsets: list[int] = []

    def answered() -> bool:
        try:
            [partition] = consumer.committed([TopicPartition(topic, 0)], timeout=_LIMIT_S)
        except KafkaException as refused:
            if refused.args[0].code() not in _NOT_YET:
                raise
            return False
        offsets.append(int(partition.offset))
        return True

    with _reader(bootstrap, group) as consumer:
        until(answered, _LIMIT_S, f"no broker says what {group} has committed")
    return offsets[0]


@contextmanager
def _reader(bootstrap: str, group: str, isolation: str = "read_committed") -> Iterator[Consumer]:
    consumer = Consumer({
        "bootstrap.servers": bootstrap, "group.id": group, "isolation.level": isolation,
        "auto.offset.reset": "earliest", "enable.auto.commit": False, "enable.partition.eof": True,
    }, logger=silent_log)  # fmt: skip
    try:
        yield consumer
    finally:
        consumer.close()


def _to_the_end(consumer: Consumer, start: TopicPartition) -> list[Message]:
    results: list[Message] = []
    consumer.assign([start])
    while (message := consumer.poll(_LIMIT_S)) is not None:
        error = message.error()
        if error is None:
            results.append(message)
        elif error.code() == KafkaError._PARTITION_EOF:
            return results
        elif not error.retriable():
            raise KafkaException(error)
    raise TimeoutError(f"the end of {start.topic} was not read within {_LIMIT_S:.0f} s")
