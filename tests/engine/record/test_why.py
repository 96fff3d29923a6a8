"""Why a run went as it did: told of runs on real brokers that were kept, and of samples by hand."""

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
"""Telemetry and faults of runs on Kafka 4.3.1, each as it was recorded."""

TOLD = {
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
    began = json.loads((KEPT / name / "began.json").read_text("utf-8"))
    seen = replay.read(KEPT / name, began["start_ns"])
    assert seen is not None
    return seen, began


def by_hand(folder: Path, *samples: list[dict[str, Any]]) -> Replay:
    histories.write(folder, "telemetry", *(row for sample in samples for row in sample))
    seen = replay.read(folder, histories.BEGAN)
    assert seen is not None
    return seen


@pytest.mark.parametrize("name", TOLD)
def test_a_real_run_is_told_in_three_sentences_each_with_its_moment(name: str) -> None:
    seen, _ = kept(name)
    assert [f"{reason.at_s:.3f} {reason.text}" for reason in why.explain(seen)] == TOLD[name]


@pytest.mark.parametrize("name", TOLD)
def test_a_real_run_opens_where_its_harm_begins_if_an_election_did_it(name: str) -> None:
    seen, began = kept(name)
    opens = why.opens_at(seen)
    assert (opens is not None) == bool(began["lost_write"])
    if opens is not None:
        moment = seen.before(opens)
        assert moment is not None
        assert moment.live_leader


@pytest.mark.parametrize("name", TOLD)
def test_what_a_new_leader_lacked_is_at_least_what_was_lost(name: str) -> None:
    seen, began = kept(name)
    assert sum(election.shortfall or 0 for election in why.elections(seen)) >= began["lost_write"]


def test_nothing_is_said_of_messages_while_the_old_leader_ran(tmp_path: Path) -> None:
    """Between two samples a follower may have copied all of it."""
    seen = by_hand(
        tmp_path,
        sample(0.0, 1, 0, 5, {1: 10, 2: 6, 3: 6}),
        sample(1.0, 2, 1, 10, {1: 10, 2: 10, 3: 10}, ALL),
    )
    assert [election.shortfall for election in why.elections(seen)] == [None]
    assert why.explain(seen) == ()
    assert why.opens_at(seen) is None


def test_nothing_is_said_of_a_log_that_was_not_seen(tmp_path: Path) -> None:
    seen = by_hand(
        tmp_path,
        sample(0.0, 1, 0, 5, {1: 10, 2: 6, 3: 6}),
        sample(1.0, 1, 0, None, {1: None, 2: 6, 3: 6}, FIRST_DEAD),
        sample(2.0, 2, 1, 6, {1: None, 2: 6, 3: 6}, FIRST_DEAD),
    )
    assert [election.shortfall for election in why.elections(seen)] == [None]


def test_a_leader_that_leads_again_lacks_nothing_that_could_be_told(tmp_path: Path) -> None:
    seen = by_hand(
        tmp_path,
        sample(0.0, 1, 0, 5, {1: 10, 2: 6, 3: 6}),
        sample(1.0, 1, 0, None, {1: 10, 2: 6, 3: 6}, FIRST_DEAD),
        sample(2.0, 1, 1, 6, {1: 10, 2: 6, 3: 6}, ALL),
    )
    assert [election.shortfall for election in why.elections(seen)] == [None]


def test_a_death_that_nobody_brought_about_is_told_as_seen(tmp_path: Path) -> None:
    seen = by_hand(
        tmp_path,
        sample(0.0, 1, 0, 5, {1: 10, 2: 6, 3: 6}),
        sample(1.0, 1, 0, None, {1: 10, 2: 6, 3: 6}, FIRST_DEAD),
        sample(2.0, 2, 1, 6, {1: 10, 2: 6, 3: 6}, FIRST_DEAD),
    )
    first, second, third = why.explain(seen, "entries")
    assert (first.at_s, first.text) == (1.0, "Broker 1, the leader, no longer ran.")
    assert "4 entries were on broker 1 alone" in second.text
    assert third.text.endswith("Its log had ended 4 entries before broker 1's.")


def test_what_was_dropped_and_not_lost_is_told_apart(tmp_path: Path) -> None:
    seen = by_hand(
        tmp_path,
        sample(0.0, 1, 0, 5, {1: 10, 2: 6, 3: 6}),
        sample(1.0, 1, 0, None, {1: 10, 2: 6, 3: 6}, FIRST_DEAD),
        sample(2.0, 2, 1, 6, {1: 10, 2: 6, 3: 6}, FIRST_DEAD),
    )
    answers = {lost: why.explain(seen, lost=lost)[2].text for lost in (None, 0, 4)}
    assert "No acknowledged message is lost" in answers[0]
    assert "No acknowledged" not in answers[None] + answers[4]
