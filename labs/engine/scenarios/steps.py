"""Steps that several scenarios share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from advisor.reasoning.behaviour.absence import POLL_MS, until_taken_over_ms
from labs.engine.clients.translate import Pinned
from labs.engine.faults.admin import disable_retention, elect
from labs.engine.faults.clients import hold, kill_client, start_successor
from labs.engine.faults.kill import kill, restart
from labs.engine.faults.pause import pause, resume
from labs.engine.faults.rig import Rig, Rows
from labs.engine.faults.roles import Role, dead, followers, leader, one_follower, paused, terminated
from labs.engine.faults.terminate import terminate
from labs.engine.plan.spec import Settings
from labs.engine.scenarios.conditions import (
    ANOTHER_LEADS,
    DEAD_NOTICED,
    POSITION_SAVED,
    RETENTION_RUNS,
    all_in_sync,
    in_sync,
)
from labs.engine.scenarios.model import TOPIC, Durations, Play, Stage
from labs.engine.scenarios.topologies import OFFSETS

BLIND_RETRY = (
    "a retry repeats only records that were written and not yet acknowledged when the leader died, "
    "which are few at this rate"
)
"""Why a run in which the leader dies seldom shows a duplicate, or the reordering by one."""

LEADERLESS_TOPICS = (TOPIC, OFFSETS)
"""The topics that an empty disk may leave without a leader (docs/decisions/0010)."""

RARELY_WHEN_ALONE = {
    "diverged": "below min.insync.replicas nothing can be read, and the new leader is an eligible "
    "replica that has everything that was read",
    "given_up": "the new leader is an eligible replica that has the producer's last batches",
}
"""Why runs in which the only in-sync replica dies show few anomalies other than lost writes."""

_A_FOLLOWER = one_follower(TOPIC)
_WHY_SHORTER = "the group notices a dead member earlier"
SHORT_SESSION = {
    "session.timeout.ms": Pinned(3000, 45000, _WHY_SHORTER),
    "heartbeat.interval.ms": Pinned(500, 3000, _WHY_SHORTER),
}
"""For scenarios in which a consumer dies: its partitions are not read until its session ends."""

SHORT_FETCH_WAIT = {
    "fetch.max.wait.ms": Pinned(10, 500, "a Spark batch waits less at the log's end")
}
"""For scenarios with a Spark query: each batch reads to the end of the log."""


def early_retention(_: Settings) -> Mapping[str, Pinned]:
    """The broker settings for scenarios in which retention deletes records."""
    why = "records whose retention has ended are deleted earlier"
    return {
        "log.retention.check.interval.ms": Pinned(300, 300_000, why),
        "log.initial.task.delay.ms": Pinned(500, 30_000, why),
    }


def away_ms(settings: Settings) -> int:
    """The longest absence of readers, in ms: as stated, or until a dead reader is replaced."""
    consumer, broker = settings.get("consumer", {}), settings.get("broker", {})
    session_ms = int(consumer.get("session.timeout.ms", 45_000))
    if consumer.get("group.protocol") == "consumer":
        session_ms = int(broker.get("group.consumer.session.timeout.ms", 45_000))
    poll_ms = int(consumer.get("max.poll.interval.ms", POLL_MS))
    outage_ms = settings["application"].get("outage.ms")
    return max(until_taken_over_ms(session_ms, poll_ms), 0 if outage_ms is None else int(outage_ms))


def leave_leader_alone(
    stage: Stage, stopped: Role = _A_FOLLOWER, end: Callable[[Rig, Role], Rows] = terminate
) -> None:
    """Stops replicas one by one, cleanly unless `end` differs, until only the leader is in sync.

    Each replica must have left the in-sync set before the next one is stopped: the controllers
    shrink the set, and they lose their majority with the last follower. If `stopped` is the
    leader, each transfers leadership, and the last leader is left.
    """
    replicas = stage.topology.replication_factor
    if replicas == 1:
        stage.not_applicable(
            "kill" if end is kill else "terminate", stopped.name,
            "replication.factor is 1: the leader is alone from the start",
        )  # fmt: skip
    for left in range(replicas - 1, 0, -1):
        stage.do(end, stopped)
        stage.wait(in_sync(stage.topology, left), limit_s=20)


FOLLOWERS_BEHIND_DURATIONS: Mapping[str, tuple[float, float]] = {
    "lead_in_s": (1.5, 2.5),
    "behind_s": (0.8, 1.2),
    "under_new_leader_s": (1.0, 1.5),
    "healed_s": (0.5, 1.0),
}
"""The durations of scenarios in which the leader is lost while its followers are behind."""


def leader_alone_durations(
    without_leader_s: tuple[float, float],
) -> Mapping[str, tuple[float, float]]:
    """The durations of scenarios in which the only replica in sync is lost."""
    return {
        "lead_in_s": (1.0, 2.0),
        "alone_s": (1.0, 1.5),
        "without_leader_s": without_leader_s,
        "healed_s": (0.5, 1.0),
    }


def elect_uncleanly(stage: Stage) -> None:
    """Waits until an out-of-sync replica leads, if one may.

    An operator has it elected if the controllers do not, as in KRaft mode before 3.9
    (KAFKA-12670).
    """
    if stage.topology.unclean:
        stage.heal(elect, TOPIC)


def losing_last_in_sync(
    lose: Callable[[Stage], None], stopped: Role = _A_FOLLOWER, elections: Sequence[str] = ()
) -> Play:
    """A play: one replica stays in sync, works alone and is lost, and the others start first."""

    def play(stage: Stage, seconds: Durations) -> None:
        leave_leader_alone(stage, stopped)
        stage.let_run(seconds["alone_s"])
        lose(stage)
        if stage.topology.replication_factor > 1:
            stage.heal(restart, terminated())
            stage.wait(DEAD_NOTICED, limit_s=60)
            elect_uncleanly(stage)
        stage.let_run(seconds["without_leader_s"])
        restart_dead(stage, elections)

    return play


def kill_leader(stage: Stage) -> None:
    stage.do(kill, leader(TOPIC))


def fall_behind(stage: Stage, seconds: Durations) -> None:
    """Pauses the followers, which stay in sync, so that the leader works alone for a while."""
    if stage.topology.replication_factor == 1:
        stage.not_applicable(
            "pause", "follower", "replication.factor is 1: there are no followers to fall behind"
        )
    else:
        stage.do(pause, followers(TOPIC))
    stage.let_run(seconds["behind_s"])


def elect_lagging_replica(stage: Stage, seconds: Durations) -> None:
    """Resumes the followers, so that one of them leads in place of the dead leader."""
    if stage.topology.replication_factor > 1:
        stage.do(resume, paused())
    run_under_new_leader(stage, seconds)


def run_under_new_leader(stage: Stage, seconds: Durations) -> None:
    """Runs for a while under a new leader, if there can be one, and then heals."""
    if stage.topology.replication_factor > 1:
        stage.wait(ANOTHER_LEADS, limit_s=40)
    stage.let_run(seconds["under_new_leader_s"])
    restart_dead(stage)


def restart_dead(stage: Stage, elections: Sequence[str] = ()) -> None:
    """Restarts all dead nodes, and waits until all replicas are in sync.

    `elections` names topics for which an operator elects a leader if they have none, after a disk
    was lost.
    """
    stage.heal(restart, dead())
    for topic in elections:
        stage.heal(elect, topic)
    stage.wait(all_in_sync(stage.topology), limit_s=60)


def nobody_reads(stage: Stage, seconds: Durations) -> None:
    """Kills the group's only member once its position is saved, and lets time pass."""
    stage.wait(POSITION_SAVED, limit_s=15)
    stage.do(hold, "consumer", "polling")
    stage.do(kill_client, "consumer")
    stage.let_run(seconds["away_s"])


def nobody_reads_while_messages_expire(stage: Stage, seconds: Durations) -> None:
    """Like `nobody_reads`, while retention deletes messages; then a new member starts.

    Retention ends before the new member starts.
    """
    stage.wait(RETENTION_RUNS, limit_s=60)
    nobody_reads(stage, seconds)
    stage.heal(disable_retention, TOPIC)
    stage.heal(start_successor, "consumer")


def killing_consumer_at(point: str) -> Play:
    """A play that kills the group's member at a point of its work, after holding it there.

    By then the group has saved a position, like any group that has run for a while.
    """

    def play(stage: Stage, seconds: Durations) -> None:
        stage.wait(POSITION_SAVED, limit_s=15)
        stage.do(hold, "consumer", point)
        stage.let_run(seconds["standing_s"])
        stage.do(kill_client, "consumer")
        stage.heal(start_successor, "consumer")

    return play
