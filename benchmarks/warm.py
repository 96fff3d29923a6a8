"""The judge as it is soon after `make up`: warm. What that costs is measured elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from labs.engine.base.wait import WaitTimeout, until
from labs.engine.judge.warm import PRACTICE, WarmJudge

_WARM_LIMIT_S = 900.0
"""On an idle machine it takes half a minute; among ten other jobs on two cores, more than five."""
_PRACTISE_LIMIT_S = 180.0


def practised(judge: WarmJudge) -> int:
    """How often a warm judge has practised after some idle minutes; where others work, less."""
    with suppress(WaitTimeout):
        until(lambda: judge.practised >= PRACTICE, _PRACTISE_LIMIT_S, "the machine was not idle")
    return judge.practised


@contextmanager
def warm_judge(scratch: Path) -> Iterator[WarmJudge]:
    """A judge that has warmed up, ended with the block."""
    judge = WarmJudge(scratch / "judge.sock")
    judge.start()
    try:
        until(lambda: judge.warm, _WARM_LIMIT_S, "the judge did not get warm")
        yield judge
    finally:
        judge.stop()
