"""The last broker in sync dies, loses its disk, and restarts after the complete replicas."""

from __future__ import annotations

from labs.engine.base.wait import WaitTimeout, until
from labs.engine.cluster.storage import reformat
from labs.incidents import clients
from labs.incidents.model import Exhibit, Outcome
from labs.incidents.past_cluster import PastCluster

BROKERS = 3
SETTINGS = {"broker.session.timeout.ms": 3000, "broker.heartbeat.interval.ms": 500}
_TOPIC, _SENDS = "payments", 1000
_CONFIG = {"min.insync.replicas": "2", "unclean.leader.election.enable": "false"}
_LIMIT_S, _ELECTED_S = 60, 10


def play(past: PastCluster) -> Outcome:
    """Counts messages of a thousand, acknowledged by all three brokers, that are gone."""
    clients.create(past.bootstrap, _TOPIC, _CONFIG, copies=BROKERS)
    past.await_in_sync(_TOPIC)
    sender = clients.producer(past.bootstrap, acks="all")
    acknowledged = clients.send_all(sender, _TOPIC, range(_SENDS))
    states = {"All three in sync": _state(past)}
    past.timeline.add(f"{len(acknowledged)} messages acknowledged; {_state(past)}")
    last = past.leader(_TOPIC)
    followers = [number for number in past.brokers if number != last]
    for number in followers:
        _shut_down(past, number)
    states["The followers shut down"] = _state(past)
    past.timeline.add(_state(past))
    past.kill(last)
    reformat(past.brokers[last].data)
    past.timeline.add(f"broker {last}: its disk replaced by an empty one")
    past.start(*followers)
    states[f"The followers back, broker {last} away"] = _state(past)
    _bring_back(past, last)
    states[f"Broker {last} back on an empty disk"] = _state(past)
    past.timeline.add(_state(past))
    there = {int(message.value() or b"") for message in clients.read(past.bootstrap, _TOPIC)}
    lines = "\n".join(f"{when}: {state}" for when, state in states.items())
    return Outcome(
        len(acknowledged - there),
        len(acknowledged),
        (Exhibit("Who leads, and who is in sync", lines),),
    )


def _shut_down(past: PastCluster, number: int) -> None:
    """Shuts a broker down, and waits until the controller has removed it from the ISR."""
    past.stop(number)
    until(
        lambda: (left := past.in_sync(_TOPIC)) and number not in left,
        _LIMIT_S,
        "a follower did not leave",
    )


def _bring_back(past: PastCluster, last: int) -> None:
    """Starts the broker, and restarts it if there is no leader then.

    The controller elects it only if it already knows that the replica is in the new directory
    (docs/decisions/0010); at the second start, it does.
    """
    past.start(last)
    try:
        until(lambda: past.leader(_TOPIC) > 0, _ELECTED_S, "nobody leads")
    except WaitTimeout:
        past.stop(last)
        past.start(last)
    past.await_in_sync(_TOPIC)


def _state(past: PastCluster) -> str:
    state = past.described(_TOPIC)
    return f"leader {state.leader}, in sync {sorted(state.isrs)}" if state else "nobody says"
