"""The states of a partition that loses its leader: each is one failure event."""

from __future__ import annotations

import pytest

from advisor.reasoning import leader_loss
from advisor.reasoning.leader_loss import Follower, State

ALONE = (Follower.OUT, Follower.OUT)


def test_every_state_has_an_outcome_and_a_unique_key():
    states = list(leader_loss.states())
    assert len({state.key for state in states}) == len(states) == 3 * 3 * 2 * 2 * 9
    assert all(leader_loss.outcome(state).pause for state in states)


@pytest.mark.parametrize(
    ("lag_s", "expected"),
    [(0, Follower.IN_STEP), (1, Follower.BEHIND), (30, Follower.BEHIND), (31, Follower.OUT)],
)
def test_a_follower_leaves_the_isr_after_the_maximum_lag(lag_s: float, expected: Follower):
    assert leader_loss.follower(lag_s) is expected


@pytest.mark.parametrize(
    ("state", "event"),
    [
        ((Follower.IN_STEP, Follower.OUT), "leader-killed"),
        ((Follower.OUT, Follower.BEHIND), "leader-killed-followers-behind"),
        (ALONE, "isr-shrunk-leader-down"),
    ],
)
def test_the_followers_decide_the_event(state, event):
    assert leader_loss.event_of(state).name == event


def test_the_outcome_has_the_reason_of_the_event():
    outcome = leader_loss.outcome(State("1", 2, False, True, ALONE))
    assert outcome.lost.startswith("eligible.leader.replicas.version=1 with acks=1")
    assert outcome.hidden
    assert not outcome.refused
