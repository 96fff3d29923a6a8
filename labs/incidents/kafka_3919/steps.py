"""A power cut leaves replicas of different lengths, and the shortest leads.

The power cut is simulated: the brokers are killed, and the ends of their logs, none of which was
flushed, are cut off.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise

from labs.engine.base.wait import WaitTimeout, until
from labs.incidents import clients
from labs.incidents.model import Exhibit, Outcome
from labs.incidents.past_cluster import PastCluster
from labs.incidents.replicas import Log, differing_offsets, read_logs, side_by_side

BROKERS = 3
SETTINGS = {
    "unclean.leader.election.enable": False,
    "zookeeper.session.timeout.ms": 3000,
    "broker.session.timeout.ms": 3000,
    "broker.heartbeat.interval.ms": 500,
    "replica.high.watermark.checkpoint.interval.ms": 500,
    "log.flush.offset.checkpoint.interval.ms": 500,
    "log.initial.task.delay.ms": 500,
}
_TOPIC, _FLUSHED = "payments", "payments-flushed"
_SURVIVING_SHARE = {1: 0.80, 2: 0.93, 3: 0.97}
"""The share of its log that is on each broker's disk after the power cut."""
_BEFORE, _AFTER, _FEW = range(40_000), range(40_000, 60_000), range(500)


def play(past: PastCluster) -> Outcome:
    """Counts offsets at which two of three replicas have different messages."""
    clients.create(past.bootstrap, _TOPIC, {}, copies=3)
    clients.create(past.bootstrap, _FLUSHED, {"flush.messages": "1"}, copies=3)
    acknowledged = _send(past, _TOPIC, _BEFORE, batch=1000)
    flushed = _send(past, _FLUSHED, _FEW, batch=100)
    _await_checkpoints(past)
    past.timeline.add(f"{len(acknowledged)} messages acknowledged, on all three brokers")
    cuts = _cut_power(past)
    past.timeline.add("the ends of the logs that no flush had reached are cut off")
    leader = _come_back(past)
    past.timeline.add(f"broker {leader} leads, with the shortest log")
    acknowledged |= _send(past, _TOPIC, _AFTER, batch=6000)
    past.timeline.add(f"broker {leader} takes {len(_AFTER)} more")
    _catch_up(past, leader)
    past.timeline.add("all replicas are in sync")
    logs = read_logs(past, _TOPIC, *past.brokers)
    surviving = {int(value) for _, value in read_logs(past, _FLUSHED, leader)[leader]}
    differing = differing_offsets(logs)
    exhibits = [
        Exhibit("The power cut", "\n".join([*cuts, f"broker {leader} leads afterwards"])),
        Exhibit(
            "What is there afterwards", _summary(logs, leader, acknowledged, flushed - surviving)
        ),
        Exhibit("The replicas side by side", side_by_side(logs)),
        *_restart_broken(past, logs, leader),
    ]
    return Outcome(len(differing), len(logs[leader]), tuple(exhibits))


def _send(past: PastCluster, topic: str, values: range, batch: int) -> set[int]:
    """Sends values; in large batches after the power cut, like producers with a backlog."""
    sender = clients.producer(
        past.bootstrap, acks=1, compression_type="gzip", batch_num_messages=batch, linger_ms=300
    )
    return clients.send_all(sender, topic, values)


def _await_checkpoints(past: PastCluster) -> None:
    """Waits until every broker has checkpointed its high watermark and its recovery point."""

    def noted() -> bool:
        return all(
            past.checkpointed("replication", _TOPIC, number) >= len(_BEFORE)
            and past.checkpointed("recovery-point", _FLUSHED, number) >= len(_FEW)
            for number in past.brokers
        )

    until(noted, 30, "the high watermarks were not noted")


def _cut_power(past: PastCluster) -> list[str]:
    """Kills all brokers, and truncates the unflushed log to different lengths."""
    past.kill(*past.brokers)
    lines = []
    for number, share in _SURVIVING_SHARE.items():
        [log] = past.partition(_TOPIC, number).glob("*.log")
        size = log.stat().st_size
        os.truncate(log, int(size * share))
        lines.append(f"broker {number}: {size} bytes cut to {int(size * share)}")
    return lines


def _come_back(past: PastCluster) -> int:
    """Starts brokers, the shortest log first, until one leads; returns the leader."""
    for number in past.brokers:
        past.start(number)
        try:
            return until(lambda: past.leader(_TOPIC), 8, "no leader")
        except WaitTimeout:
            continue
    return until(lambda: past.leader(_TOPIC), 20, "nobody leads when all brokers are back")


def _catch_up(past: PastCluster, leader: int) -> None:
    """Starts the others, and waits until all replicas are in sync up to the end."""
    past.start(*(broker for broker in past.brokers if past.brokers[broker].state == "dead"))
    past.await_in_sync(_TOPIC)

    def noted() -> int:
        ends = {past.checkpointed("replication", _TOPIC, number) for number in past.brokers}
        return ends.pop() if len(ends) == 1 else 0

    until(lambda: noted() > len(_AFTER), 30, "the replicas did not reach one end")


def offset_dips(log: Log) -> Iterator[tuple[int, int]]:
    """Yields the places where offsets decrease within a log: (before, after)."""
    return ((before, after) for (before, _), (after, _) in pairwise(log) if after <= before)


def _summary(logs: dict[int, Log], leader: int, sent: set[int], unflushed: set[int]) -> str:
    in_log = {int(value) for _, value in logs[leader]}
    lines = [
        f"acknowledged: {len(sent)}, of these not in the leader's log: {len(sent - in_log)}",
        f"with flush.messages=1: acknowledged {len(_FEW)}, not in the log: {len(unflushed)}",
    ]
    for number, log in logs.items():
        differs = len(differing_offsets({leader: logs[leader], number: log}))
        dips = (
            ", ".join(f"from {before} to {after}" for before, after in offset_dips(log))
            or "nowhere"
        )
        lines.append(f"broker {number}: {differs} offsets differ from the leader's log; "
                     f"offsets go back {dips}")  # fmt: skip
    return "\n".join(lines)


def _restart_broken(past: PastCluster, logs: dict[int, Log], leader: int) -> Iterator[Exhibit]:
    """Restarts a replica whose offsets decrease: as it is, and after each remedy."""
    broken = next((number for number, log in logs.items() if any(offset_dips(log))), None)
    if broken is None:
        return
    past.kill(broken)
    yield Exhibit(f"Broker {broken} is started again", _start(past, broken))
    past.tell(broken, "log.index.interval.bytes", 2**31 - 1)
    text = _start(past, broken)
    yield Exhibit("The same, with an index that leaves the place out",
                  f"{text}\n{_compared(past, broken)}")  # fmt: skip
    past.kill(broken)
    past.tell(broken, "log.index.interval.bytes", 4096)
    for file in past.partition(_TOPIC, broken).iterdir():
        file.unlink()
    text = _start(past, broken)
    until(lambda: past.checkpointed("replication", _TOPIC, broken) >= len(logs[leader]), 30,
          "the replica did not come back")  # fmt: skip
    yield Exhibit("The same, with its log deleted",
                  f"{text}\n{_compared(past, broken)}")  # fmt: skip


def _compared(past: PastCluster, broker: int) -> str:
    """Returns the number of offsets that differ from each other replica, in words."""
    leader, logs = past.leader(_TOPIC), read_logs(past, _TOPIC, *past.brokers)
    return "\n".join(
        f"offsets that differ from broker {other}{', the leader' if other == leader else ''}: "
        f"{len(differing_offsets({broker: logs[broker], other: logs[other]}))}"
        for other in past.brokers if other != broker
    )  # fmt: skip


def _start(past: PastCluster, broker: int) -> str:
    """Starts a broker; returns its last errors if it ends by itself, or that it serves."""
    past.brokers[broker].start()
    past.brokers[broker].expect_end(1)
    try:
        until(lambda: past.serves(broker), 60, "the broker neither ended nor served")
    except ChildProcessError:
        lines = past.brokers[broker].log.read_text("utf-8", "replace").splitlines()
        text = [line for line in lines if "FATAL" in line or "InvalidOffsetException" in line]
        ended = f"it ends by itself with code {past.brokers[broker].returncode}"
        past.timeline.add(f"broker {broker}: started, and {ended.removeprefix('it ')}")
        return "\n".join([*dict.fromkeys(text[-4:]), ended])
    past.timeline.add(f"broker {broker}: serving")
    return "it starts and serves"
