"""The first and the end offset of each partition, according to its leader."""

from __future__ import annotations

import sys

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition


def watermarks(asking: Consumer, topic: str, limit_s: float) -> dict[int, tuple[int, int]]:
    """By partition, its first offset and the one after the last, as far as `asking` may read.

    With isolation.level=read_committed the end is where the first open transaction begins. Each
    question has `limit_s` seconds; raises `KafkaException` if there is no answer.
    """
    results = {}
    for number in asking.list_topics(topic, timeout=limit_s).topics[topic].partitions:
        ends = asking.get_watermark_offsets(TopicPartition(topic, number), timeout=limit_s)
        if ends is None:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT, "no watermarks came"))
        results[number] = (ends[0], ends[1])
    return results


def log_ends(bootstrap: str, topic: str, limit_s: float) -> dict[int, int]:
    """The end offset of each partition; empty, with a line in the log, if unknown."""
    asking = Consumer({"bootstrap.servers": bootstrap, "group.id": "ends"})
    try:
        return {number: end for number, (_, end) in watermarks(asking, topic, limit_s).items()}
    except KafkaException as silent:
        print(silent, file=sys.stderr, flush=True)
        return {}
    finally:
        asking.close()
