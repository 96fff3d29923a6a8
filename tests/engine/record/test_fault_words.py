"""The sentences and marks that describe the faults of a run."""

from __future__ import annotations

from typing import get_args

import pytest

from labs.engine.record import fault_words
from labs.engine.record.fault_words import Fault


def row(fault: str, phase: str, target: str = "leader: broker 1", at_s: float = 1.0) -> dict:
    return {"fault": fault, "target": target, "phase": phase, "evidence": "seen", "at_s": at_s}


@pytest.mark.parametrize(
    ("fault", "target", "expected"),
    [
        ("pause", "follower: broker 2", "Follower broker 2 was paused"),
        ("terminate", "follower: broker 2", "Follower broker 2 was stopped in an orderly way"),
        ("resume", "paused: broker 2", "Broker 2 was resumed"),
        ("restart", "dead: broker 1", "Broker 1 was started again"),
        ("kill", "consumer: consumer-1", "Consumer-1 was killed"),
        ("restart", "consumer", "Consumer was started again"),
        ("read_only", "leader: broker 3", "The disk of leader broker 3 failed"),
        ("delete", "topic: orders", "Records were deleted from topic orders"),
    ],
)
def test_an_event_is_described_in_a_sentence(fault: str, target: str, expected: str) -> None:
    assert fault_words.sentence(fault, target) == expected


def test_every_fault_has_its_own_wording() -> None:
    for fault in get_args(Fault):
        assert "_" not in fault_words.sentence(fault, "x")
        assert fault_words.sentence(fault, "x") != f"X {fault}"


def test_the_beginning_and_end_of_a_fault_are_one_event() -> None:
    rows = [
        row("kill", "invoke"),
        row("pause", "invoke", at_s=1.5),
        row("kill", "complete", at_s=2),
    ]
    events = fault_words.events(rows)
    assert [(event.state, event.at_s) for event in events] == [("begun", 1.5), ("done", 2)]
    assert events[1].proof == "seen"


def test_a_fault_that_failed_or_did_not_apply_is_not_done() -> None:
    rows = [row("kill", "invoke"), row("kill", "failed"), row("pause", "not_applicable")]
    assert [event.state for event in fault_words.events(rows)] == ["failed", "left"]


def test_every_fault_is_in_the_table_of_wordings() -> None:
    assert fault_words.WORDS.keys() == set(get_args(Fault))


@pytest.mark.parametrize(
    ("fault", "target", "expected"),
    [
        ("kill", "leader: broker 3", "leader killed"),
        ("resume", "paused: broker 1", "resumed"),
        ("restart", "dead: broker 3", "restarted"),
        ("mend", "impaired: broker 3", "repaired"),
        ("fail", "transformer: consumer-1", "transformer fails"),
        ("cut", "leader: broker 1", "leader cut off"),
        ("cut_tail", "killed: broker 2", "unflushed lost"),
    ],
)
def test_the_mark_of_a_fault_has_a_few_words(fault: str, target: str, expected: str) -> None:
    assert fault_words.mark(fault, target) == expected
