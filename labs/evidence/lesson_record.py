"""The record of proofs of labs: a line of JSON for each time that a lab was run on brokers.

It is part of the release. A line counts as long as the lab has the settings that were run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType

from labs.engine.base import json_lines
from labs.evidence.lesson_proofs import ROLES, Proof, arms_by_role
from labs.evidence.waits import Wait
from labs.lessons import Lesson


class RecordError(ValueError):
    """A line of the record is invalid; the message names the file and the line."""


@dataclass(frozen=True, slots=True)
class StoredProofs:
    """The proofs of a lab from the seed `seed` on; by role, in how many runs the symptom showed,
    did not, or was not judged. `of` is the fingerprint of the settings that were run.

    `verdict_s` and `news_s` are as in `labs.evidence.waits`; what was measured beside other work
    is left out.
    """

    lesson: str
    of: str
    date: str
    seed: int
    shown: dict[str, int]
    not_shown: dict[str, int]
    unknown: dict[str, int]
    verdict_s: dict[str, float] = field(default_factory=dict)
    news_s: dict[str, float] = field(default_factory=dict)

    @property
    def runs(self) -> int:
        """How often the lab was run, judged or not."""
        role = next(iter(ROLES))
        return self.shown[role] + self.not_shown[role] + self.unknown[role]


@dataclass(frozen=True, slots=True)
class Standing:
    """One role of a lab over all that is kept: the symptom showed in `shown` of `judged` runs."""

    role: str
    shown: int
    judged: int
    unknown: int

    @property
    def is_proven(self) -> bool:
        """Whether every run was judged and did what the lab says."""
        wanted = self.judged if ROLES[self.role] else 0
        return self.judged > 0 and self.shown == wanted and not self.unknown


def fingerprint(lesson: Lesson) -> str:
    """The same as long as the same is run and the same is asked of it."""
    fields = {role: dict(arm.fields) for role, arm in arms_by_role(lesson).items()}
    symptom = [lesson.symptom.arm, lesson.symptom.count, lesson.symptom.over]
    text = json.dumps([lesson.scenario, symptom, fields], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def read(file: Path) -> list[StoredProofs]:
    """All that is kept. Raises `RecordError`."""
    return json_lines.read(file, partial(_line, file))


def add(file: Path, lesson: Lesson, proofs: Iterable[Proof], date: str) -> None:
    """Keeps the proofs of one lab; they are in the file when this returns."""
    proofs = list(proofs)
    kept = StoredProofs(
        lesson.name, fingerprint(lesson), date, proofs[0].seed,
        {proof.role: proof.shown for proof in proofs},
        {proof.role: proof.not_shown for proof in proofs},
        {proof.role: proof.unknown for proof in proofs},
        {proof.role: proof.wait.verdict_s for proof in proofs if proof.wait.verdict_s},
        {proof.role: proof.wait.news_s for proof in proofs if proof.wait.verdict_s},
    )  # fmt: skip
    read(file)  # takes out a last line that was cut short
    json_lines.append(file, kept)


def standing(lesson: Lesson, kept: Sequence[StoredProofs]) -> list[Standing]:
    """What is kept of a lab as it is now, by role; empty if it was never run so."""
    mine = _own(lesson, kept)
    if not mine:
        return []
    return [
        Standing(
            role,
            sum(record.shown[role] for record in mine),
            sum(record.shown[role] + record.not_shown[role] for record in mine),
            sum(record.unknown[role] for record in mine),
        )
        for role in ROLES
    ]


def next_run(
    lessons: Sequence[Lesson], kept: Sequence[StoredProofs], runs: int, seed: int,
    under_way: Mapping[str, int] = MappingProxyType({}),
) -> tuple[Lesson, int] | None:  # fmt: skip
    """The lab of which fewest runs are kept or `under_way` (by name), and the seed of its next one:
    after the last that was run, or `seed`. None once each role of each lab was, or will be, judged
    in so many `runs`."""
    judged = {
        lesson.name: min((one.judged for one in standing(lesson, kept)), default=0)
        + under_way.get(lesson.name, 0)
        for lesson in lessons
    }
    lesson = min(lessons, key=lambda lesson: judged[lesson.name])
    if judged[lesson.name] >= runs:
        return None
    next_seed = max((item.seed + item.runs for item in _own(lesson, kept)), default=seed)
    return lesson, next_seed + under_way.get(lesson.name, 0)


def wait(lesson: Lesson, kept: Sequence[StoredProofs]) -> Wait | None:
    """The longest time of an arm in the record of the lab; None if it was not measured."""
    mine = _own(lesson, kept)
    verdicts = [s for item in mine for s in item.verdict_s.values()]
    news = [s for item in mine for s in item.news_s.values()]
    return Wait(max(verdicts), max(news)) if verdicts and news else None


def _own(lesson: Lesson, kept: Sequence[StoredProofs]) -> list[StoredProofs]:
    """What is kept of a lab with the settings that it has now."""
    of = fingerprint(lesson)
    return [item for item in kept if (item.lesson, item.of) == (lesson.name, of)]


def _line(file: Path, number: int, text: str) -> StoredProofs:
    try:
        kept = StoredProofs(**json.loads(text))
        counts = (kept.shown, kept.not_shown, kept.unknown)
        if any({*count} != {*ROLES} for count in counts):
            raise ValueError(f"its roles have to be {', '.join(ROLES)}")
    except (ValueError, TypeError) as wrong:
        raise RecordError(f"{file}, line {number} is no proof of a lab: {wrong}") from wrong
    return kept
