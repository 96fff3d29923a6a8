"""An experiment that boots its clusters before it is requested, and then waits.

`python -m labs.engine.run.ahead SHAPES.json HOME [JUDGE-SOCKET]`, kept as an experiment is
(`labs.engine.run.keeper`); the file holds a list of `shape.Shape`, the clusters are in HOME. A line
on standard input names the folder of a run, with its `spec.json`: then it is that run, whose arms
get these clusters, and ends as an experiment ends. Nothing is used twice.

It takes slots for clusters only while no slot is held. It ends, which frees them, as soon as
another process waits for a slot, a broker dies, or it has waited for too long.
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

_OLDEST_S = 1800.0
_LOOK_EVERY_S = 0.25


def main(argv: list[str]) -> int:
    path, home, *socket = map(Path, argv[1:])
    shapes = from_json(path.read_text("utf-8"))
    places = slots.spare(len(shapes))
    clusters = [
        PrebootedCluster(shape, home / str(number), place)
        for number, (shape, place) in enumerate(zip(shapes, places, strict=False))
    ]
    folder = _await_run(clusters) if clusters else GAVE_WAY
    if isinstance(folder, int):
        # Not the way through the interpreter's end, which would wait for brokers to boot: the
        # kernel ends them with us, and the keeper waits for that.
        os._exit(folder)
    return experiment.main(["", str(folder / SPEC), str(folder), *map(str, socket)], clusters)


def _await_run(clusters: Sequence[PrebootedCluster]) -> Path | int:
    """The folder that was named on standard input, or why there will be none."""
    deadline, answer, is_stated = time.monotonic() + _OLDEST_S, b"", False
    while all(cluster.usable for cluster in clusters):
        if not is_stated and all(cluster.booted for cluster in clusters):
            print(WAITS, file=sys.stderr, flush=True)  # noqa: T201
            is_stated = True
        if answer.endswith(b"\n"):
            return Path(os.fsdecode(answer[:-1]))
        if slots.wanted() or time.monotonic() > deadline:
            return GAVE_WAY
        if select.select([0], [], [], _LOOK_EVERY_S)[0]:
            heard = os.read(0, 4096)  # not sys.stdin, which would keep bytes from select
            if not heard:
                return GAVE_WAY
            answer += heard
    return NOT_BOOTED


if __name__ == "__main__":
    sys.exit(main(sys.argv))
