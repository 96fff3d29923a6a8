"""The run that the home page replays: recorded on real brokers, and shipped with the product."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from advisor.catalog import written
from labs.models import Experiment
from labs.pages.experiments import presentation, replays

_FILE = Path(__file__).with_name("recorded_run.json")


class NotRecordable(ValueError):
    """The experiment has an arm that was not judged, or that cannot be replayed."""


@dataclass(frozen=True, slots=True)
class RecordedArm:
    """The counts of one arm, and the brokers whose logs are drawn.

    `settings` are those in which the arms differ, in the form `acks=1`.
    """

    name: str
    label: str
    verdict: str
    lost: int
    acknowledged: int
    settings: tuple[str, ...]
    brokers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded experiment: `date` is the day on which it ended (UTC), `kafka` the release."""

    title: str
    kafka: str
    date: str
    arms: tuple[RecordedArm, ...]


@cache
def text() -> str:
    """Returns the recording as JSON for the script: `replays.data`, and `about`."""
    return _FILE.read_text("utf-8")


@cache
def recorded() -> Recorded:
    """Returns the data of the recording for the page."""
    about: Mapping[str, Any] = json.loads(text())["about"]
    arms = (
        RecordedArm(**{name: _plain(value) for name, value in arm.items()}) for arm in about["arms"]
    )
    return Recorded(about["title"], about["kafka"], about["date"], tuple(arms))


def keep(experiment: Experiment, file: Path = _FILE) -> None:
    """Makes an experiment of this installation the shipped recording.

    Raises `NotRecordable` unless each of its arms was judged and has telemetry.
    """
    runs = [run for run in experiment.runs.all() if run.judged]
    shown = {arm.run.name: arm for arm in replays.arms(experiment)}
    if experiment.ended_at is None or not runs or {run.name for run in runs} != set(shown):
        raise NotRecordable(f"{experiment.slug}: not every arm was judged and can be played back.")
    differ = presentation.compared(runs).differ
    about = {
        "title": presentation.scenario_title(experiment.scenario),
        "kafka": experiment.releases,
        "date": f"{experiment.ended_at:%Y-%m-%d}",
        "arms": [
            {
                "name": run.name, "label": shown[run.name].label, "verdict": run.verdict,
                "lost": run.counts["lost_write"], "acknowledged": run.counts["ok"],
                "settings": [f"{name}={written(values[at])}" for name, values in differ],
                "brokers": list(shown[run.name].replay.brokers),
            }
            for at, run in enumerate(runs)
        ],
    }  # fmt: skip
    data = json.dumps({"about": about, **replays.data(experiment)}, separators=(",", ":"))
    file.write_text(data + "\n", "utf-8")


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
