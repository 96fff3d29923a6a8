"""The client reports an error, and nobody checks it."""

from __future__ import annotations

from advisor.catalog import Family
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Records that are not in the log although the application assumes that they are."""
    session = Session(pipeline)
    if session.receives_errors:
        return _unchecked(pipeline, session)
    unreported = (
        "acks=0: the broker does not respond, so a message that it refuses still counts as sent."
    )
    return {Anomaly.LOST_WRITE: unreported, **_unchecked(pipeline, session)}


def _unchecked(pipeline: Pipeline, session: Session) -> Permits:
    """Records given up because nobody checks the errors that the client reports."""
    if session.errors_handled or session.aborts_with_input:
        return {}
    if pipeline.family is Family.STREAMS:
        handler = Streams(pipeline).result_dropping_handler
        return {
            Anomaly.GIVEN_UP: (
                f"{handler}: a class of your own, which may continue without a result that could "
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
