"""The broker that coordinates the group is down for longer than a session, with its disk.

All topics are created with one copy, as on a cluster that had one broker. During the run they are
reassigned: the topic to three brokers, and __consumer_offsets to as many as are described
(offsets.topic.replication.factor, which itself applies only when that topic is created). A topic
that is created now without a replication factor gets default.replication.factor copies.

With more than one copy, another broker coordinates the group as soon as the dead one is fenced.
With one copy, no broker does until it is back, and nothing can be committed. A member that uses
librdkafka and does not reach its coordinator for its session timeout gives up its partitions, and
the records that it processed without a commit are delivered again. A Java member keeps its
partitions and waits for its commits. The broker is down for much longer than a fail-over, which
took 7.1 s on an overloaded machine.
"""

from __future__ import annotations

from collections.abc import Mapping

from labs.engine.clients.translate import Pinned
from labs.engine.faults.admin import create
from labs.engine.faults.kill import kill, restart
from labs.engine.faults.reassign import add_copies
from labs.engine.faults.roles import coordinator, dead
from labs.engine.plan.spec import Settings
from labs.engine.scenarios.conditions import POSITION_SAVED, all_in_sync
from labs.engine.scenarios.model import Durations, Rate, Scenario, Stage
from labs.engine.scenarios.steps import SHORT_SESSION
from labs.engine.scenarios.topologies import OFFSETS_COPIES, with_grown_topics
from labs.engine.workloads.group import GROUP

_NEW_TOPIC = "invoices"
"""An unused topic, created to show which default.replication.factor the brokers apply."""


def _broker_pins(settings: Settings) -> Mapping[str, Pinned]:
    if int(settings["broker"][OFFSETS_COPIES]) == 1:
        return {}
    why = "__consumer_offsets is created as on one broker, and reassigned during the run"
    return {OFFSETS_COPIES: Pinned(1, 3, why)}


def _play(stage: Stage, seconds: Durations) -> None:
    for topic, copies in stage.topology.grown.items():
        if copies > 1:
            stage.do(add_copies, topic, copies)
        else:
            why = f"{OFFSETS_COPIES} is 1: {topic} keeps the copy that it was created with"
            stage.not_applicable("mend-copies", f"topic: {topic}", why)
    stage.do(create, _NEW_TOPIC)
    stage.wait(POSITION_SAVED, limit_s=15)
    stage.do(kill, coordinator(GROUP))
    stage.let_run(seconds["away_s"])
    stage.heal(restart, dead())
    stage.wait(all_in_sync(stage.topology), limit_s=60)
    stage.wait(POSITION_SAVED, limit_s=30)


SCENARIO = Scenario(
    name="group-coordinator-away",
    title="The broker that coordinates the group is away",
    story=(
        "All topics were created when the cluster had one broker. Now the topic is reassigned to "
        "three brokers, and __consumer_offsets to as many as the settings say. A new topic is "
        "created with the cluster's default number of copies. Then the broker that has the group's "
        "offsets is killed and stays away for some seconds."
    ),
    shows=("redelivery", "effect_duplicated", "blocked"),
    topology=with_grown_topics,
    durations={"lead_in_s": (1.0, 2.0), "away_s": (16.0, 17.0), "healed_s": (2.0, 2.5)},
    play=_play,
    workload="consume-process-commit",
    copier=True,
    consumer_pins=SHORT_SESSION,
    broker_pins=_broker_pins,
    kept_broker_settings=(OFFSETS_COPIES, "default.replication.factor"),
    given_up_breaks=True,
    measured=(
        Rate("blocked", 10, 10),
        Rate("effect_duplicated", 10, 10),
    ),
    zookeeper=True,
)
