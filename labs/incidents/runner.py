"""Plays an incident as one run, side after side, and reports its progress.

`python -m labs.incidents.runner SPEC.json FOLDER` is the process that owns the brokers;
`labs.engine.run.keeper` starts it, ends it and removes its files. It prints events in the format of
`labs.engine.run.experiment`. A side that could not be played is an error, never a count.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from labs.engine.base import failure_text
from labs.engine.base.slots import slot
from labs.engine.distributions.download import DownloadFailed
from labs.engine.run.events import Emitter
from labs.incidents import Incident, find
from labs.incidents.verify import play

FINISHED, SIDE_FAILED, UNUSABLE = 0, 1, 2
"""Exit codes: every side was played; some could not be played; the request is invalid."""

_REFUSED = (
    "{release} could not be downloaded: {cause}. The log of the run has more. The operator of this "
    "installation can name another repository (docs/setup.md). Nothing was run"
)


@dataclass(frozen=True, slots=True)
class PlaySpec:
    """An incident by its slug, and the sides to play, in this order.

    Raises `ValueError` if there is no side, an unknown one, or one twice, and `LookupError` for an
    unknown incident.
    """

    MODULE: ClassVar[str] = "labs.incidents.runner"

    incident: str
    sides: tuple[str, ...]

    def __post_init__(self) -> None:
        releases = find(self.incident).releases
        if not self.sides or len({*self.sides}) < len(self.sides) or {*self.sides} - {*releases}:
            raise ValueError(f"{self.incident} is run on one or more of {', '.join(releases)}")

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> PlaySpec:
        data = json.loads(text)
        return cls(data["incident"], tuple(data["sides"]))


def run(spec: PlaySpec, folder: Path, events: Emitter) -> int:
    """Plays every side and emits the result; returns the exit code."""
    incident = find(spec.incident)
    results = [_side(incident, side, folder / side / "cluster", events) for side in spec.sides]
    played = [result for result in results if result is not None]
    events.emit("result", experiment={"incident": incident.id, "arms": played})
    return FINISHED if len(played) == len(results) else SIDE_FAILED


def _side(incident: Incident, side: str, home: Path, events: Emitter) -> Mapping[str, Any] | None:
    """Plays one side once; returns None, after an error event, if it could not be played."""
    release, emit = incident.releases[side], partial(events.emit, arm=side)

    def enter(phase: str, **more: Any) -> None:
        emit("phase", phase=phase, **more)

    try:
        home.mkdir(parents=True)
        enter("waiting")
        with slot(on_place=lambda place: enter("waiting", place=place)):
            outcome = play(
                incident, release, lambda line: enter("fetching", detail=line), enter, home
            )
    except Exception as problem:  # whatever it is, the only event on this side is the error
        failure_text.log_trace()
        emit(
            "error",
            message=f"Release {release} could not be run: {_failure_words(problem, release)}.",
        )
        return None
    finally:
        shutil.rmtree(home, ignore_errors=True)
    # The harm is a count; only the judge gives verdicts, on ledgers.
    result = {"name": side, "verdict": "", "release": release, **asdict(outcome)}
    emit("arm", result=result)
    return result


def _failure_words(problem: Exception, release: str) -> str:
    if isinstance(problem, DownloadFailed) and problem.cause:
        return _REFUSED.format(release=release, cause=problem.cause)
    return failure_text.sentence(problem).rstrip(".")


def main(argv: list[str]) -> int:
    spec_file, folder = (Path(argument) for argument in argv[1:3])
    events = Emitter(sys.stdout)
    try:
        spec = PlaySpec.from_json(spec_file.read_text("utf-8"))
    except (LookupError, ValueError, TypeError) as wrong:
        events.emit("error", message=f"It cannot be run: {failure_text.report(wrong)}")
        return UNUSABLE
    return run(spec, folder, events)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
