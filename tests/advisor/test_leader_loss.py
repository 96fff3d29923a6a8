"""The table of states: each is one failure event on settings that the catalog takes."""

from __future__ import annotations

import pytest

from advisor.reasoning import leader_loss
from advisor.reasoning.leader_loss import Follower, State

ALONE = (Follower.OUT, Follower.OUT)


def test_there_is_an_outcome_for_every_state_and_no_two_share_a_name():
    states = list(leader_loss.states())
    assert len({state.key for state in states}) == len(states) == 3 * 3 * 2 * 2 * 9
    assert all(leader_loss.outcome(state).pause for state in states)


@pytest.mark.parametrize(
    ("lag_s", "where"),
    [(0, Follower.IN_STEP), (1, Follower.BEHIND), (30, Follower.BEHIND), (31, Follower.OUT)],
)
def test_a_follower_is_in_sync_for_as_long_as_brokers_allow(lag_s: float, where: Follower):
    assert leader_loss.follower(lag_s) is where


@pytest.mark.parametrize(
    ("state", "event"),
    [
        ((Follower.IN_STEP, Follower.OUT), "leader-killed"),
        ((Follower.OUT, Follower.BEHIND), "leader-killed-followers-behind"),
        (ALONE, "isr-shrunk-leader-down"),
    ],
)
def test_where_the_followers_are_decides_which_failure_it_is(state, event):
    assert leader_loss.event_of(state).name == event


def test_the_reason_is_the_failures_own():
    outcome = leader_loss.outcome(State("1", 2, False, True, ALONE))
    assert outcome.lost.startswith("eligible.leader.replicas.version=1 with acks=1")
    assert outcome.hidden
    assert not outcome.refused
