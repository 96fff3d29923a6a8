"""Reads every partition to its end with the batch call, commits, and prints the result.

Run by the steps with the confluent-kafka of a release: it imports nothing else.
"""

from __future__ import annotations

import json
import sys
import time

from confluent_kafka import Consumer, KafkaError, TopicPartition, libversion

bootstrap, topic, partitions = sys.argv[1], sys.argv[2], int(sys.argv[3])


def tell(moment: str) -> None:
    sys.stdout.write(json.dumps({"moment": moment}) + "\n")
    sys.stdout.flush()


consumer = Consumer({
    "bootstrap.servers": bootstrap,
    "group.id": "parcels",
    "auto.offset.reset": "earliest",
    "enable.partition.eof": True,
    "enable.auto.commit": False,
})  # fmt: skip
consumer.subscribe([topic])
values: list[int] = []
ended: set[int] = set()
deadline = time.monotonic() + 30
while len(ended) < partitions and time.monotonic() < deadline:
    for message in consumer.consume(num_messages=100, timeout=0.5):
        error = message.error()
        if error is None:
            values.append(int(message.value() or b""))
        elif error.code() == KafkaError._PARTITION_EOF:
            ended.add(message.partition() or 0)
consumer.commit(asynchronous=False)
assignment = [TopicPartition(topic, number) for number in range(partitions)]
committed = [partition.offset for partition in consumer.committed(assignment, timeout=20)]
consumer.close()
tell(f"every partition read to its end, {len(values)} messages handed out, and committed")
sys.stdout.write(json.dumps({
    "librdkafka": libversion()[0], "values": values, "ends": len(ended), "committed": committed,
}))  # fmt: skip
