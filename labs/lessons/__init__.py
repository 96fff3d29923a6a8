"""Guided labs. One lesson a file, each with `LESSON = Lesson(...)`, found by walking the package.

A lesson is text and data, without Django: the pages are in `labs.lesson_views`, and its
experiment runs on the same machinery as every other.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

STEPS: Mapping[str, str] = {
    "story": "Story",
    "predict": "Predict",
    "run": "Run",
    "see": "See",
    "explain": "Understand",
    "take-home": "Take home",
}
"""The way through every lesson: name of the step → its word on the page."""

ANSWERS: Mapping[str, str] = {"none": "None is lost", "some": "Some are lost"}
"""What a visitor may predict for one arm."""


@dataclass(frozen=True, slots=True)
class LessonArm:
    """One set of settings of a lesson.

    `fields` are what a person would type in the questionnaire (`producer.acks` → `1`); the
    catalog parses them like everything that is typed.
    """

    name: str
    label: str
    meaning: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one arm of this visitor's own run showed; None where it was not judged."""

    verdict: str
    acknowledged: int | None
    lost: int | None

    @property
    def answer(self) -> str | None:
        """The prediction that would have been right, or None if nothing can be concluded."""
        if self.verdict == "unknown" or self.lost is None:
            return None
        return "some" if self.lost else "none"


@dataclass(frozen=True, slots=True)
class Passage:
    """A heading and its paragraphs."""

    heading: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lesson:
    """One lesson. `take_home` names the arm whose settings are handed out at the end."""

    name: str
    order: int
    title: str
    summary: str
    minutes: int
    scenario: str
    want: str
    arms: tuple[LessonArm, ...]
    story: tuple[str, ...]
    question: str
    notice: tuple[str, ...]
    explain: Callable[[Mapping[str, Outcome]], tuple[Passage, ...]]
    take_home: str
    take_home_text: tuple[str, ...]

    def arm(self, name: str) -> LessonArm:
        """Raises `KeyError` for an arm that the lesson does not have."""
        for arm in self.arms:
            if arm.name == name:
                return arm
        raise KeyError(name)


@cache
def all_lessons() -> tuple[Lesson, ...]:
    """Every lesson, in the order of the course."""
    modules = (module.name for module in pkgutil.iter_modules(__path__))
    found = [importlib.import_module(f"{__name__}.{name}").LESSON for name in modules]
    return tuple(sorted(found, key=lambda lesson: lesson.order))


def find(name: str) -> Lesson:
    """Raises `LookupError` for a lesson that does not exist."""
    for lesson in all_lessons():
        if lesson.name == name:
            return lesson
    raise LookupError(name)
