"""How long records wait in a client that brokers allow fewer bytes a second than it sends."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.behaviour.sizes import producer_queue
from advisor.reasoning.pipeline import Pipeline

NAME = "producer.byte.rate"
"""What the team says of the quota, in bytes a second; nobody else can know."""

_REQUEST_BYTES = 1_048_576
"""`max.request.size` of Java and `message.max.bytes` of librdkafka, about: one request."""


@dataclass(frozen=True, slots=True)
class Backlog:
    """A full buffer of a client, `buffered` bytes as `setting` says, and the quota on it."""

    pipeline: Pipeline
    rate: int
    buffered: int
    setting: str

    def __str__(self) -> str:
        return f"application.{NAME}={self.rate} with {self.setting}"

    @property
    def empty_ms(self) -> int:
        """How long brokers take to let all of it in."""
        return self.buffered * 1000 // self.rate

    @property
    def room_ms(self) -> int:
        """How long it takes until there is room for one batch."""
        return self.pipeline.number(Component.PRODUCER, "batch.size") * 1000 // self.rate

    @property
    def block_ms(self) -> int | None:
        """How long send() waits for room; None where the code is told at once."""
        name = "max.block.ms"
        is_known = self.pipeline.knows(Component.PRODUCER, name)
        return self.pipeline.number(Component.PRODUCER, name) if is_known else None

    def in_flight_ms(self, session: Session) -> int:
        """How long the requests may wait unread that were sent before the client was told."""
        sent = min(self.buffered, session.in_flight * _REQUEST_BYTES)
        return sent * 1000 // self.rate


def quota(pipeline: Pipeline) -> Backlog | None:
    """The backlog under the quota that was stated; None where there is none, or the load that was
    stated is no more."""
    rate = pipeline.value(Component.APPLICATION, NAME)
    if not isinstance(rate, int):
        return None
    sent = load(pipeline)
    return None if sent is not None and sent <= rate else _full(pipeline, rate)


def load(pipeline: Pipeline) -> int | None:
    """What is sent in a second, in bytes, if it was stated."""
    messages, size = (
        pipeline.value(Component.APPLICATION, name) for name in ("rate", "message.bytes")
    )
    return messages * size if isinstance(messages, int) and isinstance(size, int) else None


def sufficient_quota(pipeline: Pipeline) -> int | None:
    """The least quota with which nothing is given up: what is sent, or what empties a full buffer
    in time; None where the one that was stated is enough, or nobody knows."""
    backlog, sent = quota(pipeline), load(pipeline)
    if backlog is None:
        return None
    timeout_ms = Session(pipeline).delivery_timeout_ms
    empties = -(-backlog.buffered * 1000 // timeout_ms) if timeout_ms else None
    wanted = [number for number in (sent, empties) if number and number > backlog.rate]
    return min(wanted, default=None)


def _full(pipeline: Pipeline, rate: int) -> Backlog:
    if pipeline.family is not Family.LIBRDKAFKA:
        memory = pipeline.number(Component.PRODUCER, "buffer.memory")
        return Backlog(pipeline, rate, memory, f"buffer.memory={memory}")
    most = pipeline.number(Component.PRODUCER, "queue.buffering.max.messages")
    size = pipeline.value(Component.APPLICATION, "message.bytes")
    room = producer_queue(pipeline)
    if isinstance(size, int) and 0 < most * size < room.most:
        return Backlog(
            pipeline, rate, most * size,
            f"queue.buffering.max.messages={most} of {size} bytes each",
        )  # fmt: skip
    return Backlog(pipeline, rate, room.most, str(room))
