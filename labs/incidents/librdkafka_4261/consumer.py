"""Reads messages from manually assigned partitions, and prints how many came twice.

Run by the steps with the confluent-kafka of a release: it imports nothing else.
"""

from __future__ import annotations

import json
import os
import sys
import time

from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition, libversion

bootstrap, topic, partitions, wanted = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])


def tell(moment: str) -> None:
    sys.stdout.write(json.dumps({"moment": moment}) + "\n")
    sys.stdout.flush()


consumer = Consumer({
    "bootstrap.servers": bootstrap,
    "group.id": "meters",
    "enable.auto.commit": False,
    "topic.metadata.refresh.interval.ms": 50,
    "fetch.wait.max.ms": 100,
})  # fmt: skip
consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in range(partitions)])
places: set[tuple[int, int]] = set()
twice: set[tuple[int, int]] = set()
deadline = time.monotonic() + 70
values: set[bytes] = set()
while len(values) < wanted and time.monotonic() < deadline:
    for message in consumer.consume(num_messages=500, timeout=0.2):
        if message.error() is not None:
            continue
        place = message.partition() or 0, message.offset() or 0
        if place in places:
            if not twice:
                tell(f"offset {place[1]} of partition {place[0]} comes again")
            twice.add(place)
        places.add(place)
        values.add(message.value() or b"")
tell(f"{len(values)} messages handed out, {len(twice)} of them twice")
sys.stdout.write(json.dumps({
    "librdkafka": libversion()[0], "messages": len(values), "twice": len(twice),
}))  # fmt: skip
sys.stdout.flush()
os._exit(0)  # close() may wait here forever for a coordinator that was never requested
