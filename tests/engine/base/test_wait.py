from __future__ import annotations

import pytest

from labs.engine.base import wait
from labs.engine.base.wait import OutOfTime, WaitTimeout, limited, reporting_waits, rest, until


def test_gives_the_first_truthy_value():
    answers = iter([None, 0, "", "here", "later"])
    assert until(lambda: next(answers), 5, "never", every_s=0) == "here"


def test_says_what_it_waited_for_and_how_long():
    with pytest.raises(WaitTimeout, match=r"the broker did not answer \(waited 0.02 s\)"):
        until(lambda: False, 0.02, "the broker did not answer", every_s=0.01)


def test_asks_once_more_after_the_limit():
    requests = []
    with pytest.raises(WaitTimeout):
        until(lambda: requests.append(1), 0, "never")
    assert requests == [1]


def test_an_exception_of_the_condition_passes_through():
    def broken() -> bool:
        raise ChildProcessError("broker 2 ended")

    with pytest.raises(ChildProcessError, match="broker 2 ended"):
        until(broken, 5, "never")


def test_no_wait_goes_beyond_the_limit_of_all_of_them():
    with limited(0.2):
        until(lambda: True, 60, "never")
        with pytest.raises(OutOfTime, match=r"within 0 s: broker 2 is away"):
            until(lambda: False, 60, "broker 2 is away")
        with pytest.raises(OutOfTime, match="its schedule was running"):
            rest(60)
    rest(0)


def test_a_wait_that_gave_up_earlier_is_its_own():
    with limited(60), pytest.raises(WaitTimeout, match="broker 2 is away"):
        until(lambda: False, 0.02, "broker 2 is away")


def test_a_long_wait_is_told_of_until_it_is_over(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(wait, "REPORT_AFTER_S", 0.05)
    rows: list[tuple[str, float]] = []

    def heard(awaits: str, left_s: float) -> None:
        rows.append((awaits, left_s))

    with reporting_waits(heard):
        until(lambda: len(rows) >= 2, 40, "nothing", awaits="for broker 2 to come back")
        until(lambda: True, 40, "nothing", awaits="for nobody")
        until(lambda: True, 40, "nothing")
        assert [awaits for awaits, _ in rows] == ["for broker 2 to come back"] * 2 + [""]
        assert 40 > rows[0][1] > rows[1][1] > 0
        rows.clear()
        with limited(5):
            until(lambda: rows, 40, "nothing", awaits="for broker 2 to come back")
    assert rows[0][1] <= 5, "not longer than all of it may take"
