"""The results of playing the incidents: `record.json` next to this file, part of the release."""

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
    """One release of an incident: in how many plays the harm was seen, and the last play.

    `harmed` of `of` messages is the last play's count; `date` the day of it (ISO 8601).
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
        """Every play on the affected release shows the harm, and none on another one."""
        return self.times > 0 and self.shown == (self.times if self.side == "affected" else 0)


def played(side: Side) -> Played:
    """A side that was just played, as it is kept."""
    last = side.outcomes[-1]
    return Played(
        side.incident, side.side, side.release, side.harmed, len(side.outcomes),
        last.harmed, last.of, datetime.now(UTC).date().isoformat(), last.exhibits,
        last.moments,
    )  # fmt: skip


def keep(rows: Iterable[Played], file: Path = RECORD, *, adding: bool = False) -> None:
    """Puts these in the place of what was kept of the same incidents and sides.

    When `adding`, plays of the same release count besides the older ones.
    """
    kept = {(play.incident, play.side): play for play in read(file)}
    for play in rows:
        before = kept.get((play.incident, play.side))
        if adding and before and before.release == play.release:
            play = replace(play, shown=play.shown + before.shown, times=play.times + before.times)
        kept[play.incident, play.side] = play
    text = json.dumps([asdict(kept[key]) for key in sorted(kept)], indent=1, ensure_ascii=False)
    file.write_text(text + "\n", "utf-8")


@cache
def shipped() -> tuple[Played, ...]:
    """Everything that ships."""
    return read(RECORD)


def sides(incident: str) -> tuple[Played, ...]:
    """What ships of one incident, the affected release first."""
    return tuple(play for play in shipped() if play.incident == incident)


def read(file: Path) -> tuple[Played, ...]:
    """The plays that a file keeps; none where there is no such file."""
    if not file.exists():
        return ()
    return tuple(_row(row) for row in json.loads(file.read_text("utf-8")))


def _row(row: dict[str, Any]) -> Played:
    exhibits = tuple(Exhibit(**exhibit) for exhibit in row["exhibits"])
    moments = tuple(Moment(**moment) for moment in row.get("moments", ()))
    return Played(**{**row, "exhibits": exhibits, "moments": moments})
