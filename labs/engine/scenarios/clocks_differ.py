"""The producer moves to a machine whose clock is ahead, and then to one whose clock is right.

All processes of a run share one clock, so the wrong one is simulated: the producer's successor
gives each record the timestamp that such a clock would show. A broker refuses records whose
timestamps are too far ahead (message.timestamp.after.max.ms; INVALID_TIMESTAMP, KIP-937), and the
error is not retriable. The default limit is an hour since 4.0 (KIP-1030); before, there was none.
Retention by a wrong clock, which deletes old records, is the scenario `foreign-timestamps`.
"""

from __future__ import annotations

from labs.engine.faults.clients import correct_clock, misdate
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import one_broker


def _play(stage: Stage, seconds: Durations) -> None:
    stage.do(misdate, "producer")
    stage.let_run(seconds["ahead_s"])
    stage.heal(correct_clock, "producer")


SCENARIO = Scenario(
    name="clocks-differ",
    title="The producer's clock is ahead",
    story=(
        "The producer is shut down cleanly and started again on a machine whose clock is two hours "
        "ahead, or as far ahead as you described. Some seconds later it is moved to a machine "
        "whose clock is right."
    ),
    shows=("given_up", "lost_write", "effect_missing", "unavailable"),
    topology=one_broker,
    durations={"lead_in_s": (1.0, 2.0), "ahead_s": (2.0, 2.5), "healed_s": (1.0, 1.5)},
    play=_play,
    given_up_breaks=True,
    since="3.6",
    why_since="older brokers have no separate limit for timestamps in the future",
    measured=(Rate("given_up", 1, 1),),
    workload="consume-process-sink",
    rarely={"effect_missing": "nothing is deleted in a run: foreign-timestamps shows that"},
    zookeeper=True,
    zookeeper_since="3.6",
)
