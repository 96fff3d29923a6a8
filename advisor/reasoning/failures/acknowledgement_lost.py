"""A connection breaks between a request and its response."""

from __future__ import annotations

from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline

_RECONNECT_MS = 1
"""Any pause: the first error ends a record that is never retried."""


def permits(pipeline: Pipeline) -> Permits:
    """Duplicates if the client retries without idempotence; otherwise one copy, perhaps late."""
    session = Session(pipeline)
    given_up = session.gives_up(_RECONNECT_MS, "The broken connection")
    if not session.receives_errors:
        lost = (
            "acks=0: records in a connection that breaks are lost, although they were counted as "
            "sent."
        )
        return given_up | {Anomaly.LOST_WRITE: lost, **session.arrives_late()}
    given_up = given_up or session.gives_up_before_second_try()
    late = session.arrives_late() if given_up else {}
    return {**late, **session.repeats(), **given_up}


EVENT = FailureEvent(
    name="acknowledgement-lost",
    title="A request or its acknowledgement is lost",
    boundary=Boundary.PRODUCER_TO_LOG,
    story=(
        "A connection breaks, or a response takes longer than request.timeout.ms. The client "
        "cannot know whether the broker wrote the batch."
    ),
    permits=permits,
    scenario="acknowledgement-lost",
    sources=("KIP-98 (idempotent producer)", "librdkafka INTRODUCTION.md, Timed out in flight"),
)
