"""The producing application dies and starts again from its last known input."""

from __future__ import annotations

from advisor.catalog import Family
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.failures.delivery_timeout import sent_again
from advisor.reasoning.guarantees import Boundary
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.session import Session


def permits(pipeline: Pipeline) -> Permits:
    """A new session knows nothing of the old one's sequence numbers."""
    if not Session.of(pipeline).application_resends:
        return {}
    return sent_again(
        pipeline,
        "application.resend=on-error: after a restart the application sends again what it has no "
        "acknowledgement for, and a new session gets a new producer id.",
    )


EVENT = FailureEvent(
    name="producer-restarted",
    title="The producing application dies and starts again",
    boundary=Boundary.END_TO_END,
    story=(
        "The process dies with sends under way. After the start it cannot know which of them "
        "were written; if it sends them again, some are there twice."
    ),
    permits=permits,
    families=frozenset({Family.JAVA, Family.LIBRDKAFKA}),
    sources=("KafkaProducer javadoc, idempotent producer (a single session)", "KIP-98"),
)
