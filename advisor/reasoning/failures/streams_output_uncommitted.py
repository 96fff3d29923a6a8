"""The output of a Kafka Streams application is read before it is committed."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.event import FailureEvent, Permits, once_stated
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Aborted results, and those that replace them, for readers of open transactions."""
    streams = Streams(pipeline)
    readers = pipeline.text(Component.APPLICATION, "readers")
    if not streams.exactly_once or readers == "read_committed":
        return {}
    reason = (
        f"application.readers={readers or 'unknown'} with {streams.guarantee_setting}: a reader "
        "with isolation.level=read_uncommitted gets the results of aborted transactions, and also "
        "those that replace them."
    )
    return {Anomaly.ABORTED_READ: reason, Anomaly.EFFECT_DUPLICATED: reason}


EVENT = FailureEvent(
    name="streams-output-read-uncommitted",
    title="The output is read before it is committed",
    boundary=Boundary.END_TO_END,
    story=(
        "An instance dies with an open transaction. Its results are aborted and written again; a "
        "reader of the output topic does not wait for the commit."
    ),
    permits=permits,
    scenario="streams-instance-killed",
    staged_as="the instance dies with output that it had written and not committed",
    families=frozenset({Family.STREAMS}),
    sources=(
        "Kafka Streams core concepts, Processing guarantees",
        "Kafka ConfigDef, isolation.level",
    ),
    in_scope=once_stated("readers"),
    not_counted=("it counts if you state how the output topics are read (application.readers)"),
)
