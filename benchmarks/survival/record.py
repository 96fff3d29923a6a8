"""The outcome of each run, one line of JSON per run; the last line of a number counts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from labs.engine.base import json_lines

RECORD_FILE = Path(__file__).parent.with_suffix(".jsonl")


@dataclass(frozen=True, slots=True)
class Line:
    """One run: the blow that was drawn, the parts that were struck, its end, and what was wrong.

    `struck` is empty if the run was already over, or the part did not exist. `verdicts` are those
    of the arms. `ended_s` is the time from the blow to the end of the run.
    """

    seed: int
    number: int
    case: str
    arms: str
    deed: str
    parts: tuple[str, ...]
    phase: str
    after_s: float
    for_s: float
    struck: str
    state: str
    reason: str
    verdicts: dict[str, str]
    ended_s: float
    wrong: tuple[str, ...]
    date: str

    def __str__(self) -> str:
        held = f" for {self.for_s} s" if self.for_s else ""
        part = self.struck or "nobody"
        text = (
            f"{self.number}: {self.case} {self.arms}, {self.deed}{held} of {part} in {self.phase}"
        )
        verdicts = ", ".join(f"{arm} {verdict}" for arm, verdict in self.verdicts.items())
        end = f"{self.state} after {self.ended_s:.0f} s ({verdicts or 'no verdict'})"
        return f"{text}: {end}" + (f" WRONG: {'; '.join(self.wrong)}" if self.wrong else "")


class Record:
    """The lines of a file, and those that are added. An incomplete last line is ignored."""

    def __init__(self, file: Path) -> None:
        self._file = file
        recorded = json_lines.read(file, lambda _, text: Line(**json.loads(text)))
        self.lines = {(line.seed, line.number): line for line in recorded}

    def add(self, line: Line) -> None:
        self.lines[line.seed, line.number] = line
        json_lines.append(self._file, line)

    def select(self, seed: int, numbers: Iterable[int]) -> list[Line]:
        """The recorded lines of these numbers under a seed."""
        return [line for number in numbers if (line := self.lines.get((seed, number)))]
