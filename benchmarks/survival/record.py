"""What became of each run, a line of JSON each: the last line of a number is what counts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from labs.engine.base import json_lines

KEPT = Path(__file__).parent.with_suffix(".jsonl")


@dataclass(frozen=True, slots=True)
class Line:
    """One run: what was drawn, who was struck, how it ended, and what was wrong with that.

    `struck` is empty where the run was over before, or the part was not there. `verdicts` are
    those of the arms; `ended_s` counts from the blow to the end of the run.
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
        who = self.struck or "nobody"
        text = f"{self.number}: {self.case} {self.arms}, {self.deed}{held} of {who} in {self.phase}"
        verdicts = ", ".join(f"{arm} {verdict}" for arm, verdict in self.verdicts.items())
        end = f"{self.state} after {self.ended_s:.0f} s ({verdicts or 'no verdict'})"
        return f"{text}: {end}" + (f" WRONG: {'; '.join(self.wrong)}" if self.wrong else "")


class Record:
    """The lines of a file, and those that are added; one that was cut short is none."""

    def __init__(self, file: Path) -> None:
        self._file = file
        kept = json_lines.read(file, lambda _, text: Line(**json.loads(text)))
        self.lines = {(line.seed, line.number): line for line in kept}

    def add(self, line: Line) -> None:
        self.lines[line.seed, line.number] = line
        json_lines.append(self._file, line)

    def of(self, seed: int, numbers: Iterable[int]) -> list[Line]:
        """What is known of these numbers under a seed."""
        return [line for number in numbers if (line := self.lines.get((seed, number)))]
