"""Levers of the limits on records and batches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from advisor.catalog import Component, Family, Value
from advisor.reasoning.behaviour.sizes import (
    CLIENT_REQUEST_LIMIT,
    KIB,
    QUEUE_KBYTES,
    REQUEST_BYTES,
    REQUEST_LIMIT,
    RESPONSE_LIMIT,
    SEGMENT_BYTES,
    SMALLEST_BATCH_BYTES,
    TOPIC_LIMIT,
    USUAL_BYTES,
    USUAL_RESPONSE_BYTES,
    exceeded_limits,
    full_batch,
    full_request,
    largest_record,
    oversized_response,
    request_limit,
    topic_limit,
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
    """No batch larger than the topic accepts; if it accepts none, no size helps."""
    bound, most = full_batch(pipeline), topic_limit(pipeline).most
    return [most] if bound and most >= SMALLEST_BATCH_BYTES else []


def _topic_limits(pipeline: Pipeline) -> Sequence[Value]:
    """Kafka's default, or as much as the largest record and the fullest batch need."""
    bound, now = full_batch(pipeline), pipeline.number(Component.TOPIC, TOPIC_LIMIT)
    wanted = max(
        USUAL_BYTES[TOPIC_LIMIT], largest_record(pipeline) or 0, bound.most if bound else 0
    )
    short = bound or any(limit.component is Component.TOPIC for limit in exceeded_limits(pipeline))
    return [wanted] if short and now < wanted else []


def _segments(pipeline: Pipeline) -> Sequence[Value]:
    """Kafka's default, or room for the fullest batch and the largest record."""
    now = pipeline.number(Component.TOPIC, SEGMENT_BYTES)
    bound, size = full_batch(pipeline), largest_record(pipeline)
    needed = max(bound.most if bound else 0, size or 0)
    return [max(USUAL_BYTES[SEGMENT_BYTES], needed)] if now < needed else []


def _broker_limits(pipeline: Pipeline) -> Sequence[Value]:
    """Kafka's default, or as much as the largest record and the fullest request need."""
    bound, now = full_request(pipeline), request_limit(pipeline).most
    size = max(largest_record(pipeline) or 0, bound.most if bound else 0)
    wanted = max(USUAL_BYTES[REQUEST_LIMIT], min(size + REQUEST_BYTES, INT_MAX))
    short = bound or any(limit.setting == REQUEST_LIMIT for limit in exceeded_limits(pipeline))
    return [wanted] if short and now < wanted else []


def _response_limits(pipeline: Pipeline) -> Sequence[Value]:
    """librdkafka's default, or as much as the largest batch needs."""
    size = oversized_response(pipeline)
    return [max(USUAL_RESPONSE_BYTES, min(size, INT_MAX))] if size is not None else []


def _record_size(setting: str, unit: int = 1) -> Targets:
    """What the largest record needs, where this limit of the client, in `unit` bytes, is lower."""

    def targets(pipeline: Pipeline) -> Sequence[Value]:
        short = any(limit.setting == setting for limit in exceeded_limits(pipeline))
        size = largest_record(pipeline)
        return [-(-size // unit)] if short and size is not None else []

    return targets


def _requests(pipeline: Pipeline) -> Sequence[Value]:
    """As much as the largest record needs.

    If a full request is larger than brokers read, what they read, unless that is below Kafka's
    default.
    """
    if pipeline.family is Family.LIBRDKAFKA:
        return ()
    most = request_limit(pipeline).most - REQUEST_BYTES
    if full_request(pipeline) and most >= max(
        USUAL_BYTES[CLIENT_REQUEST_LIMIT], largest_record(pipeline) or 0
    ):
        return [most]
    return _record_size(CLIENT_REQUEST_LIMIT)(pipeline)


def _request_price(before: Pipeline, after: Pipeline) -> str:
    if after.number(Component.PRODUCER, CLIENT_REQUEST_LIMIT) < before.number(
        Component.PRODUCER, CLIENT_REQUEST_LIMIT
    ):
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
        "message.max.bytes", only(Family.LIBRDKAFKA, _record_size("message.max.bytes")),
        costs(latency="others wait while a large record is on its way."),
        "librdkafka CONFIGURATION.md, message.max.bytes",
        PRODUCER_RESTART,
    ),
    _producer(
        QUEUE_KBYTES, only(Family.LIBRDKAFKA, _record_size(QUEUE_KBYTES, KIB)),
        costs(more="Memory: the producer holds records of that size."),
        "librdkafka CONFIGURATION.md, queue.buffering.max.kbytes",
        PRODUCER_RESTART,
    ),
    _producer(
        CLIENT_REQUEST_LIMIT, _requests, _request_price, (
            f"Kafka ConfigDef, {CLIENT_REQUEST_LIMIT}"
        ), PRODUCER_RESTART,
    ),
    _producer(
        "buffer.memory", _record_size("buffer.memory"), _LARGER, "Kafka ConfigDef, buffer.memory",
        PRODUCER_RESTART,
    ),
    Lever(
        Component.TOPIC, TOPIC_LIMIT, _topic_limits,
        costs(latency="followers and readers wait while a large batch is copied.",
              more="Memory: readers hold batches of that size, whatever their fetch limits are "
              "(KIP-74)."),
        "Kafka TopicConfig, max.message.bytes; KIP-74",
        TOPIC_CONFIG,
    ),
    Lever(
        Component.TOPIC, SEGMENT_BYTES, _segments,
        costs(disk="retention and compaction wait until a segment is full, or for segment.ms."),
        "Kafka TopicConfig, segment.bytes",
        TOPIC_CONFIG,
    ),
    Lever(
        Component.CONSUMER, RESPONSE_LIMIT, _response_limits,
        costs(more="Memory: readers hold responses of that size."),
        "librdkafka CONFIGURATION.md, receive.message.max.bytes",
        CONSUMER_RESTART,
    ),
    Lever(
        Component.BROKER, REQUEST_LIMIT, _broker_limits,
        costs(more="Memory: brokers hold requests of that size."),
        "Kafka SocketServerConfigs, socket.request.max.bytes",
        BROKER_FILE,
    ),
)  # fmt: skip
