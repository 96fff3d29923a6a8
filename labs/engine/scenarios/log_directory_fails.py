"""One of the leader's two log directories fails while its in-sync followers are behind.

The broker continues with the other one (KIP-112), and the controllers elect another replica as soon
as it reports the failure (KIP-858); they do not wait for a session to end. The new leader lacks the
records that only the old one had, as after the old one's death. These stay on the disk and are
truncated when the directory returns. With one log directory the broker shuts down instead, as in
`leader-disk-fails`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from labs.engine.clients.translate import Pinned
from labs.engine.faults.detach import attach, detach, detached
from labs.engine.faults.pause import resume
from labs.engine.faults.roles import leader, paused
from labs.engine.faults.terminate import terminate
from labs.engine.plan.spec import Settings
from labs.engine.scenarios.conditions import ANOTHER_LEADS
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage, Topology
from labs.engine.scenarios.steps import (
    BLIND_RETRY,
    FOLLOWERS_BEHIND_DURATIONS,
    fall_behind,
    restart_dead,
)
from labs.engine.scenarios.topologies import up_to_five


def _topology(settings: Settings) -> Topology:
    note = "each broker of the run has two log directories, and its metadata in a third"
    return replace(up_to_five(settings), log_dirs=2, note=note)


def _broker_pins(_: Settings) -> Mapping[str, Pinned]:
    why = "a log directory that cannot be written is noticed earlier"
    return {"replica.high.watermark.checkpoint.interval.ms": Pinned(200, 5000, why)}


def _play(stage: Stage, seconds: Durations) -> None:
    fall_behind(stage, seconds)
    stage.do(detach, leader(TOPIC), f"{TOPIC}-0")
    if stage.topology.replication_factor > 1:
        stage.do(resume, paused())
        stage.wait(ANOTHER_LEADS, limit_s=40)
    stage.let_run(seconds["under_new_leader_s"])
    stage.do(terminate, detached())
    stage.heal(attach, detached())
    restart_dead(stage)


SCENARIO = Scenario(
    name="log-directory-fails",
    title="A log directory of the leader fails",
    story=(
        "Each broker has two log directories. On the leader, the one with the partition cannot be "
        "written any more (simulated), while the in-sync followers are a second behind. The broker "
        "continues without that directory, and a follower leads. Later the broker is restarted, "
        "and the directory is as it was."
    ),
    shows=("lost_write", "unavailable"),
    topology=_topology,
    durations=FOLLOWERS_BEHIND_DURATIONS,
    play=_play,
    broker_pins=_broker_pins,
    rarely={
        "duplicate": BLIND_RETRY,
        "reordered": BLIND_RETRY,
        "given_up": "another replica leads before most clients time out",
    },
    given_up_breaks=True,
    measured=(Rate("lost_write", 3, 3),),
    since="3.7",
    why_since="older brokers do not report a failed log directory to the controllers (KIP-858)",
    zookeeper=True,
)
