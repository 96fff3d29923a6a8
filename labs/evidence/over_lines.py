"""One scenario with one set of settings on several release lines, from real runs only.

Rows come from two records in the release: the files of `manage.py experiment --across --keep`, and
the runs of exploring that were repeated on another line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from labs.calibration.fingerprint import short_form
from labs.calibration.record import Explored, Record
from labs.engine.scenarios import find
from labs.engine.scenarios.model import Scenario
from labs.runs.across import SAME_AS_BROKERS

FOLDER = Path(__file__).parents[1] / "calibration" / "record" / "across"


class RowError(ValueError):
    """A file does not have the format of `experiment --across --keep`; the message names it."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A line of brokers: the verdict of its run, or the reason why there was none.

    With `zookeeper`, its brokers are not in KRaft mode. `release` is that of its brokers, and `run`
    has the date and the code of the run, if known.
    """

    line: str
    verdict: str
    seen: tuple[str, ...] = ()
    why_not: str = ""
    zookeeper: bool = False
    run: str = ""
    release: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A scenario and settings (`producer.acks=1`), with one cell per line, oldest first.

    `seed` is that of the fault schedule. `changes` has the causes of each change of the verdict,
    according to the rules and known bugs. A row that `is_drawn` comes from exploring.
    """

    scenario: Scenario
    settings: tuple[str, ...]
    seed: int
    date: str
    cells: tuple[Cell, ...]
    changes: tuple[Mapping[str, Any], ...] = ()
    is_drawn: bool = False

    @property
    def decisive(self) -> tuple[str, ...]:
        """The settings that distinguish it from other rows of its scenario: all but the client."""
        return tuple(name for name in self.settings if not name.startswith("client"))

    @property
    def is_changed(self) -> bool:
        """Whether two lines have different verdicts, because of the release or by chance."""
        return len({cell.verdict for cell in self.cells if cell.verdict}) > 1


@cache
def rows(record: Path) -> tuple[Row, ...]:
    """Returns every row: first those with most lines, then those whose verdict changes.

    Raises `RowError`.
    """
    rows = [_recorded_row(file) for file in sorted(FOLDER.glob("*.json"))]
    rows += _pairs(Record(record).runs)
    return tuple(
        sorted(rows, key=lambda row: (-len(row.cells), not row.is_changed, row.scenario.name))
    )


def _recorded_row(file: Path) -> Row:
    try:
        record = json.loads(file.read_text("utf-8"))
        cells = tuple(map(_cell, record["rows"]))
        return Row(
            find(record["scenario"]), _stated(record), record["seed"],
            max(row["date"] for row in record["rows"]), cells, tuple(record["changes"]),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as wrong:
        raise RowError(
            f"{file.name}: not what experiment --across --keep writes: {wrong}"
        ) from wrong


def _cell(row: Mapping[str, Any]) -> Cell:
    verdict = next(iter(row["verdicts"].values()), "")
    code = short_form(row["code"])
    run = f"Kafka {row['release']}, {row['date']}, code {code}" if verdict else ""
    return Cell(
        row["kafka"], verdict, tuple(row["seen"]), row["why_not"], row["zookeeper"], run,
        row["release"],
    )  # fmt: skip


def _stated(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the settings and conditions of a recorded row, and the arm of its verdicts."""
    recommended = record["arms"][0] == "recommended"
    stated = [*record["settings"], *record["conditions"], f"client={record['client']}"]
    if version := record["client_version"]:
        stated.append(f"client of {'the same line' if version == SAME_AS_BROKERS else version}")
    return (*stated, "as recommended for these") if recommended else tuple(stated)


def _pairs(runs: list[Explored]) -> Iterator[Row]:
    """Yields runs of exploring with their repetitions on another line, as rows."""
    drawn = {(run.seed, run.number): run for run in runs if run.step == "drawn" and run.judged}
    for run in runs:
        first = drawn.get((run.seed, run.number))
        if first and run.step == "line" and run.judged:
            pair = sorted((first, run), key=lambda row: _order(row.pipeline["kafka"]))
            cells = (Cell(str(run.pipeline["kafka"]), run.verdict, tuple(run.seen)) for run in pair)
            yield Row(
                find(run.scenario), _settings(run), run.schedule, run.date, tuple(cells),
                is_drawn=True,
            )  # fmt: skip


def _order(line: str) -> list[int]:
    return [int(part) for part in line.split(".")]


def _settings(run: Explored) -> tuple[str, ...]:
    return tuple(
        f"{component}.{name}={str(value).lower() if isinstance(value, bool) else value}"
        for component, stated in run.pipeline["settings"].items()
        for name, value in stated.items()
    )
