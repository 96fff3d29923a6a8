"""Explanations of runs: of recorded runs on real brokers, and of handwritten samples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from labs.engine.record import replay, why
from labs.engine.record.replay import Replay
from tests.engine import histories
from tests.engine.histories import ALL, FIRST_DEAD, sample

KEPT = Path(__file__).parent / "kept"
"""Telemetry and faults of runs on Kafka 4.3.1, as recorded."""

EXPLANATIONS = {
    "followers-behind-described": [
        "3.416 Leader broker 1 was killed.",
        "3.650 Its log ended at offset 6,779, broker 2's at 4,567 and broker 3's at 4,567: "
        "2,212 messages were on broker 1 alone.",
        "10.062 Then broker 2 led (epoch 1). Its log had ended 2,212 messages before broker 1's.",
    ],
    "followers-behind-recommended": [
        "4.229 Leader broker 3 was killed.",
        "4.334 Its log ended at offset 5,668, broker 1's at 5,668 and broker 2's at 5,668: "
        "another log was at least as long.",
        "9.069 Then broker 1 led (epoch 1). Its log was at least as long as broker 3's.",
    ],
    "alone-then-killed-described": [
        "7.201 Leader broker 3 was killed.",
        "7.295 Its log ended at offset 14,051, broker 1's at 5,650 and broker 2's at 8,239: "
        "5,812 messages were on broker 3 alone.",
        "16.813 Then broker 1 led (epoch 1). Its log had ended 8,401 messages before broker 3's.",
    ],
    "alone-then-killed-recommended": [
        "6.786 Leader broker 1 was killed.",
        "6.851 Its log ended at offset 8,708, broker 2's at 4,682 and broker 3's at 8,708: "
        "another log was at least as long.",
        "14.989 Then broker 3 led (epoch 1). Its log was at least as long as broker 1's.",
    ],
    "consumer-killed-described": [
        "2.401 Consumer-1 was held.",
        "8.473 Consumer-1 was killed. The group's committed offset was 4,716 then, and 4,716 "
        "messages had been delivered.",
        "11.934 Consumer was started again.",
    ],
    "consumer-killed-recommended": [
        "2.538 Consumer-1 was held.",
        "8.620 Consumer-1 was killed. The group's committed offset was 4,427 then, and 4,927 "
        "messages had been delivered.",
        "11.891 Consumer was started again.",
    ],
}


def kept(name: str) -> tuple[Replay, dict[str, Any]]:
    facts = json.loads((KEPT / name / "began.json").read_text("utf-8"))
    run_replay = replay.read(KEPT / name, facts["start_ns"])
    assert run_replay is not None
    return run_replay, facts


def by_hand(folder: Path, *samples: list[dict[str, Any]]) -> Replay:
    histories.write(folder, "telemetry", *(row for sample in samples for row in sample))
    run_replay = replay.read(folder, histories.BEGAN)
    assert run_replay is not None
    return run_replay


@pytest.mark.parametrize("name", EXPLANATIONS)
def test_a_recorded_run_is_explained_in_three_sentences_with_times(name: str) -> None:
    run_replay, _ = kept(name)
    assert [
        f"{reason.at_s:.3f} {reason.text}" for reason in why.explain(run_replay)
    ] == EXPLANATIONS[name]


@pytest.mark.parametrize("name", EXPLANATIONS)
def test_a_recorded_run_opens_at_the_election_that_lost_writes(name: str) -> None:
    run_replay, facts = kept(name)
    opens = why.opens_at(run_replay)
    assert (opens is not None) == bool(facts["lost_write"])
    if opens is not None:
        moment = run_replay.before(opens)
        assert moment is not None
        assert moment.live_leader


@pytest.mark.parametrize("name", EXPLANATIONS)
def test_the_shortfall_of_new_leaders_is_at_least_the_number_of_lost_writes(name: str) -> None:
    run_replay, facts = kept(name)
    assert (
        sum(election.shortfall or 0 for election in why.elections(run_replay))
        >= facts["lost_write"]
    )


LEADING, DEAD = (
    sample(0.0, 1, 0, 5, {1: 10, 2: 6, 3: 6}),
    sample(1.0, 1, 0, None, {1: 10, 2: 6, 3: 6}, FIRST_DEAD),
)
REPLACED = sample(2.0, 2, 1, 6, {1: 10, 2: 6, 3: 6}, FIRST_DEAD)


def test_without_a_dead_leader_no_shortfall_is_stated(tmp_path: Path) -> None:
    """Between two samples the follower may have replicated everything."""
    run_replay = by_hand(
        tmp_path,
        LEADING,
        sample(1.0, 2, 1, 10, {1: 10, 2: 10, 3: 10}, ALL),
    )
    assert [election.shortfall for election in why.elections(run_replay)] == [None]
    assert why.explain(run_replay) == ()
    assert why.opens_at(run_replay) is None


def test_without_the_end_of_the_old_leaders_log_no_shortfall_is_stated(tmp_path: Path) -> None:
    ends = {1: None, 2: 6, 3: 6}
    run_replay = by_hand(
        tmp_path, LEADING,
        sample(1.0, 1, 0, None, ends, FIRST_DEAD), sample(2.0, 2, 1, 6, ends, FIRST_DEAD),
    )  # fmt: skip
    assert [election.shortfall for election in why.elections(run_replay)] == [None]


def test_a_leader_that_is_elected_again_has_no_shortfall(tmp_path: Path) -> None:
    again = sample(2.0, 1, 1, 6, {1: 10, 2: 6, 3: 6}, ALL)
    run_replay = by_hand(tmp_path, LEADING, DEAD, again)
    assert [election.shortfall for election in why.elections(run_replay)] == [None]


def test_the_death_of_a_leader_without_a_fault_is_explained_from_samples(tmp_path: Path) -> None:
    run_replay = by_hand(tmp_path, LEADING, DEAD, REPLACED)
    first, second, third = why.explain(run_replay, "entries")
    assert (first.at_s, first.text) == (1.0, "Broker 1, the leader, no longer ran.")
    assert "4 entries were on broker 1 alone" in second.text
    assert third.text.endswith("Its log had ended 4 entries before broker 1's.")


def test_the_explanation_says_if_no_acknowledged_message_is_lost(tmp_path: Path) -> None:
    run_replay = by_hand(tmp_path, LEADING, DEAD, REPLACED)
    texts = {lost: why.explain(run_replay, lost=lost)[2].text for lost in (None, 0, 4)}
    assert "No acknowledged message is lost" in texts[0]
    assert "No acknowledged" not in texts[None] + texts[4]
