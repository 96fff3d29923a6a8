"""The few things that the steps of an incident do as clients: create, send, read."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin._config import ConfigResource, ConfigSource
from confluent_kafka.cimpl import NewTopic

from labs.engine.protocol.admin import quiet_admin

_LIMIT_S = 20.0
_silent = logging.getLogger(f"{__name__}.librdkafka")
_silent.addHandler(logging.NullHandler())
_silent.propagate = False


def producer(bootstrap: str, **settings: str | int) -> Producer:
    """A producer with librdkafka's defaults beside these settings, dots written as underscores.

    What it says of a broker that dies is left to the steps.
    """
    config = {name.replace("_", "."): value for name, value in settings.items()}
    return Producer({**config, "bootstrap.servers": bootstrap}, logger=_silent)


def create(bootstrap: str, topic: str, config: Mapping[str, str]) -> None:
    """A topic of one partition with one copy. Raises `KafkaException`."""
    with quiet_admin(bootstrap) as admin:
        new = NewTopic(topic, num_partitions=1, replication_factor=1, config=dict(config))
        admin.create_topics([new])[topic].result(_LIMIT_S)


def described(bootstrap: str, topic: str, name: str) -> str:
    """One setting of a topic as DescribeConfigs tells it, and where it says that it is from."""
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic)
    with quiet_admin(bootstrap) as admin:
        entry = admin.describe_configs([resource])[resource].result(_LIMIT_S)[name]
    return f"{name}={entry.value} ({ConfigSource(entry.source).name})"


def send(sender: Producer, topic: str, key: bytes | None, value: bytes) -> KafkaError | None:
    """Sends one record and waits for its answer: None where it was acknowledged."""
    answers: list[KafkaError | None] = []

    def on_delivery(error: KafkaError | None, _: Message) -> None:
        answers.append(error)

    sender.produce(topic, key=key, value=value, on_delivery=on_delivery)
    sender.flush(_LIMIT_S)
    if not answers:
        raise TimeoutError(f"no answer to a send within {_LIMIT_S:.0f} s")
    return answers[0]


def must_send(sender: Producer, topic: str, key: bytes | None, value: bytes) -> None:
    """The same, where the steps need it acknowledged. Raises `KafkaException`."""
    error = send(sender, topic, key, value)
    if error is not None:
        raise KafkaException(error)


def read(bootstrap: str, topic: str, isolation: str = "read_committed") -> list[Message]:
    """Every record of a topic's only partition that a reader of this isolation gets now."""
    consumer = Consumer({
        "bootstrap.servers": bootstrap, "group.id": "incident", "isolation.level": isolation,
        "auto.offset.reset": "earliest", "enable.auto.commit": False, "enable.partition.eof": True,
    }, logger=_silent)  # fmt: skip
    found: list[Message] = []
    try:
        consumer.assign([TopicPartition(topic, 0, 0)])
        while (message := consumer.poll(_LIMIT_S)) is not None:
            error = message.error()
            if error is None:
                found.append(message)
            elif error.code() == KafkaError._PARTITION_EOF:
                return found
            elif not error.retriable():
                raise KafkaException(error)
        raise TimeoutError(f"the end of {topic} was not read within {_LIMIT_S:.0f} s")
    finally:
        consumer.close()
