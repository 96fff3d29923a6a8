"""The course: guided labs, each a folder here (`docs/contributing/lab.md`).

A lab is text and data, without Django: the pages are in `labs.pages.lessons.views`, and its
experiments run on the same machinery as every other.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from labs.lessons.loading import LessonError, folders, load
from labs.lessons.model import (
    CONFIDENCES,
    Answer,
    Arm,
    Lesson,
    Outcome,
    Prediction,
    Question,
    Symptom,
    Turn,
    right,
)

__all__ = [
    "CONFIDENCES",
    "STEPS",
    "Answer",
    "Arm",
    "Lesson",
    "LessonError",
    "Outcome",
    "Prediction",
    "Question",
    "Symptom",
    "Turn",
    "all_lessons",
    "find",
    "right",
]

STEPS: Mapping[str, str] = {
    "story": "Story",
    "predict": "Predict",
    "run": "Run",
    "see": "See",
    "explain": "Understand",
    "your-turn": "Your turn",
    "why": "Why?",
    "take-home": "Take home",
}
"""The steps of every lab: name of the step → its word on the page."""


@cache
def all_lessons() -> tuple[Lesson, ...]:
    """Returns every lab, in the order of the course. Raises `LessonError`."""
    lessons = [load(folder) for folder in folders(Path(__file__).parent)]
    return tuple(sorted(lessons, key=lambda lesson: lesson.order))


def find(name: str) -> Lesson:
    """Returns a lab. Raises `LookupError` if it does not exist."""
    for lesson in all_lessons():
        if lesson.name == name:
            return lesson
    raise LookupError(name)
