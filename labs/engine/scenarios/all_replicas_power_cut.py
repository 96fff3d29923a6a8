"""All replicas lose power at the same time, and with it everything that was only in memory.

The power cut is simulated. A committed record is only in the memory of the in-sync replicas: Kafka
flushes according to `flush.messages`, and by default never (Kafka design.md, Replication;
TopicConfig). So acks=all does not help here with any number of replicas. flush.messages=1 does, at
the price of a disk write per batch. Measured by hand on 4.3.1, with 80, 93 and 97 % of the log
kept: 600 to 4,000 of 20,000 messages lost, and none with flush.messages=1. The lab removes
everything that was not flushed (`faults.cut_tail`), which is the whole log in such a short run.
"""

from __future__ import annotations

from labs.engine.faults.cut_tail import cut_tail
from labs.engine.faults.kill import kill, restart
from labs.engine.faults.roles import dead, killed, running_brokers
from labs.engine.scenarios.conditions import all_in_sync
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import up_to_five


def _play(stage: Stage, seconds: Durations) -> None:
    stage.do(kill, running_brokers())
    stage.do(cut_tail, killed(), {TOPIC: stage.topology.flush_messages})
    stage.let_run(seconds["dark_s"])
    stage.heal(restart, dead())
    stage.wait(all_in_sync(stage.topology), limit_s=90)


SCENARIO = Scenario(
    name="all-replicas-power-cut",
    title="All replicas lose power at once (simulated)",
    story=(
        "All brokers that have the partition are on one power line. They are killed at the same "
        "moment, and the end of each log that was not flushed is cut off. This simulates a power "
        "cut: killing a process alone loses nothing that it wrote."
    ),
    shows=("lost_write", "unavailable", "blocked"),
    topology=up_to_five,
    durations={"lead_in_s": (2.0, 3.0), "dark_s": (0.5, 1.0), "healed_s": (1.5, 2.0)},
    play=_play,
    given_up_breaks=True,
    measured=(Rate("lost_write", 10, 10),),
    zookeeper=True,
)
