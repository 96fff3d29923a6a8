"""An instance of a Kafka Streams application dies while it processes messages."""

from __future__ import annotations

from advisor.catalog import Family
from advisor.reasoning.behaviour.group import repeated_effect, sink_absorbs
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Duplicates: work since the last commit is done again, unless it was in a transaction.

    With at_least_once the changelog keeps what the state already counted, so a message that is
    processed again is counted again.
    """
    streams = Streams(pipeline)
    if streams.exactly_once:
        return {}
    reason = (
        f"{streams.guarantee_setting} with commit.interval.ms={streams.commit_ms}: what was "
        "processed since the last commit is processed again, and the results of the first time "
        "stay in the output."
    )
    permitted = {Anomaly.DUPLICATE: reason}
    if not sink_absorbs(pipeline):
        permitted[Anomaly.EFFECT_DUPLICATED] = f"{reason} {repeated_effect(pipeline)}"
    return permitted


EVENT = FailureEvent(
    name="streams-instance-killed",
    title="An instance of the Streams application dies",
    boundary=Boundary.END_TO_END,
    story=(
        "The process is killed after it wrote results and changed its state, and before it "
        "committed the offsets of the input. It continues from there after a restart, or another "
        "instance does."
    ),
    permits=permits,
    scenario="streams-instance-killed",
    families=frozenset({Family.STREAMS}),
    sources=(
        "Kafka Streams core concepts, Processing guarantees",
        "KIP-129",
        "KIP-447",
    ),
)
