"""Where labs and challenges are proved: a folder that is removed, and a judge that is warm."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from labs.engine.base.wait import until
from labs.engine.judge.warm import WarmJudge

_WARM_LIMIT_S = 600.0


@contextmanager
def bench(prefix: str) -> Iterator[tuple[Path, Path]]:
    """A folder for ledgers, which are not kept, and the judge's socket. Ends the judge."""
    with tempfile.TemporaryDirectory(prefix=prefix) as place:
        judge = WarmJudge(Path(place) / "judge.sock", practice=0)
        judge.start()
        try:
            until(lambda: judge.warm, _WARM_LIMIT_S, "the judge did not get warm")
            yield Path(place), judge.socket
        finally:
            judge.stop()
