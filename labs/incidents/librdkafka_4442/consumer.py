"""Processes invoices in two halves, stores offsets, restarts, and prints redelivered records.

Run by the steps with the confluent-kafka of a release: it imports nothing else.
"""

from __future__ import annotations

import json
import sys
import time

from confluent_kafka import Consumer, KafkaException, Message, TopicPartition, libversion

bootstrap, topic, everything = sys.argv[1], sys.argv[2], int(sys.argv[3])


def tell(moment: str) -> None:
    sys.stdout.write(json.dumps({"moment": moment}) + "\n")
    sys.stdout.flush()


def joined() -> Consumer:
    consumer = Consumer({
        "bootstrap.servers": bootstrap,
        "group.id": "accounting",
        "auto.offset.reset": "earliest",
        "enable.auto.offset.store": False,
        "enable.auto.commit": False,
    })  # fmt: skip
    consumer.subscribe([topic])
    return consumer


def read(consumer: Consumer, count: int, limit_s: float) -> list[Message]:
    """Returns up to `count` messages, within `limit_s` seconds."""
    results: list[Message] = []
    deadline = time.monotonic() + limit_s
    while len(results) < count and time.monotonic() < deadline:
        message = consumer.poll(0.1)
        if message is not None and message.error() is None:
            results.append(message)
    return results


consumer = joined()
first = read(consumer, everything // 2, 30)
consumer.store_offsets(message=first[-1])
consumer.commit(asynchronous=False)
tell(f"{len(first)} processed, the last one stored as a message, committed")
second = read(consumer, everything // 2, 30)
consumer.store_offsets(offsets=[TopicPartition(topic, 0, int(second[-1].offset() or 0) + 1)])
try:
    consumer.commit(asynchronous=False)
    outcome = "committed"
except KafkaException as refused:
    outcome = str(refused)
tell(f"{len(second)} more processed, the last one stored by its number; commit(): {outcome}")
committed = consumer.committed([TopicPartition(topic, 0)], timeout=20)[0].offset
consumer.close()
tell(f"closed in order; the group's committed offset is {committed}. It starts again")

consumer = joined()
again = [message.offset() for message in read(consumer, everything, 8)]
consumer.close()
sys.stdout.write(json.dumps({
    "librdkafka": libversion()[0], "processed": len(first) + len(second), "outcome": outcome,
    "committed": committed, "again": again,
}))  # fmt: skip
