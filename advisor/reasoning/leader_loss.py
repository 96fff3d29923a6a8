"""The effect of a leader's crash on messages, for every state of a small cluster.

A state is a cluster of three brokers, the relevant settings, and the states of the two followers.
The failure events decide what is possible; this module only maps a state to its event. The
simulation on the pages plays these states, and a test compares it with this table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import product

from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.failures import (
    isr_shrunk_leader_down,
    leader_killed,
    leader_killed_followers_behind,
)
from advisor.reasoning.fields import from_fields
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.pipeline import Pipeline


class Follower(StrEnum):
    """The state of a follower when the leader crashes."""

    IN_STEP = "in-step"
    BEHIND = "behind"
    """It fetches nothing, for less than `replica.lag.time.max.ms`: still in the in-sync set."""
    OUT = "out"
    """Not in the in-sync set."""


ACKS = ("0", "1", "all")
MIN_ISR = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class State:
    """Three brokers of the newest line in KRaft mode; broker 1 is the leader.

    `eligible` is `eligible.leader.replicas.version=1`; `followers` are brokers 2 and 3.
    """

    acks: str
    min_isr: int
    unclean: bool
    eligible: bool
    followers: tuple[Follower, Follower]

    @property
    def key(self) -> str:
        """A name for a table: `1/2/clean/eligible/behind/out`."""
        rule = "unclean" if self.unclean else "clean"
        memory = "eligible" if self.eligible else "plain"
        return "/".join((self.acks, str(self.min_isr), rule, memory, *self.followers))

    @property
    def in_sync(self) -> int:
        """The number of replicas in sync, including the leader."""
        return 1 + sum(follower is not Follower.OUT for follower in self.followers)

    def fields(self) -> dict[str, str]:
        """Returns the state's settings as fields; the others are the Java client's defaults."""
        return {
            "family": "java",
            "brokers": "3",
            "producer.acks": self.acks,
            "topic.replication.factor": "3",
            "topic.min.insync.replicas": str(self.min_isr),
            "topic.unclean.leader.election.enable": str(self.unclean).lower(),
            "application.eligible.leader.replicas.version": str(int(self.eligible)),
            "consumer.auto.offset.reset": "earliest",
            "need.guarantee": "at-least-once",
            "need.survive": "1",
        }


@dataclass(frozen=True, slots=True)
class Outcome:
    """The advisor's answer for a state.

    `event` is the failure event. `lost` and `pause` are reasons, empty if there is no loss or
    pause. `refused`: the leader refuses writes before it crashes. `hidden`: the high watermark does
    not advance, so that nobody reads new messages.
    """

    event: FailureEvent
    lost: str
    pause: str
    refused: bool
    hidden: bool


def states() -> Iterator[State]:
    """Yields every state."""
    switch = (False, True)
    for acks, min_isr, unclean, eligible, two, three in product(
        ACKS, MIN_ISR, switch, switch, Follower, Follower
    ):
        yield State(acks, min_isr, unclean, eligible, (two, three))


def event_of(followers: tuple[Follower, Follower]) -> FailureEvent:
    """Returns the failure event of the leader's crash, given the states of its followers.

    If one follower is in sync, it takes over, whatever the state of the other.
    """
    if followers == (Follower.OUT, Follower.OUT):
        return isr_shrunk_leader_down.EVENT
    if Follower.BEHIND in followers:
        return leader_killed_followers_behind.EVENT
    return leader_killed.EVENT


def outcome(state: State) -> Outcome:
    """Returns the advisor's answer for a state."""
    pipeline, event = _described(tuple(state.fields().items())), event_of(state.followers)
    topic, permits = Replication(pipeline), event.permits(pipeline)
    return Outcome(
        event,
        lost=permits.get(Anomaly.LOST_WRITE, ""),
        pause=permits.get(Anomaly.UNAVAILABLE, ""),
        refused=topic.waits_for_followers and state.in_sync < topic.min_isr,
        hidden=not topic.high_watermark_advances(state.in_sync),
    )


@cache
def _described(fields: tuple[tuple[str, str], ...]) -> Pipeline:
    """Returns the pipeline. Raises ValueError if the catalog refuses a state (our mistake)."""
    pipeline, problems = from_fields(dict(fields))
    if pipeline is None:
        raise ValueError("; ".join(problem.message for problem in problems))
    return pipeline


@cache
def lag_max_ms() -> int:
    """Returns how long a follower that fetches nothing counts as in sync, by default."""
    return Replication(Pipeline()).lag_max_ms


@cache
def fencing_ms() -> int:
    """Returns how long a dead broker counts as alive, by default: until then there is no leader."""
    return Replication(Pipeline()).session_timeout_ms


def follower(lag_s: float) -> Follower:
    """Returns the state of a follower that was last caught up `lag_s` seconds ago."""
    if lag_s <= 0:
        return Follower.IN_STEP
    return Follower.BEHIND if lag_s * 1000 <= lag_max_ms() else Follower.OUT
