from __future__ import annotations

import pytest

from labs.engine.wait import WaitTimeout, until


def test_gives_the_first_truthy_value():
    answers = iter([None, 0, "", "here", "later"])
    assert until(lambda: next(answers), 5, "never", every_s=0) == "here"


def test_says_what_it_waited_for_and_how_long():
    with pytest.raises(WaitTimeout, match=r"the broker did not answer \(waited 0.02 s\)"):
        until(lambda: False, 0.02, "the broker did not answer", every_s=0.01)


def test_asks_once_more_after_the_limit():
    asked = []
    with pytest.raises(WaitTimeout):
        until(lambda: asked.append(1), 0, "never")
    assert asked == [1]


def test_an_exception_of_the_condition_passes_through():
    def broken() -> bool:
        raise ChildProcessError("broker 2 ended")

    with pytest.raises(ChildProcessError, match="broker 2 ended"):
        until(broken, 5, "never")
