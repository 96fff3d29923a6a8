"""How large a record or a batch may be that a client sends and a broker takes.

A broker holds whole batches against max.message.bytes of the topic (KIP-98; UnifiedLog.append), and
refuses a larger one for good. No batch may be larger than a file of the log, either
(segment.bytes), and no client splits one that is (Sender.completeBatch: MESSAGE_TOO_LARGE only).
librdkafka then reports every message of it as failed (librdkafka
issues 488 and 1716). The Java client splits the batch (KIP-126, Sender.completeBatch), before 4.2
into batches of up to batch.size: where that is above the topic's limit the same batch comes again
until delivery.timeout.ms is over (KAFKA-8350; seen with 3.1.2, 3.9.2 and 4.1.1, not with 4.2.1). A
record that is larger by itself is never taken, whoever sends it.
"""

from __future__ import annotations

from dataclasses import dataclass

from advisor.catalog import Component, Family
from advisor.catalog.versions import at_least, effective_client
from advisor.reasoning.pipeline import Pipeline, derived

TOPIC_LIMIT, LARGEST = "max.message.bytes", "largest.message.bytes"
SEGMENT_BYTES = "segment.bytes"
REQUEST_LIMIT, CLIENT_REQUEST_LIMIT = "socket.request.max.bytes", "max.request.size"
USUAL_BYTES = {
    TOPIC_LIMIT: 1_048_588,
    SEGMENT_BYTES: 1_073_741_824,
    REQUEST_LIMIT: 104_857_600,
    CLIENT_REQUEST_LIMIT: 1_048_576,
}
"""What Kafka has where nobody states a limit (TopicConfig, SocketServerConfigs, ProducerConfig)."""
RESPONSE_LIMIT, USUAL_RESPONSE_BYTES, RESPONSE_MORE_BYTES = (
    "receive.message.max.bytes",
    100_000_000,
    512,
)
"""The largest response that a reader with librdkafka takes, its own default, and what it counts for
all that is not messages (rd_kafka_conf_finalize)."""
QUEUE_KBYTES, KIB = "queue.buffering.max.kbytes", 1024
ENVELOPE_BYTES = 82
"""What a batch of one record adds to key, value and headers: 61 for the batch and 21 at most for
the record (DefaultRecordBatch.RECORD_BATCH_OVERHEAD, DefaultRecord.MAX_RECORD_OVERHEAD)."""
SMALLEST_BATCH_BYTES = 68
"""A batch of one record without key, value and headers: 61, and 7 for the record (its length,
attributes, two deltas and three lengths, a byte each; Kafka's documentation, Message Format)."""

REQUEST_BYTES = 65_536
"""What a request adds to the batches in it, at most: names of client, transaction and topics, and
some numbers for each partition."""
SMALLEST_REQUEST_BYTES = SMALLEST_BATCH_BYTES + 30
"""One such batch in a request: a header of 11, and 19 around it (ProduceRequest, ProduceRequest
header; a client without a name, a topic of one letter)."""


@dataclass(frozen=True, slots=True)
class SizeLimit:
    """A setting, whose it is, its value, and how many bytes are one of its unit."""

    component: Component
    setting: str
    value: int
    unit: int = 1

    @property
    def most(self) -> int:
        """The most bytes that it lets through."""
        return self.value * self.unit

    def __str__(self) -> str:
        return f"{self.setting}={self.value}"


@derived
def topic_limit(pipeline: Pipeline) -> SizeLimit:
    """The largest batch that the topic takes: its own limit, or a file of its log."""
    limits = (_limit(pipeline, Component.TOPIC, name) for name in (TOPIC_LIMIT, SEGMENT_BYTES))
    return min(limits, key=lambda limit: limit.most)


def request_limit(pipeline: Pipeline) -> SizeLimit:
    """The largest request that brokers read; they close the connection at a larger one."""
    return _limit(pipeline, Component.BROKER, REQUEST_LIMIT)


def full_request(pipeline: Pipeline) -> SizeLimit | None:
    """What bounds the requests of a client where a full one is larger than brokers read. In Java
    all batches of one are in its memory (RecordAccumulator.drain)."""
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
    """The limits of the client on one record. It must also have room for it where records wait."""
    if pipeline.family is Family.LIBRDKAFKA:
        return (_limit(pipeline, Component.PRODUCER, "message.max.bytes"), producer_queue(pipeline))
    names = (CLIENT_REQUEST_LIMIT, "buffer.memory")
    return tuple(_limit(pipeline, Component.PRODUCER, name) for name in names)


def producer_queue(pipeline: Pipeline) -> SizeLimit:
    """What may wait in a producer of librdkafka."""
    value = pipeline.number(Component.PRODUCER, QUEUE_KBYTES)
    return SizeLimit(Component.PRODUCER, QUEUE_KBYTES, value, KIB)


def largest_record(pipeline: Pipeline) -> int | None:
    """The size of the largest record with its envelope; None where nobody stated it."""
    size = pipeline.value(Component.APPLICATION, LARGEST)
    return size + ENVELOPE_BYTES if isinstance(size, int) else None


def exceeded_limits(pipeline: Pipeline) -> tuple[SizeLimit, ...]:
    """The limits that the largest record does not pass, the client's first."""
    size = largest_record(pipeline)
    if size is None:
        return ()
    limits = (*client_limits(pipeline), topic_limit(pipeline))
    carried = (
        (request_limit(pipeline),) if request_limit(pipeline).most < size + REQUEST_BYTES else ()
    )
    return (*(limit for limit in limits if limit.most < size), *carried)


@derived
def full_batch(pipeline: Pipeline) -> SizeLimit | None:
    """What bounds the batches of a client that the topic refuses when they are full, and that are
    lost whole; None where full batches fit, or are split."""
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
    """Whether the client divides a batch that is refused until its parts fit (KAFKA-8350)."""
    line = effective_client(pipeline.family, pipeline.version)
    java = pipeline.family is not Family.LIBRDKAFKA
    return java and at_least(line, "4.2") and topic_limit(pipeline).setting == TOPIC_LIMIT


@derived
def refusal_of_batches(pipeline: Pipeline) -> str | None:
    """Why messages that fit are refused with the batch that they are in, or None."""
    bound = full_batch(pipeline)
    if bound is None:
        return None
    if pipeline.family is Family.LIBRDKAFKA:
        ends = "librdkafka gives every message of it up."
    elif topic_limit(pipeline).setting == SEGMENT_BYTES:
        ends = "it is no fault that a Java client splits a batch for, and all of it is given up."
    else:
        timeout_ms = pipeline.number(Component.PRODUCER, "delivery.timeout.ms")
        ends = (
            "a Java client before 4.2 splits it into batches of the same size, until "
            f"delivery.timeout.ms={timeout_ms} is over (KAFKA-8350)."
        )
    return (
        f"{bound} with {topic_limit(pipeline)}: a full batch is larger than the topic takes; {ends}"
    )


def refusal_of_requests(pipeline: Pipeline) -> str | None:
    """Why a full request is never read, however often it is sent, or None."""
    bound = full_request(pipeline)
    if bound is None:
        return None
    return (
        f"{request_limit(pipeline)} with {bound}: brokers close the connection at a larger "
        "request, and a full one may be, with its names and numbers; the client sends it again "
        "until it gives it up."
    )


@derived
def oversized_response(pipeline: Pipeline) -> int | None:
    """The bytes of the largest batch, where a reader's client closes the connection at the response
    with it, again and again; None where it takes each.

    Brokers answer a fetch with one whole batch at least (KIP-74), and librdkafka takes a response
    that is larger than it allows for damaged (rd_kafka_transport_framed_recv).
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
