from __future__ import annotations

import pytest

from labs.engine.base import wait
from labs.engine.base.wait import OutOfTime, WaitTimeout, limited, reporting_waits, rest, until


def test_until_returns_the_first_truthy_value():
    answers = iter([None, 0, "", "here", "later"])
    assert until(lambda: next(answers), 5, "never", every_s=0) == "here"


def test_a_timeout_names_what_it_waited_for_and_how_long():
    with pytest.raises(WaitTimeout, match=r"the broker did not answer \(waited 0.02 s\)"):
        until(lambda: False, 0.02, "the broker did not answer", every_s=0.01)


def test_the_condition_is_checked_once_even_if_the_limit_is_zero():
    checks = []
    with pytest.raises(WaitTimeout):
        until(lambda: checks.append(1), 0, "never")
    assert checks == [1]


def test_an_exception_of_the_condition_is_not_caught():
    def fail() -> bool:
        raise ChildProcessError("broker 2 ended")

    with pytest.raises(ChildProcessError, match="broker 2 ended"):
        until(fail, 5, "never")


def test_no_wait_exceeds_the_limit_of_its_block():
    with limited(0.2):
        until(lambda: True, 60, "never")
        with pytest.raises(OutOfTime, match=r"within 0 s: broker 2 is away"):
            until(lambda: False, 60, "broker 2 is away")
        with pytest.raises(OutOfTime, match="its schedule was running"):
            rest(60)
    rest(0)


def test_a_wait_that_reaches_its_own_limit_first_raises_wait_timeout():
    with limited(60), pytest.raises(WaitTimeout, match="broker 2 is away"):
        until(lambda: False, 0.02, "broker 2 is away")


def test_a_long_wait_is_reported_until_it_is_over(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(wait, "REPORT_AFTER_S", 0.05)
    reports: list[tuple[str, float]] = []

    def record(awaits: str, left_s: float) -> None:
        reports.append((awaits, left_s))

    with reporting_waits(record):
        until(lambda: len(reports) >= 2, 40, "nothing", awaits="for broker 2 to come back")
        until(lambda: True, 40, "nothing", awaits="for nobody")
        until(lambda: True, 40, "nothing")
        assert [awaits for awaits, _ in reports] == ["for broker 2 to come back"] * 2 + [""]
        assert 40 > reports[0][1] > reports[1][1] > 0
        reports.clear()
        with limited(5):
            until(lambda: reports, 40, "nothing", awaits="for broker 2 to come back")
    assert reports[0][1] <= 5, "not longer than all of it may take"
