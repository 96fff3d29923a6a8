"""A broker that missed the epoch in between leads again, and the follower truncates too little.

In the report, two sessions of ZooKeeper expire in quick succession. Here, one broker is down at a
time, and the other one is elected uncleanly, which always gives the same two logs.
"""

from __future__ import annotations

from labs.engine.base.wait import until
from labs.incidents import clients
from labs.incidents.model import Exhibit, Outcome
from labs.incidents.past_cluster import PastCluster
from labs.incidents.replicas import Log, differing_offsets, read_logs, side_by_side

BROKERS = 2
SETTINGS = {
    "zookeeper.session.timeout.ms": 3000,
    "broker.session.timeout.ms": 3000,
    "broker.heartbeat.interval.ms": 500,
}
_TOPIC = "payments"
_CONFIG = {"unclean.leader.election.enable": "true", "min.insync.replicas": "1"}
_BOTH, _FIRST, _SECOND, _FIRST_AGAIN = range(10), range(10, 15), range(100, 110), range(200, 205)
_LIMIT_S = 60


def play(past: PastCluster) -> Outcome:
    """Counts offsets at which the two replicas have different messages once both are in sync."""
    clients.create(past.bootstrap, _TOPIC, _CONFIG, copies=2)
    past.await_in_sync(_TOPIC)
    first = until(lambda: past.leader(_TOPIC), _LIMIT_S, "nobody leads")
    [second] = {*past.brokers} - {first}
    _send(past, _BOTH, acks="all")
    past.kill(second)
    past.await_in_sync(_TOPIC, first)
    _send(past, _FIRST)
    _hand_over(past, first, second)
    _send(past, _SECOND)
    _hand_over(past, second, first)
    _send(past, _FIRST_AGAIN)
    past.start(second)
    past.await_in_sync(_TOPIC)
    past.timeline.add(f"brokers {first} and {second} are in sync")
    logs = read_logs(past, _TOPIC, first, second)
    differing = differing_offsets(logs)
    return Outcome(
        len(differing),
        len(logs[first]),
        (
            Exhibit("The replicas side by side, both in sync", side_by_side(logs, 10)),
            Exhibit("Who led when", _leaders(first, second, logs)),
        ),
    )


def _hand_over(past: PastCluster, leader: int, other: int) -> None:
    """Kills the leader and starts the other broker, which has fewer messages and then leads."""
    past.kill(leader)
    past.start(other)
    until(lambda: past.leader(_TOPIC) == other, _LIMIT_S, f"broker {other} does not lead")


def _send(past: PastCluster, values: range, acks: str = "1") -> None:
    """Sends one batch per message, so that the log can be truncated between any two."""
    sender = clients.producer(past.bootstrap, acks=acks)
    for value in values:
        clients.must_send(sender, _TOPIC, None, str(value).encode())
    leader = past.leader(_TOPIC)
    past.timeline.add(f"broker {leader} leads and takes {values[0]} to {values[-1]}")


def _leaders(first: int, second: int, logs: dict[int, Log]) -> str:
    rows = [
        (f"broker {first}, with broker {second} in sync", _BOTH),
        (f"broker {first}, alone", _FIRST),
        (f"broker {second}, which never saw the last {len(_FIRST)}", _SECOND),
        (f"broker {first}, which never saw the last {len(_SECOND)}", _FIRST_AGAIN),
    ]
    lines = [f"{leader}: it takes {sent[0]} to {sent[-1]}" for leader, sent in rows]
    held = {number: {int(value) for _, value in log} for number, log in logs.items()}
    survivors = len(held[second] & {*_SECOND})
    return "\n".join([*lines, f"then broker {second} follows, and keeps {survivors} of its own"])
