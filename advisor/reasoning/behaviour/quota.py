"""How long records wait in a client whose quota is lower than its load."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.behaviour.sizes import producer_queue
from advisor.reasoning.pipeline import Pipeline

NAME = "producer.byte.rate"
"""The setting of the quota, in bytes per second. Only the team knows it."""

_REQUEST_BYTES = 1_048_576
"""About one request: `max.request.size` of Java and `message.max.bytes` of librdkafka."""


@dataclass(frozen=True, slots=True)
class Backlog:
    """A client's full buffer under a quota.

    `rate` is the quota in bytes per second, `buffered` the bytes in the buffer, and `setting` the
    setting that limits it, with its value.
    """

    pipeline: Pipeline
    rate: int
    buffered: int
    setting: str

    def __str__(self) -> str:
        return f"application.{NAME}={self.rate} with {self.setting}"

    @property
    def empty_ms(self) -> int:
        """The time in which the quota lets the whole buffer be sent."""
        return self.buffered * 1000 // self.rate

    @property
    def room_ms(self) -> int:
        """The time until there is room for one batch."""
        return self.pipeline.number(Component.PRODUCER, "batch.size") * 1000 // self.rate

    @property
    def block_ms(self) -> int | None:
        """How long send() waits for room; None if it returns an error immediately."""
        name = "max.block.ms"
        is_known = self.pipeline.knows(Component.PRODUCER, name)
        return self.pipeline.number(Component.PRODUCER, name) if is_known else None

    def in_flight_ms(self, session: Session) -> int:
        """How long requests that were sent before the client was throttled may wait unread."""
        in_flight = min(self.buffered, session.in_flight * _REQUEST_BYTES)
        return in_flight * 1000 // self.rate


def quota(pipeline: Pipeline) -> Backlog | None:
    """Returns the backlog under the stated quota; None if there is no quota, or it is not below the
    stated load."""
    rate = pipeline.value(Component.APPLICATION, NAME)
    if not isinstance(rate, int):
        return None
    stated_load = load(pipeline)
    return None if stated_load is not None and stated_load <= rate else _full(pipeline, rate)


def load(pipeline: Pipeline) -> int | None:
    """Returns the bytes sent per second, or None if not stated."""
    messages, size = (
        pipeline.value(Component.APPLICATION, name) for name in ("rate", "message.bytes")
    )
    return messages * size if isinstance(messages, int) and isinstance(size, int) else None


def sufficient_quota(pipeline: Pipeline) -> int | None:
    """Returns the smallest quota with which nothing is given up: the load, or the rate that empties
    a full buffer in time. None if the stated quota is enough, or the load is unknown."""
    backlog, stated_load = quota(pipeline), load(pipeline)
    if backlog is None:
        return None
    timeout_ms = Session(pipeline).delivery_timeout_ms
    draining = -(-backlog.buffered * 1000 // timeout_ms) if timeout_ms else None
    rates = [rate for rate in (stated_load, draining) if rate and rate > backlog.rate]
    return min(rates, default=None)


def _full(pipeline: Pipeline, rate: int) -> Backlog:
    if pipeline.family is not Family.LIBRDKAFKA:
        memory = pipeline.number(Component.PRODUCER, "buffer.memory")
        return Backlog(pipeline, rate, memory, f"buffer.memory={memory}")
    most = pipeline.number(Component.PRODUCER, "queue.buffering.max.messages")
    size = pipeline.value(Component.APPLICATION, "message.bytes")
    limit = producer_queue(pipeline)
    if isinstance(size, int) and 0 < most * size < limit.most:
        return Backlog(
            pipeline, rate, most * size,
            f"queue.buffering.max.messages={most} of {size} bytes each",
        )  # fmt: skip
    return Backlog(pipeline, rate, limit.most, str(limit))
