"""A record waits for longer than the client does, and the client reports it as failed."""

from __future__ import annotations

from advisor.catalog import Family
from advisor.reasoning.behaviour.group import repeated_effect, sink_absorbs
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.event import FailureEvent, Permits, outage
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """A record given up if the client waits for less than a passing pause.

    If the code sends the record again, it may be in the log twice.
    """
    topic, session = Replication(pipeline), Session(pipeline)
    return _timed_out(pipeline, topic, session) | _endless_fencing(topic, session)


def _endless_fencing(topic: Replication, session: Session) -> Permits:
    """Effects of brokers that are fenced again and again: no client's timeout is long enough."""
    if not topic.repeated_fencing:
        return {}
    permitted = outage(f"{topic.repeated_fencing}, and its partitions have no leader or move.")
    if session.application_resends or session.engine_resends:
        return permitted
    given_up = session.given_up(
        f"{topic.repeated_fencing}. No delivery.timeout.ms is long enough for that."
    )
    return permitted | given_up | applied_twice(topic.pipeline, given_up)


def _timed_out(pipeline: Pipeline, topic: Replication, session: Session) -> Permits:
    if session.engine_resends:
        return _task_retried(pipeline, topic, session)
    if session.application_resends and session.transactional:
        return {}  # the transaction must be aborted first; until then each send() is refused
    if session.application_resends and not session.receives_errors:
        return {
            Anomaly.REORDERED: (
                "acks=0 with application.resend=on-error: records that waited in the client for "
                "too long are sent again, after later records."
            )
        }
    if session.application_resends:
        return sent_again(
            pipeline,
            "application.resend=on-error: a record that was reported as failed may be in the log; "
            "enable.idempotence recognises copies only within one send.",
        )
    given_up = session.gives_up(topic.slowest_pause_ms, topic.slowest_pause)
    if not given_up:
        return {}
    return given_up | session.arrives_late() | applied_twice(pipeline, given_up)


def applied_twice(pipeline: Pipeline, permitted: Permits) -> Permits:
    """Returns the repeated effect of a duplicate, unless the sink absorbs it."""
    if Anomaly.DUPLICATE not in permitted or sink_absorbs(pipeline):
        return {}
    reason = permitted[Anomaly.DUPLICATE]
    return {Anomaly.EFFECT_DUPLICATED: f"{reason} application.sink=plain applies both."}


def _task_retried(pipeline: Pipeline, topic: Replication, session: Session) -> Permits:
    """Effects of a failed task: its next attempt sends from the task's beginning.

    In a transaction the first attempt is aborted, with everything that it sent.
    """
    if pipeline.family is Family.STREAMS and Streams(pipeline).exactly_once:
        return {}
    reason = session.reason_to_give_up(topic.slowest_pause_ms)
    if reason is None:
        return {}
    timeout = f"{reason} {topic.slowest_pause} lasts up to {topic.slowest_pause_ms:,} ms: "
    duplicate = f"{timeout}the next attempt of the task sends again what was already written."
    permitted = {
        Anomaly.REORDERED: (
            f"{timeout}the next attempt of the task sends what was given up, after later records "
            "that were already written."
        ),
        Anomaly.DUPLICATE: duplicate,
    }
    if pipeline.family is Family.STREAMS and not sink_absorbs(pipeline):
        permitted[Anomaly.EFFECT_DUPLICATED] = f"{duplicate} {repeated_effect(pipeline)}"
    return permitted


def sent_again(pipeline: Pipeline, reason: str) -> Permits:
    """Effects of a record that the application sends again: two offsets, and out of order."""
    permitted = {Anomaly.DUPLICATE: reason, Anomaly.REORDERED: reason}
    return permitted | applied_twice(pipeline, permitted)


EVENT = FailureEvent(
    name="delivery-timeout",
    title="The client gives up a record that may be in the log",
    boundary=Boundary.END_TO_END,
    story=(
        "A replica is slow or gone for longer than the client waits. The client reports an error "
        "for a record that may or may not be in the log, and the application decides what to do."
    ),
    permits=permits,
    sources=(
        "KIP-91 (delivery.timeout.ms)",
        "librdkafka INTRODUCTION.md, Message timeout considerations",
        "KafkaProducer javadoc, idempotent producer; send() in a transaction",
        "RecordCollectorImpl.java (recordSendError: TaskCorruptedException)",
    ),
    scenario="sends-time-out",
)
