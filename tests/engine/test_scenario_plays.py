"""Scenarios as the story that each of them is: what is done, in which order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from labs.engine.scenarios import all_scenarios, find
from labs.engine.scenarios.model import draw
from tests.engine.recorder import Recorder

ALONE = ["terminate follower", "2 in sync", "terminate follower", "1 in sync"]
LED = ["elect orders", "elect __consumer_offsets", "in sync"]
STALE = ["throttle orders", "terminate follower", "2 in sync", "restart terminated", "2 in sync"]
PLAYS = {
    ("leader-killed-followers-behind", 3): [
        "pause follower", "kill leader", "resume paused", "new leader", "restart dead", "in sync",
    ],
    ("leader-killed-followers-behind", 1): [
        "no pause follower", "kill leader", "restart dead", "in sync",
    ],
    ("isr-shrunk-leader-killed", 3): [
        *ALONE, "kill leader", "restart terminated", "fenced", "restart dead", "in sync",
    ],
    ("isr-shrunk-leader-killed", 2): [
        "terminate follower", "1 in sync",
        "kill leader", "restart terminated", "fenced", "restart dead", "in sync",
    ],
    ("isr-shrunk-leader-killed", 1): [
        "no terminate follower", "kill leader", "restart dead", "in sync",
    ],
    ("rolling-restart", 3): [
        "terminate leader", "2 in sync", "terminate leader", "1 in sync",
        "kill leader", "restart terminated", "fenced", "restart dead", "in sync",
    ],
    ("rolling-restart", 1): ["no terminate leader", "kill leader", "restart dead", "in sync"],
    ("leader-disk-lost", 3): [
        *ALONE, "kill leader", "wipe killed", "restart terminated", "fenced", "restart dead",
        *LED,
    ],
    ("leader-disk-lost", 1): [
        "no terminate follower", "kill leader", "wipe killed", "restart dead", *LED,
    ],
    ("brokers-below-min-isr", 3): [*ALONE, "restart terminated", "in sync"],
    ("brokers-below-min-isr", 1): ["no terminate follower"],
    ("leader-disk-fails", 3): [
        *ALONE, "read_only leader", "wipe failed", "restart terminated", "fenced", "restart dead",
        *LED,
    ],
    ("leader-disk-fails", 1): [
        "no terminate follower", "read_only leader", "wipe failed", "restart dead", *LED,
    ],
    ("log-directory-fails", 3): [
        "pause follower", "detach leader orders-0", "resume paused", "new leader",
        "terminate detached", "attach detached", "restart dead", "in sync",
    ],
    ("log-directory-fails", 1): [
        "no pause follower", "detach leader orders-0",
        "terminate detached", "attach detached", "restart dead", "in sync",
    ],
    ("reassignment-during-failure", 3): [
        "terminate follower", "2 in sync", "remove_copy orders", "kill leader", "wipe killed",
        "restart terminated", "fenced", "restart dead", *LED[:2], "2 in sync",
    ],
    ("unclean-election", 3): [
        *STALE, "kill follower", "kill leader", "fenced", "restart dead",
        "release orders", "in sync",
    ],
    ("unclean-election", 2): [
        "throttle orders", "terminate follower", "1 in sync", "restart terminated", "1 in sync",
        "kill leader", "fenced", "restart dead", "release orders", "in sync",
    ],
    ("unclean-election", 1): ["no throttle follower", "kill leader", "restart dead", "in sync"],
    ("controllers-lost", 3): [
        "active controller", "kill controller", "active controller", "kill controller",
        "kill follower", "restart dead", "in sync",
    ],
    ("controllers-lost", 1): [
        "active controller", "kill controller", "active controller", "kill controller",
        "kill leader", "restart dead", "in sync",
    ],
    ("rack-lost", 3): [
        "pause follower", "kill minority", "wipe killed", "resume paused", "new leader",
        "restart dead", "in sync",
    ],
    ("rack-lost", 1): [
        "no pause follower", "kill minority", "wipe killed", "restart dead", "in sync",
    ],
    ("offsets-topic-lost", 3): [
        "position", "kill coordinator", "wipe killed", "restart dead", "in sync",
        "elect __consumer_offsets", "position",
    ],
    ("group-coordinator-away", 3): [
        "position", "kill coordinator", "restart dead", "in sync", "position",
    ],
    ("transaction-log-lost", 3): [
        "position", "hold producer in-transaction", "kill coordinator", "wipe killed",
        "let_go producer", "restart dead", "in sync", "elect __transaction_state",
        "abort_hanging orders",
    ],
    ("last-replica-loses-power", 3): [
        *ALONE, "kill leader", "cut_tail killed", "restart terminated", "fenced", "restart dead",
        "in sync",
    ],
    ("last-replica-loses-power", 1): [
        "no terminate follower", "kill leader", "cut_tail killed", "restart dead", "in sync",
    ],
    ("producer-state-expired", 1): [
        "cut leader clients from", "sever leader clients", "mend impaired",
    ],
    ("topic-recreated", 1): ["position", "prepare_deletion", "recreate orders", "resume_clients"],
    ("clocks-differ", 1): ["misdate producer", "put_right producer"],
    ("quota-throttled", 1): ["limit_writes", "lift_limit"],
    ("group-offsets-expired", 1): ["position", "stop_client consumer", "start_again consumer"],
    ("static-member-lost", 1): ["position", "join", "stop_client consumer"],
    ("only-replica-down", 1): ["kill leader", "restart dead", "in sync"],
    ("only-replica-down", 3): ["kill leader", "restart dead", "in sync"],
    ("all-replicas-power-cut", 3): ["kill all", "cut_tail killed", "restart dead", "in sync"],
    ("leader-cut-off", 3): ["cut leader nodes", "new leader", "mend impaired", "in sync"],
    ("leader-cut-off", 1): ["cut leader nodes", "mend impaired", "in sync"],
    ("acknowledgement-lost", 3): [
        "cut leader clients from", "sever leader clients", "mend impaired",
    ],
    ("followers-slow", 3): ["slow follower", "mend impaired", "in sync"],
    ("followers-slow", 1): ["no slow follower"],
    ("leader-killed", 3): ["kill leader", "new leader", "restart dead", "in sync"],
    ("leader-killed", 1): ["kill leader", "restart dead", "in sync"],
    ("consumer-killed-before-commit", 1): [
        "position", "hold consumer processed", "kill_client consumer", "start_again consumer",
    ],
    ("spark-checkpoint-lost", 1): [
        "position", "hold consumer polling", "kill_client consumer", "lose_checkpoint",
        "start_again consumer",
    ],
    ("spark-task-retried", 1): ["fail producer"],
    ("spark-speculation", 1): ["pause_executor producer", "resume_executor producer"],
    ("spark-restarted", 1): [
        "position", "hold consumer processed", "kill_client consumer", "start_again consumer",
    ],
    ("consumer-killed-before-processing", 1): [
        "position", "hold consumer handed", "kill_client consumer", "start_again consumer",
    ],
    ("rebalance-during-processing", 1): [
        "position", "hold consumer handed", "join", "let_go consumer",
    ],
    ("transaction-left-open", 1): [
        "position", "hold producer in-transaction", "kill_client producer", "start_again producer",
    ],
    ("transactional-id-shared", 1): [
        "position", "hold consumer processed", "pause_client consumer", "start_again consumer",
        "let_go consumer",
    ],
    ("transactional-id-expired", 1): [
        "position", "stop_client producer", "start_again producer", "replace_ended consumer",
    ],
    ("aborted-input-not-read-again", 1): ["position", "hold consumer processed", "fail consumer"],
    ("offset-out-of-range", 1): [
        "position", "hold consumer processed", "delete_read orders",
        "kill_client consumer", "start_again consumer",
    ],
    ("no-committed-offset", 1): [
        "position", "hold consumer polling", "kill_client consumer", "forget_group app",
        "start_again consumer",
    ],
    ("exception-then-close", 1): [
        "position", "hold consumer handed", "fail consumer", "replace_ended consumer",
    ],
    ("retention-overtakes-reader", 1): [
        "position", "hold consumer polling", "kill_client consumer", "keep_all orders",
        "start_again consumer",
    ],
    ("keys-moved", 1): [
        "position", "join", "hold consumer processed", "widen orders", "let_go consumer", "join",
    ],
    ("partition-added", 1): [
        "position", "hold consumer polling", "widen orders", "let_go consumer",
    ],
    ("producer-killed", 1): [
        "pause leader", "kill_client producer", "resume paused", "start_again producer",
    ],
    ("streams-instance-killed", 1): [
        "position", "hold consumer processed", "kill_client consumer", "start_again consumer",
    ],
    ("delivery-error-ignored", 1): ["refuse orders", "accept orders", "replace_ended producer"],
    ("unprocessable-message", 1): [
        "position", "hold consumer handed", "spoil consumer", "cure consumer",
    ],
    ("producer-buffer-full", 1): ["pause leader", "resume paused"],
    ("record-too-large", 1): ["pause leader", "resume paused"],
    ("foreign-timestamps", 1): [
        "position", "hold consumer polling", "kill_client consumer", "keep_all orders",
        "start_again consumer",
    ],
    ("log-compaction", 1): [
        "position", "hold consumer polling", "kill_client consumer", "start_again consumer",
    ],
    ("streams-state-lost", 1): ["position", "stop_client consumer", "start_again consumer"],
    ("streams-internal-topics-lost", 3): [
        "position", "stop_client consumer", "kill leader", "wipe killed", "restart dead",
        "elect app-counts-changelog", "elect __consumer_offsets", "in sync", "start_again consumer",
    ],
    ("sends-time-out", 3): ["pause follower", "resume paused", "in sync"],
    ("sends-time-out", 1): ["pause leader", "resume paused", "in sync"],
}  # fmt: skip
"""Scenario and replicas → what is done, in order."""


@pytest.mark.parametrize(("name", "replicas"), PLAYS)
def test_a_scenario_does_what_its_story_says(name: str, replicas: int) -> None:
    stage, scenario = Recorder(replicas), find(name)
    scenario.play(stage, draw(scenario, 1, {}).durations)
    assert [step for step in stage.asked if step != "go on"] == PLAYS[name, replicas]
    assert stage.asked[0] == stage.asked[-1] == "go on"  # before the fault, and after the heal


def test_of_two_sites_the_one_that_went_on_alone_is_lost_with_most_controllers() -> None:
    stage, scenario = Recorder(4), find("rack-lost")
    stage.topology = replace(stage.topology, racks=2)
    scenario.play(stage, draw(scenario, 1, {}).durations)
    assert [step for step in stage.asked if step != "go on"] == [
        "terminate other rack", "2 in sync", "kill majority", "kill leader's rack", "wipe killed",
        "restart dead", "restart terminated", "fenced", *LED[:2], "restart dead", "in sync",
    ]  # fmt: skip


def test_every_scenario_has_its_play_told_here() -> None:
    assert {name for name, _ in PLAYS} == {scenario.name for scenario in all_scenarios()}
