"""The start and end offsets of partitions, according to their leaders."""

from __future__ import annotations

import sys

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition


def watermarks(client: Consumer, topic: str, limit_s: float) -> dict[int, tuple[int, int]]:
    """Returns partition → (first offset, end offset) of a topic, as `client` may read it.

    With isolation.level=read_committed the end is the start of the first open transaction. Each
    request may take `limit_s` seconds; raises `KafkaException` if there is no response.
    """
    offsets = {}
    for partition in client.list_topics(topic, timeout=limit_s).topics[topic].partitions:
        ends = client.get_watermark_offsets(TopicPartition(topic, partition), timeout=limit_s)
        if ends is None:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT, "no watermarks were received"))
        offsets[partition] = (ends[0], ends[1])
    return offsets


def log_ends(bootstrap: str, topic: str, limit_s: float) -> dict[int, int]:
    """Returns partition → end offset; empty, with a line in the log, if it is unknown."""
    client = Consumer({"bootstrap.servers": bootstrap, "group.id": "ends"})
    try:
        return {
            partition: end for partition, (_, end) in watermarks(client, topic, limit_s).items()
        }
    except KafkaException as error:
        print(error, file=sys.stderr, flush=True)
        return {}
    finally:
        client.close()
