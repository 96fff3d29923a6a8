"""Levers of the limits on records and batches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from advisor.catalog import Component, Family, Value
from advisor.reasoning.behaviour.sizes import (
    KIB,
    QUEUE,
    READ,
    REQUEST,
    REQUEST_BYTES,
    RESPONSE,
    SEGMENT,
    SMALLEST_BATCH_BYTES,
    TAKEN,
    USUAL_BYTES,
    USUAL_RESPONSE_BYTES,
    full_batch,
    full_request,
    largest,
    read,
    taken,
    too_small,
    unread,
)
from advisor.reasoning.levers.lever import (
    BROKER_FILE,
    CONSUMER_RESTART,
    INT_MAX,
    PRODUCER_RESTART,
    TOPIC_CONFIG,
    Lever,
    Targets,
    costs,
    only,
    price_text,
)
from advisor.reasoning.pipeline import Pipeline


def _batches(pipeline: Pipeline) -> Sequence[Value]:
    """No batch larger than the topic takes; where it takes nothing, no size helps."""
    bound, most = full_batch(pipeline), taken(pipeline).most
    return [most] if bound and most >= SMALLEST_BATCH_BYTES else []


def _taken(pipeline: Pipeline) -> Sequence[Value]:
    """Kafka's own limit, or as much as the largest record and the fullest batch need."""
    bound, now = full_batch(pipeline), pipeline.number(Component.TOPIC, TAKEN)
    wanted = max(USUAL_BYTES[TAKEN], largest(pipeline) or 0, bound.most if bound else 0)
    short = bound or any(limit.component is Component.TOPIC for limit in too_small(pipeline))
    return [wanted] if short and now < wanted else []


def _segments(pipeline: Pipeline) -> Sequence[Value]:
    """Kafka's own size of a file, where a batch or the largest record has no room in one."""
    now = pipeline.number(Component.TOPIC, SEGMENT)
    bound, size = full_batch(pipeline), largest(pipeline)
    needed = max(bound.most if bound else 0, size or 0)
    return [max(USUAL_BYTES[SEGMENT], needed)] if now < needed else []


def _read(pipeline: Pipeline) -> Sequence[Value]:
    """Kafka's own limit, or as much as the largest record and the fullest request need."""
    bound, now = full_request(pipeline), read(pipeline).most
    size = max(largest(pipeline) or 0, bound.most if bound else 0)
    wanted = max(USUAL_BYTES[READ], min(size + REQUEST_BYTES, INT_MAX))
    short = bound or any(limit.setting == READ for limit in too_small(pipeline))
    return [wanted] if short and now < wanted else []


def _response(pipeline: Pipeline) -> Sequence[Value]:
    """librdkafka's own limit, or as much as the largest batch needs."""
    size = unread(pipeline)
    return [max(USUAL_RESPONSE_BYTES, min(size, INT_MAX))] if size is not None else []


def _enough(setting: str, unit: int = 1) -> Targets:
    """What the largest record needs, where this limit of the client, in `unit` bytes, is below."""

    def targets(pipeline: Pipeline) -> Sequence[Value]:
        short = any(limit.setting == setting for limit in too_small(pipeline))
        size = largest(pipeline)
        return [-(-size // unit)] if short and size is not None else []

    return targets


def _requests(pipeline: Pipeline) -> Sequence[Value]:
    """As much as the largest record needs; no more than brokers read, where a full request is
    larger, if that is not below Kafka's own."""
    if pipeline.family is Family.LIBRDKAFKA:
        return ()
    most = read(pipeline).most - REQUEST_BYTES
    if full_request(pipeline) and most >= max(USUAL_BYTES[REQUEST], largest(pipeline) or 0):
        return [most]
    return _enough(REQUEST)(pipeline)


def _request_price(before: Pipeline, after: Pipeline) -> str:
    if after.number(Component.PRODUCER, REQUEST) < before.number(Component.PRODUCER, REQUEST):
        return price_text(throughput="requests are smaller, so there may be more of them.")
    return _LARGER(before, after)


_LARGER = costs(
    latency="others wait while a large record is on its way.",
    more="Memory: the producer holds records of that size.",
)
_producer = partial(Lever, Component.PRODUCER)

LEVERS = (
    _producer(
        "batch.size", _batches,
        costs(throughput="batches are smaller, so there are more requests."),
        "librdkafka CONFIGURATION.md, batch.size; KAFKA-8350",
        PRODUCER_RESTART,
    ),
    _producer(
        "message.max.bytes", only(Family.LIBRDKAFKA, _enough("message.max.bytes")),
        costs(latency="others wait while a large record is on its way."),
        "librdkafka CONFIGURATION.md, message.max.bytes",
        PRODUCER_RESTART,
    ),
    _producer(
        QUEUE, only(Family.LIBRDKAFKA, _enough(QUEUE, KIB)),
        costs(more="Memory: the producer holds records of that size."),
        "librdkafka CONFIGURATION.md, queue.buffering.max.kbytes",
        PRODUCER_RESTART,
    ),
    _producer(
        REQUEST, _requests, _request_price, f"Kafka ConfigDef, {REQUEST}", PRODUCER_RESTART,
    ),
    _producer(
        "buffer.memory", _enough("buffer.memory"), _LARGER, "Kafka ConfigDef, buffer.memory",
        PRODUCER_RESTART,
    ),
    Lever(
        Component.TOPIC, TAKEN, _taken,
        costs(latency="followers and readers wait while a large batch is copied.",
              more="Memory: readers hold batches of that size, whatever their fetch limits are "
              "(KIP-74)."),
        "Kafka TopicConfig, max.message.bytes; KIP-74",
        TOPIC_CONFIG,
    ),
    Lever(
        Component.TOPIC, SEGMENT, _segments,
        costs(disk="retention and compaction wait until a segment is full, or for segment.ms."),
        "Kafka TopicConfig, segment.bytes",
        TOPIC_CONFIG,
    ),
    Lever(
        Component.CONSUMER, RESPONSE, _response,
        costs(more="Memory: readers hold responses of that size."),
        "librdkafka CONFIGURATION.md, receive.message.max.bytes",
        CONSUMER_RESTART,
    ),
    Lever(
        Component.BROKER, READ, _read,
        costs(more="Memory: brokers hold requests of that size."),
        "Kafka SocketServerConfigs, socket.request.max.bytes",
        BROKER_FILE,
    ),
)  # fmt: skip
