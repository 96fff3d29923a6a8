"""How far an arm is, by its phases."""

from __future__ import annotations

from labs.pages.pace import USUAL_S, pace, usual

DONE = {"waiting": 0.0, "booting": 90.0, "ready": 95.0, "producing": 96.0, "done": 100.0}


def test_the_usual_time_of_a_phase_is_its_median_without_the_wait_for_a_place() -> None:
    learnt = usual([DONE, {**DONE, "ready": 93.0}, {**DONE, "ready": 94.0}])
    assert learnt["booting"] == 4.0
    assert learnt["judging"] == USUAL_S["judging"], "no arm told of it"
    assert "waiting" not in learnt


def test_an_arm_that_waits_for_a_place_has_everything_before_it() -> None:
    for phase in ("", "waiting"):
        arm = pace(phase, {}, 500.0, USUAL_S)
        assert (arm.waits, arm.late, arm.left_s) == (True, False, sum(USUAL_S.values()))


def test_what_is_left_is_the_rest_of_the_phase_and_the_phases_after_it() -> None:
    arm = pace("reading", {"reading": 40.0}, 42.0, USUAL_S)
    assert arm.left_s == USUAL_S["reading"] - 2 + USUAL_S["judging"]
    overdue = pace("judging", {"judging": 40.0}, 900.0, USUAL_S)
    assert (overdue.left_s, overdue.late) == (0.0, True)
