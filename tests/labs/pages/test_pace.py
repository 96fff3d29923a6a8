"""The progress of an arm, computed from its phases."""

from __future__ import annotations

from labs.pages.pace import USUAL_S, Pace, pace, usual
from labs.pages.time_left import time_left, until_verdict_s

DONE = {"waiting": 0.0, "booting": 90.0, "ready": 95.0, "producing": 96.0, "done": 100.0}


def test_the_usual_time_of_a_phase_is_its_median_without_queueing() -> None:
    learnt = usual([DONE, {**DONE, "ready": 93.0}, {**DONE, "ready": 94.0}])
    assert learnt["booting"] == 4.0
    assert learnt["judging"] == USUAL_S["judging"], "no arm told of it"
    assert "waiting" not in learnt


def test_a_queued_arm_has_all_its_phases_left() -> None:
    for phase in ("", "waiting"):
        arm = pace(phase, {}, 500.0, USUAL_S)
        assert (arm.waits, arm.late, arm.remaining_s) == (True, False, sum(USUAL_S.values()))


def test_the_remaining_time_is_that_of_the_current_and_later_phases() -> None:
    arm = pace("reading", {"reading": 40.0}, 42.0, USUAL_S)
    assert arm.remaining_s == USUAL_S["reading"] - 2 + USUAL_S["judging"]
    overdue = pace("judging", {"judging": 40.0}, 900.0, USUAL_S)
    assert (overdue.remaining_s, overdue.late) == (0.0, True)


WAITS, COUNTS = Pace("waiting", 0, 0, 45), Pace("judging", 3, 11, 0)
OVERDUE = Pace("healing", 23, 8, 16)


def test_a_queued_arm_begins_when_another_one_ends() -> None:
    assert until_verdict_s([COUNTS, WAITS]) == 8 + 45
    assert until_verdict_s([COUNTS, WAITS, WAITS]) == 8 + 45 + 45
    assert until_verdict_s([COUNTS, OVERDUE, WAITS]) == 8 + 45, "the first of two that ends"
    assert until_verdict_s([WAITS, WAITS]) == 45


def test_the_text_keeps_counting_while_another_arm_waits() -> None:
    why = "because an arm waits for a place on this machine"
    assert time_left([COUNTS, WAITS]) == f"about 53 s left, {why}"
    later = Pace("judging", 9, 11, 0)
    assert time_left([later, WAITS]) == f"about 47 s left, {why}"
    assert time_left([WAITS]) == "an arm waits for a place on this machine; about 45 s from then on"


def test_a_slow_stage_is_named_with_its_duration() -> None:
    assert time_left([OVERDUE]) == "healing for 23 s, usually about 8 s; at least 16 s left"
    assert time_left([Pace("judging", 68, 11, 0)]) == "counting for 68 s, usually about 11 s"
    assert time_left([Pace("judging", 68, 11, 0), WAITS]).startswith(
        "counting for 68 s, usually about 11 s; at least 45 s left, because an arm waits"
    )
    begins = Pace("booting", 0, 8, 34)
    assert time_left([Pace("judging", 68, 11, 0), begins]).endswith("11 s; at least 42 s left")
    assert time_left([]) == "it ends in a moment"
