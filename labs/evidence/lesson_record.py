"""The record of proofs of labs: a line of JSON for each time that a lab was run on brokers.

It is part of the release. A line counts as long as the settings of the lab do not change.
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
    """The proofs of a lab from the seed `seed` on; by role, the runs in which the symptom showed,
    did not show, or was not judged. `of` is the fingerprint of the settings that were run.

    `verdict_s` and `news_s` are as in `labs.evidence.waits`, without runs on a busy machine.
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
        """The number of runs of the lab, judged or not."""
        role = next(iter(ROLES))
        return self.shown[role] + self.not_shown[role] + self.unknown[role]


@dataclass(frozen=True, slots=True)
class Standing:
    """One role of a lab in all records: the symptom showed in `shown` of `judged` runs."""

    role: str
    shown: int
    judged: int
    unknown: int

    @property
    def is_proven(self) -> bool:
        """Whether every run was judged and confirmed the lab."""
        wanted = self.judged if ROLES[self.role] else 0
        return self.judged > 0 and self.shown == wanted and not self.unknown


def fingerprint(lesson: Lesson) -> str:
    """Returns a hash of the scenario, the symptom and the settings of a lab."""
    fields = {role: dict(arm.fields) for role, arm in arms_by_role(lesson).items()}
    symptom = [lesson.symptom.arm, lesson.symptom.count, lesson.symptom.over]
    text = json.dumps([lesson.scenario, symptom, fields], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def read(file: Path) -> list[StoredProofs]:
    """Returns all records. Raises `RecordError`."""
    return json_lines.read(file, partial(_line, file))


def add(file: Path, lesson: Lesson, proofs: Iterable[Proof], date: str) -> None:
    """Appends the proofs of one lab to the file."""
    proofs = list(proofs)
    stored = StoredProofs(
        lesson.name, fingerprint(lesson), date, proofs[0].seed,
        {proof.role: proof.shown for proof in proofs},
        {proof.role: proof.not_shown for proof in proofs},
        {proof.role: proof.unknown for proof in proofs},
        {proof.role: proof.wait.verdict_s for proof in proofs if proof.wait.verdict_s},
        {proof.role: proof.wait.news_s for proof in proofs if proof.wait.verdict_s},
    )  # fmt: skip
    read(file)  # removes a truncated last line
    json_lines.append(file, stored)


def standing(lesson: Lesson, records: Sequence[StoredProofs]) -> list[Standing]:
    """Returns the results of a lab with its current settings, by role; empty without runs."""
    current = _current(lesson, records)
    if not current:
        return []
    return [
        Standing(
            role,
            sum(record.shown[role] for record in current),
            sum(record.shown[role] + record.not_shown[role] for record in current),
            sum(record.unknown[role] for record in current),
        )
        for role in ROLES
    ]


def next_run(
    lessons: Sequence[Lesson], kept: Sequence[StoredProofs], runs: int, seed: int,
    under_way: Mapping[str, int] = MappingProxyType({}),
) -> tuple[Lesson, int] | None:  # fmt: skip
    """Returns the lab with the fewest runs, recorded or `under_way` (by name), and the seed of its
    next run. Returns None once each role of each lab was, or will be, judged in `runs` runs. The
    first seed is `seed`."""
    judged = {
        lesson.name: min((item.judged for item in standing(lesson, kept)), default=0)
        + under_way.get(lesson.name, 0)
        for lesson in lessons
    }
    lesson = min(lessons, key=lambda lesson: judged[lesson.name])
    if judged[lesson.name] >= runs:
        return None
    next_seed = max((item.seed + item.runs for item in _current(lesson, kept)), default=seed)
    return lesson, next_seed + under_way.get(lesson.name, 0)


def wait(lesson: Lesson, records: Sequence[StoredProofs]) -> Wait | None:
    """Returns the longest waits for an arm of the lab; None if they were not measured."""
    current = _current(lesson, records)
    verdicts = [s for item in current for s in item.verdict_s.values()]
    news = [s for item in current for s in item.news_s.values()]
    return Wait(max(verdicts), max(news)) if verdicts and news else None


def _current(lesson: Lesson, records: Sequence[StoredProofs]) -> list[StoredProofs]:
    """Returns the records of a lab with its current settings."""
    current_fingerprint = fingerprint(lesson)
    return [
        item for item in records if (item.lesson, item.of) == (lesson.name, current_fingerprint)
    ]


def _line(file: Path, number: int, text: str) -> StoredProofs:
    try:
        proofs = StoredProofs(**json.loads(text))
        counts = (proofs.shown, proofs.not_shown, proofs.unknown)
        if any({*count} != {*ROLES} for count in counts):
            raise ValueError(f"its roles have to be {', '.join(ROLES)}")
    except (ValueError, TypeError) as wrong:
        raise RecordError(f"{file}, line {number} is no proof of a lab: {wrong}") from wrong
    return proofs
