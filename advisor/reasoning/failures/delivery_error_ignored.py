"""The client reports an error, and nobody looks at it."""

from __future__ import annotations

from advisor.catalog import Family
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Records that are not in the log while the application believes that they are."""
    session = Session(pipeline)
    if session.hears_errors:
        return _unread(pipeline, session)
    unheard = (
        "acks=0: the broker does not respond, so a message that it refuses still counts as sent."
    )
    return {Anomaly.LOST_WRITE: unheard, **_unread(pipeline, session)}


def _unread(pipeline: Pipeline, session: Session) -> Permits:
    """Errors that the client reports, and nobody reads."""
    if session.errors_handled or session.fails_with_its_input:
        return {}
    if pipeline.family is Family.STREAMS:
        dropped = Streams(pipeline).drops_results
        return {
            Anomaly.GIVEN_UP: (
                f"{dropped}: a class of your own, which may continue without a result that could "
                "not be sent; the input counts as processed."
            )
        }
    return {
        Anomaly.GIVEN_UP: (
            "application.delivery.errors=ignored: send() does not throw for a timeout, a full "
            "buffer or a record too large; only the callback reports it, and the code does not "
            "check it."
        )
    }


EVENT = FailureEvent(
    name="delivery-error-ignored",
    title="A delivery error that nobody checks",
    boundary=Boundary.END_TO_END,
    story="A send fails for good, and the code never checks the future or the callback.",
    permits=permits,
    scenario="delivery-error-ignored",
    sources=(
        "KafkaProducer javadoc, send()",
        "librdkafka INTRODUCTION.md, Message reliability",
        "KIP-210 (production exception handler)",
    ),
)
