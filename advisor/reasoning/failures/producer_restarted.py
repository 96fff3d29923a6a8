"""The producing application dies and starts again from its last known input."""

from __future__ import annotations

from advisor.catalog import Family
from advisor.reasoning.behaviour.group import Commit, Group, sink_absorbs
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Duplicates: a new session does not know the sequence numbers of the old one.

    If the input's offsets are in the transaction, uncommitted work has had no effect.
    """
    session, group = Session(pipeline), Group.of(pipeline)
    if session.restart != "resumes" or (group and group.commit is Commit.IN_TRANSACTION):
        return {}
    text = "resend=on-error" if session.application_resends else "restart=resumes"
    reason = (
        f"application.{text}: after a restart the application sends unacknowledged records again, "
        "and the new session has a new producer id."
    )
    permitted = {Anomaly.DUPLICATE: reason}
    if not sink_absorbs(pipeline):
        permitted[Anomaly.EFFECT_DUPLICATED] = f"{reason} application.sink=plain applies both."
    return permitted


EVENT = FailureEvent(
    name="producer-restarted",
    title="The producing application dies and starts again",
    boundary=Boundary.END_TO_END,
    story=(
        "The process dies with sends in progress. After the restart it cannot know which of them "
        "were written. If it sends them again, some are in the log twice."
    ),
    permits=permits,
    scenario="producer-killed",
    staged_as=(
        "the application that died starts again and sends the records that it knows to be "
        "unacknowledged"
    ),
    families=frozenset({Family.JAVA, Family.LIBRDKAFKA}),
    sources=("KafkaProducer javadoc, idempotent producer (a single session)", "KIP-98"),
)
