"""A runner that boots its clusters before an experiment is requested, and then waits for it.

`python -m labs.engine.run.ahead SHAPES.json HOME [JUDGE-SOCKET]` is kept like an experiment
(`labs.engine.run.keeper`). The file holds a list of `shape.Shape`, and the clusters are in HOME. A
line on standard input names the folder of a run, which contains its `spec.json`. The process then
is that run: its arms get these clusters, and it ends as an experiment ends. No cluster is used
twice.

It takes slots for clusters only while no slot is held. It ends, and frees them, as soon as another
process waits for a slot, a broker dies, or it has waited for too long.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from labs.engine.base import slots
from labs.engine.run import experiment
from labs.engine.run.boot import PrebootedCluster
from labs.engine.run.pool import GAVE_WAY, NOT_BOOTED, SPEC, WAITS
from labs.engine.run.shape import from_json

_MAX_WAIT_S = 1800.0
_POLL_S = 0.25


def main(argv: list[str]) -> int:
    path, home, *socket = map(Path, argv[1:])
    shapes = from_json(path.read_text("utf-8"))
    places = slots.take_unused(len(shapes))
    clusters = [
        PrebootedCluster(shape, home / str(number), place)
        for number, (shape, place) in enumerate(zip(shapes, places, strict=False))
    ]
    folder = _await_run(clusters) if clusters else GAVE_WAY
    if isinstance(folder, int):
        # A normal exit of the interpreter would wait for brokers to boot. The kernel ends them with
        # this process, and the keeper waits for that.
        os._exit(folder)
    return experiment.main(["", str(folder / SPEC), str(folder), *map(str, socket)], clusters)


def _await_run(clusters: Sequence[PrebootedCluster]) -> Path | int:
    """The folder named on standard input, or the exit code if there will be none."""
    deadline, line, is_logged = time.monotonic() + _MAX_WAIT_S, b"", False
    while all(cluster.usable for cluster in clusters):
        if not is_logged and all(cluster.booted for cluster in clusters):
            print(WAITS, file=sys.stderr, flush=True)  # noqa: T201
            is_logged = True
        if line.endswith(b"\n"):
            return Path(os.fsdecode(line[:-1]))
        if slots.has_waiters() or time.monotonic() > deadline:
            return GAVE_WAY
        if select.select([0], [], [], _POLL_S)[0]:
            received = os.read(0, 4096)  # not sys.stdin: select does not see what that has buffered
            if not received:
                return GAVE_WAY
            line += received
    return NOT_BOOTED


if __name__ == "__main__":
    sys.exit(main(sys.argv))
