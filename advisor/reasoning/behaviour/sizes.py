"""The largest record and batch that clients send and brokers accept.

A broker compares whole batches with max.message.bytes of the topic (KIP-98; UnifiedLog.append), and
always refuses a larger one. Nor may a batch be larger than a segment (segment.bytes), and no client
splits one that is (Sender.completeBatch: MESSAGE_TOO_LARGE only).
librdkafka then reports every message of it as failed (librdkafka
issues 488 and 1716). The Java client splits the batch (KIP-126, Sender.completeBatch), before 4.2
into batches of up to batch.size: if that is above the topic's limit, the same batch is sent again
until delivery.timeout.ms expires (KAFKA-8350; seen with 3.1.2, 3.9.2 and 4.1.1, not with 4.2.1). A
record that is larger by itself is never accepted from any client.
"""

from __future__ import annotations

from dataclasses import dataclass

from advisor.catalog import Component, Family
from advisor.catalog.versions import at_least, effective_client
from advisor.reasoning.pipeline import Pipeline, derived

TOPIC_LIMIT = "max.message.bytes"
LARGEST, AVERAGE = "largest.message.bytes", "message.bytes"
SEGMENT_BYTES = "segment.bytes"
REQUEST_LIMIT, CLIENT_REQUEST_LIMIT = "socket.request.max.bytes", "max.request.size"
USUAL_BYTES = {
    TOPIC_LIMIT: 1_048_588,
    SEGMENT_BYTES: 1_073_741_824,
    REQUEST_LIMIT: 104_857_600,
    CLIENT_REQUEST_LIMIT: 1_048_576,
}
"""Kafka's default limits (TopicConfig, SocketServerConfigs, ProducerConfig)."""
RESPONSE_LIMIT, USUAL_RESPONSE_BYTES, RESPONSE_MORE_BYTES = (
    "receive.message.max.bytes",
    100_000_000,
    512,
)
"""The setting of the largest response that a librdkafka consumer accepts, its default, and what
librdkafka adds for everything but messages (rd_kafka_conf_finalize)."""
QUEUE_KBYTES, KIB = "queue.buffering.max.kbytes", 1024
ENVELOPE_BYTES = 82
"""The overhead of a batch with one record over key, value and headers: 61 for the batch and up to
21 for the record (DefaultRecordBatch.RECORD_BATCH_OVERHEAD, DefaultRecord.MAX_RECORD_OVERHEAD)."""
SMALLEST_BATCH_BYTES = 68
"""A batch of one record without key, value and headers: 61, and 7 for the record (its length,
attributes, two deltas and three lengths, a byte each; Kafka's documentation, Message Format)."""

REQUEST_BYTES = 65_536
"""The largest overhead of a request over its batches: the names of client, transaction and topics,
and some numbers for each partition."""
SMALLEST_REQUEST_BYTES = SMALLEST_BATCH_BYTES + 30
"""A request with one such batch: a header of 11, and 19 around the batch (ProduceRequest and its
header; for a client without a name and a topic with a name of one letter)."""


@dataclass(frozen=True, slots=True)
class SizeLimit:
    """A setting that limits a size. `unit` is the number of bytes that `value` counts in."""

    component: Component
    setting: str
    value: int
    unit: int = 1

    @property
    def most(self) -> int:
        """The limit in bytes."""
        return self.value * self.unit

    def __str__(self) -> str:
        return f"{self.setting}={self.value}"


@derived
def topic_limit(pipeline: Pipeline) -> SizeLimit:
    """Returns the limit on a batch of the topic: its own, or the size of a segment."""
    limits = (_limit(pipeline, Component.TOPIC, name) for name in (TOPIC_LIMIT, SEGMENT_BYTES))
    return min(limits, key=lambda limit: limit.most)


def request_limit(pipeline: Pipeline) -> SizeLimit:
    """Returns the limit on a request; brokers close the connection at a larger one."""
    return _limit(pipeline, Component.BROKER, REQUEST_LIMIT)


def full_request(pipeline: Pipeline) -> SizeLimit | None:
    """Returns the client's limit on its requests if brokers refuse a full one, or None. A Java
    client has all batches of a request in its buffer (RecordAccumulator.drain)."""
    librdkafka = pipeline.family is Family.LIBRDKAFKA
    names = (
        ("batch.size", "message.max.bytes")
        if librdkafka
        else (CLIENT_REQUEST_LIMIT, "buffer.memory")
    )
    limits = (_limit(pipeline, Component.PRODUCER, name) for name in names)
    bound = min(limits, key=lambda limit: limit.most)
    return bound if bound.most + REQUEST_BYTES > request_limit(pipeline).most else None


def client_limits(pipeline: Pipeline) -> tuple[SizeLimit, ...]:
    """Returns the client's limits on one record, which must also fit into its buffer."""
    if pipeline.family is Family.LIBRDKAFKA:
        return (_limit(pipeline, Component.PRODUCER, "message.max.bytes"), producer_queue(pipeline))
    names = (CLIENT_REQUEST_LIMIT, "buffer.memory")
    return tuple(_limit(pipeline, Component.PRODUCER, name) for name in names)


def producer_queue(pipeline: Pipeline) -> SizeLimit:
    """Returns the limit on the queue of a librdkafka producer."""
    value = pipeline.number(Component.PRODUCER, QUEUE_KBYTES)
    return SizeLimit(Component.PRODUCER, QUEUE_KBYTES, value, KIB)


@dataclass(frozen=True, slots=True)
class MessageSize:
    """A stated size of messages. `record_bytes` is the size with the overhead of a batch."""

    setting: str
    value: int
    record_bytes: int

    def __str__(self) -> str:
        return f"{Component.APPLICATION}.{self.setting}={self.value}"


def largest_message(pipeline: Pipeline) -> MessageSize | None:
    """Returns the largest stated size, or None if none is stated.

    The largest message is no smaller than the average one, which is stated with its share of the
    overhead, as brokers keep it.
    """
    stated = [
        MessageSize(name, value, value + overhead)
        for name, overhead in ((LARGEST, ENVELOPE_BYTES), (AVERAGE, 0))
        if isinstance(value := pipeline.value(Component.APPLICATION, name), int)
    ]
    return max(stated, key=lambda size: size.record_bytes, default=None)


def largest_record(pipeline: Pipeline) -> int | None:
    """Returns the bytes of the largest record with its overhead, or None if not stated."""
    size = largest_message(pipeline)
    return size.record_bytes if size else None


def exceeded_limits(pipeline: Pipeline) -> tuple[SizeLimit, ...]:
    """Returns the limits that the largest record exceeds, the client's first."""
    size = largest_record(pipeline)
    if size is None:
        return ()
    limits = (*client_limits(pipeline), topic_limit(pipeline))
    request = (
        (request_limit(pipeline),) if request_limit(pipeline).most < size + REQUEST_BYTES else ()
    )
    return (*(limit for limit in limits if limit.most < size), *request)


@derived
def full_batch(pipeline: Pipeline) -> SizeLimit | None:
    """Returns the client's limit on its batches if the topic refuses a full one and all of it is
    lost; None if full batches fit or are split."""
    if splits_batches(pipeline):
        return None
    names = ["batch.size"]
    if pipeline.family is Family.LIBRDKAFKA:
        if pipeline.number(Component.PRODUCER, "batch.num.messages") == 1:
            return None
        names.append("message.max.bytes")
    limits = (_limit(pipeline, Component.PRODUCER, name) for name in names)
    bound = min(limits, key=lambda limit: limit.most)
    return bound if bound.most > topic_limit(pipeline).most else None


def splits_batches(pipeline: Pipeline) -> bool:
    """Whether the client splits a refused batch until its parts fit (KAFKA-8350)."""
    line = effective_client(pipeline.family, pipeline.version)
    java = pipeline.family is not Family.LIBRDKAFKA
    return java and at_least(line, "4.2") and topic_limit(pipeline).setting == TOPIC_LIMIT


@derived
def refusal_of_batches(pipeline: Pipeline) -> str | None:
    """Returns why messages that fit are refused with their batch, or None."""
    bound = full_batch(pipeline)
    if bound is None:
        return None
    if pipeline.family is Family.LIBRDKAFKA:
        ends = "librdkafka gives up every message in it."
    elif topic_limit(pipeline).setting == SEGMENT_BYTES:
        ends = "a Java client does not split a batch for that error, and all of it is given up."
    else:
        timeout_ms = pipeline.number(Component.PRODUCER, "delivery.timeout.ms")
        ends = (
            "a Java client before 4.2 splits it into batches of the same size, until "
            f"delivery.timeout.ms={timeout_ms} is over (KAFKA-8350)."
        )
    return (
        f"{bound} with {topic_limit(pipeline)}: "
        f"a full batch is larger than the topic accepts; {ends}"
    )


def refusal_of_requests(pipeline: Pipeline) -> str | None:
    """Returns why a full request is never read, however often it is sent, or None."""
    bound = full_request(pipeline)
    if bound is None:
        return None
    return (
        f"{request_limit(pipeline)} with {bound}: brokers close the connection at a larger "
        "request, and a full one may be larger, with its names and numbers; the client sends it "
        "again until it gives it up."
    )


@derived
def oversized_response(pipeline: Pipeline) -> int | None:
    """Returns the bytes of the largest response if the consumer cannot read it, or None.

    Brokers answer a fetch with at least one whole batch (KIP-74). librdkafka treats a response
    above its limit as damaged and closes the connection, again and again
    (rd_kafka_transport_framed_recv).
    """
    if pipeline.family is not Family.LIBRDKAFKA:
        return None
    names = ("batch.size", "message.max.bytes")
    full = min(_limit(pipeline, Component.PRODUCER, name).most for name in names)
    needed = (
        max(largest_record(pipeline) or 0, min(full, topic_limit(pipeline).most))
        + RESPONSE_MORE_BYTES
    )
    return needed if needed > pipeline.number(Component.CONSUMER, RESPONSE_LIMIT) else None


def _limit(pipeline: Pipeline, component: Component, name: str) -> SizeLimit:
    return SizeLimit(component, name, pipeline.number(component, name))
