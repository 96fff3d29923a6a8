"""The producing process dies with records that it has not yet sent."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.group import Commit, Group
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.event import FailureEvent, Permits, once_stated
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Records given up: those in the buffer are lost unless the application sends them again."""
    group, session = Group.of(pipeline), Session(pipeline)
    if session.restart == "resumes" or (group and group.commit is Commit.IN_TRANSACTION):
        return {}
    linger_ms = pipeline.number(Component.PRODUCER, "linger.ms")
    return {
        Anomaly.GIVEN_UP: (
            f"application.restart={session.restart or 'unknown'}: records in the producer's memory "
            f"(those that wait for linger.ms={linger_ms} and those without an acknowledgement) are "
            "lost with it."
        )
    }


EVENT = FailureEvent(
    name="producer-killed",
    title="The producing process dies with unsent records",
    boundary=Boundary.END_TO_END,
    story=(
        "The process is killed, or ends without flush(), while records wait in its buffer or for "
        "their acknowledgement."
    ),
    permits=permits,
    scenario="producer-killed",
    families=frozenset({Family.JAVA, Family.LIBRDKAFKA}),
    sources=("KafkaProducer javadoc, close()", "librdkafka INTRODUCTION.md, Message reliability"),
    beyond_settings=(
        "Read the input again from the last record that was acknowledged, and store that position "
        "only after the acknowledgement."
    ),
    in_scope=once_stated("restart"),
    not_counted=(
        "it counts once you say what the application does after a restart (application.restart)"
    ),
)
