"""A record waits longer than the client does, and the client reports it as failed."""

from __future__ import annotations

from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.group import sink_absorbs
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.replication import Replication
from advisor.reasoning.session import Session


def permits(pipeline: Pipeline) -> Permits:
    """Given up if the client waits less than a passing pause; twice if the code sends again."""
    topic, session = Replication(pipeline), Session(pipeline)
    if session.application_resends and not session.hears_errors:
        return {
            Anomaly.REORDERED: "acks=0 with application.resend=on-error: what waited in the client "
            "for too long is sent again behind later records."
        }
    if session.application_resends:
        return sent_again(
            pipeline,
            "application.resend=on-error: a record that was reported as failed may be in the log; "
            "enable.idempotence tells copies apart only within one send.",
        )
    return session.gives_up(topic.slowest_pause_ms, "A pause for a slow or dead broker")


def sent_again(pipeline: Pipeline, reason: str) -> Permits:
    """A record that the application sends a second time: two offsets, and out of its place."""
    found = {Anomaly.DUPLICATE: reason, Anomaly.REORDERED: reason}
    if not sink_absorbs(pipeline):
        found[Anomaly.EFFECT_DUPLICATED] = f"{reason} application.sink=plain applies both."
    return found


EVENT = FailureEvent(
    name="delivery-timeout",
    title="The client gives a record up, and it may be in the log",
    boundary=Boundary.END_TO_END,
    story=(
        "A replica is slow or gone for longer than the client waits; it reports an error for a "
        "record of which nobody knows whether it was written, and the application decides."
    ),
    permits=permits,
    sources=(
        "KIP-91 (delivery.timeout.ms)",
        "librdkafka INTRODUCTION.md, Message timeout considerations",
        "KafkaProducer javadoc, idempotent producer",
    ),
    scenario="sends-time-out",
)
