"""A night with slow followers, in which a Spark query reads less than arrives.

The followers receive everything late, as in `followers-slow`. With a short replica.lag.time.max.ms
they leave the in-sync set and return. Producers and readers wait for them. None of this loses
records for a reader, because retention never passes the high watermark. A backlog does. A query
with maxOffsetsPerTrigger starts one batch per second here. If its limit is less than the records
that arrive in a second, its lag grows until the next messages that it needs are older than the
topic's retention.

An hour of such a night passes in three seconds, and so does an hour of retention.ms.
"""

from __future__ import annotations

from collections.abc import Mapping

from labs.engine.clients.translate import Pinned
from labs.engine.faults.links import mend, slow
from labs.engine.faults.roles import followers, impaired
from labs.engine.plan.spec import Settings
from labs.engine.scenarios.conditions import RETENTION_RUNS, all_in_sync
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.steps import SHORT_FETCH_WAIT, early_retention
from labs.engine.scenarios.topologies import two_brokers_and_a_query

_LATE_S, _BYTES_PER_S = 1.5, 200_000
_SPEED = 1200
"""How many times faster than a real night it is: an hour passes in three seconds."""
_WHY_SHORTER = "an hour of the night passes in three seconds"


def _topic_pins(settings: Settings) -> Mapping[str, Pinned]:
    retention_ms = int(settings["topic"]["retention.ms"])
    if retention_ms < 0 or "delete" not in str(settings["topic"]["cleanup.policy"]):
        return {}
    return {
        "retention.ms": Pinned(max(retention_ms // _SPEED, 1), 604_800_000, _WHY_SHORTER),
        "segment.ms": Pinned(500, 604_800_000, _WHY_SHORTER),
    }


def _play(stage: Stage, seconds: Durations) -> None:
    stage.wait(RETENTION_RUNS, limit_s=45)
    if stage.topology.replication_factor == 1:
        stage.not_applicable(
            "slow", "follower", "replication.factor is 1: there are no followers to slow down"
        )
    else:
        stage.do(slow, followers(TOPIC), _LATE_S, _BYTES_PER_S)
    stage.let_run(seconds["night_s"])
    if stage.topology.replication_factor > 1:
        stage.heal(mend, impaired())
        stage.wait(all_in_sync(stage.topology), limit_s=60)


SCENARIO = Scenario(
    name="query-falls-behind",
    title="A Spark query falls behind the topic's retention",
    story=(
        "A night of nine hours passes in half a minute: the followers get everything late, and "
        "500 messages arrive for each batch of a Spark query. Retention deletes old messages, "
        "whether the query has read them or not."
    ),
    shows=("effect_missing", "skipped", "blocked", "unavailable"),
    topology=two_brokers_and_a_query,
    durations={"lead_in_s": (1.0, 1.5), "night_s": (27.0, 28.0), "healed_s": (0.5, 1.0)},
    play=_play,
    rate_per_s=500,
    linked=True,
    workload="spark-query-by-the-second",
    consumer_pins=SHORT_FETCH_WAIT,
    broker_pins=early_retention,
    topic_pins=_topic_pins,
    given_up_breaks=True,
    measured=(Rate("effect_missing", 1, 1),),
    zookeeper=True,
)
