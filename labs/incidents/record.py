"""The recorded plays of the incidents: `record.json` next to this file, part of the release."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from labs.incidents.model import Exhibit, Moment
from labs.incidents.verify import Side

RECORD = Path(__file__).parent / "record.json"


@dataclass(frozen=True, slots=True)
class Played:
    """One release of an incident: `shown` of `times` plays had the harm; and the last play.

    `harmed` of `of` messages is the count of the last play, `date` its day (ISO 8601).
    """

    incident: str
    side: str
    release: str
    shown: int
    times: int
    harmed: int
    of: int
    date: str
    exhibits: tuple[Exhibit, ...]
    moments: tuple[Moment, ...] = ()

    @property
    def is_proven(self) -> bool:
        """Whether every play on the affected release shows the harm, or none on another one."""
        return self.times > 0 and self.shown == (self.times if self.side == "affected" else 0)


def played(side: Side) -> Played:
    """Returns a side that was just played as a row of the record."""
    last = side.outcomes[-1]
    return Played(
        side.incident, side.side, side.release, side.harmed, len(side.outcomes),
        last.harmed, last.of, datetime.now(UTC).date().isoformat(), last.exhibits,
        last.moments,
    )  # fmt: skip


def keep(rows: Iterable[Played], file: Path = RECORD, *, adding: bool = False) -> None:
    """Replaces the recorded rows of the same incidents and sides.

    When `adding`, plays of the same release are added to the recorded ones.
    """
    plays = {(play.incident, play.side): play for play in read(file)}
    for play in rows:
        before = plays.get((play.incident, play.side))
        if adding and before and before.release == play.release:
            play = replace(play, shown=play.shown + before.shown, times=play.times + before.times)
        plays[play.incident, play.side] = play
    text = json.dumps([asdict(plays[key]) for key in sorted(plays)], indent=1, ensure_ascii=False)
    file.write_text(text + "\n", "utf-8")


@cache
def shipped() -> tuple[Played, ...]:
    """Returns all shipped rows."""
    return read(RECORD)


def sides(incident: str) -> tuple[Played, ...]:
    """Returns the shipped rows of one incident, the affected release first."""
    return tuple(play for play in shipped() if play.incident == incident)


def read(file: Path) -> tuple[Played, ...]:
    """Returns the rows of a file; none if it does not exist."""
    if not file.exists():
        return ()
    return tuple(_row(row) for row in json.loads(file.read_text("utf-8")))


def _row(row: dict[str, Any]) -> Played:
    exhibits = tuple(Exhibit(**exhibit) for exhibit in row["exhibits"])
    moments = tuple(Moment(**moment) for moment in row.get("moments", ()))
    return Played(**{**row, "exhibits": exhibits, "moments": moments})
