"""The warm judge, as it is soon after `make up`, for benchmarks of other things."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from labs.engine.base.wait import WaitTimeout, until
from labs.engine.judge.warm import PRACTICE, WarmJudge

_WARM_LIMIT_S = 900.0
"""A warm-up takes half a minute on an idle machine, over five with ten other jobs on two cores."""
_PRACTISE_LIMIT_S = 180.0


def practised(judge: WarmJudge) -> int:
    """Waits some minutes for a warm judge to practise; returns how often it did, less if busy."""
    with suppress(WaitTimeout):
        until(lambda: judge.practised >= PRACTICE, _PRACTISE_LIMIT_S, "the machine was not idle")
    return judge.practised


@contextmanager
def warm_judge(scratch: Path) -> Iterator[WarmJudge]:
    """A judge that has warmed up; it ends with the block."""
    judge = WarmJudge(scratch / "judge.sock")
    judge.start()
    try:
        until(lambda: judge.warm, _WARM_LIMIT_S, "the judge did not get warm")
        yield judge
    finally:
        judge.stop()
