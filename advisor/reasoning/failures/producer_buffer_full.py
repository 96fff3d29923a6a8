"""The producer's buffer is full: records are produced faster than the brokers accept them."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.behaviour.session import MIN_RESPONSE_MS, Session
from advisor.reasoning.behaviour.sizes import producer_queue
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Java waits in send() and then gives up the record; librdkafka refuses it immediately."""
    if pipeline.family is Family.LIBRDKAFKA:
        return _refused(pipeline)
    topic, session = Replication(pipeline), Session(pipeline)
    memory, block_ms = (
        pipeline.number(Component.PRODUCER, name) for name in ("buffer.memory", "max.block.ms")
    )
    waits = f"buffer.memory={memory}: when it is full, send() waits up to max.block.ms={block_ms}"
    permitted: Permits = {Anomaly.UNAVAILABLE: f"{waits}."}
    if session.engine_resends:
        return {Anomaly.UNAVAILABLE: f"{waits}, and then fails {_failed_task(pipeline)}."}
    if session.application_resends or (session.aborts_with_input and block_ms > MIN_RESPONSE_MS):
        return permitted
    if block_ms <= MIN_RESPONSE_MS:
        permitted[Anomaly.GIVEN_UP] = (
            f"max.block.ms={block_ms}: the first send() to a topic does not even wait for the "
            "topic's metadata, and gives up the record."
        )
        return permitted
    if block_ms < topic.slowest_pause_ms:
        permitted[Anomaly.GIVEN_UP] = (
            f"{waits}, and gives up the record; a pause for a slow or dead broker lasts up to "
            f"{topic.slowest_pause_ms:,} ms."
        )
    elif block_ms < session.unanswered_ms:
        permitted[Anomaly.GIVEN_UP] = (
            f"{waits}, and gives up the record; a leader that hangs holds it up for "
            f"{session.unanswered_ms:,} ms (request.timeout.ms={session.request_timeout_ms}, and a "
            "second try)."
        )
    return permitted


def _failed_task(pipeline: Pipeline) -> str:
    """Returns what an engine does when send() gives up: no message is lost, but it may stop."""
    if pipeline.family is Family.SPARK:
        return (
            "the task, which runs again; the query stops when a task has failed for the fourth time"
        )
    return "the task, which is tried again for task.timeout.ms; then the thread dies"


def _refused(pipeline: Pipeline) -> Permits:
    max_messages = pipeline.number(Component.PRODUCER, "queue.buffering.max.messages")
    limits = f"queue.buffering.max.messages={max_messages} or {producer_queue(pipeline)}"
    refused = f"{limits}: when that limit is reached, the next produce() is refused immediately"
    if Session(pipeline).errors_handled:
        return {Anomaly.UNAVAILABLE: f"{refused}; the code polls and tries again."}
    return {Anomaly.GIVEN_UP: f"{refused}, and application.delivery.errors=ignored drops it."}


EVENT = FailureEvent(
    name="producer-buffer-full",
    title="The producer's buffer is full",
    boundary=Boundary.END_TO_END,
    story=(
        "The brokers pause or are slow, the application continues to send, and the client's "
        "buffer has no room for the next record."
    ),
    permits=permits,
    scenario="producer-buffer-full",
    sources=(
        "Kafka ConfigDef, max.block.ms and buffer.memory",
        "Kafka ConfigDef, request.timeout.ms (NetworkClient.java, handleTimedOutRequests)",
        "librdkafka CONFIGURATION.md, queue.buffering.max.messages and queue.buffering.max.kbytes",
    ),
)
