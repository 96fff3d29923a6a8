"""The judge as it is soon after `make up`: warm. What that costs is measured elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from labs.engine.wait import until
from labs.engine.warm import WarmJudge

_WARM_LIMIT_S = 300.0


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
