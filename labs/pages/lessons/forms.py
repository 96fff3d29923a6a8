"""The answers of a visitor in a lab: predictions, each with a confidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labs.lessons import CONFIDENCES, Arm, Lesson, Prediction
from labs.pages.parameters import whole_number

Kept = Mapping[str, Mapping[str, str]]
"""Prediction → its `answer` and its `confidence`, as they are stored."""


def read(kept: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """What is stored of predictions; rows from before confidences were asked for have none."""
    return {
        name: item if isinstance(item, dict) else {"answer": str(item), "confidence": ""}
        for name, item in kept.items()
    }


@dataclass(frozen=True, slots=True)
class Field:
    """One prediction on the page: of which arm, the choices with their words, what was chosen."""

    prediction: Prediction
    arm: Arm
    choices: Mapping[str, str]
    answer: str
    confidence: str

    @property
    def is_complete(self) -> bool:
        """Whether it has an answer that can be judged, and a confidence."""
        if self.prediction.kind == "number":
            answered = whole_number(self.answer) is not None
        else:
            answered = self.answer in self.choices
        return answered and self.confidence in CONFIDENCES


class PredictionForm:
    """The predictions of a lab: empty, as they are stored, or as they were sent."""

    confidences = CONFIDENCES

    def __init__(
        self, lesson: Lesson, sent: Mapping[str, str] | None = None, kept: Kept | None = None
    ) -> None:
        self._sent = sent is not None
        self.fields = [
            self._field(lesson, prediction, sent, kept or {}) for prediction in lesson.predictions
        ]

    @staticmethod
    def _field(
        lesson: Lesson, prediction: Prediction, sent: Mapping[str, str] | None, kept: Kept
    ) -> Field:
        name, stored = prediction.name, kept.get(prediction.name, {})
        if sent is not None:
            stored = {
                "answer": sent.get(name, "").strip(),
                "confidence": sent.get(f"{name}-confidence", ""),
            }
        return Field(
            prediction, lesson.arm(prediction.arm), lesson.symptom.answers(),
            stored.get("answer", ""), stored.get("confidence", ""),
        )  # fmt: skip

    def is_valid(self) -> bool:
        return all(field.is_complete for field in self.fields)

    @property
    def problem(self) -> str:
        """What is missing, naming the settings; empty for a form that was not sent."""
        missing = [field.arm.label for field in self.fields if not field.is_complete]
        if not self._sent or not missing:
            return ""
        return f"Choose an answer, and how sure you are of it, for {', '.join(missing)}."

    def kept(self) -> dict[str, dict[str, str]]:
        """The predictions as they are stored."""
        return {
            field.prediction.name: {"answer": field.answer, "confidence": field.confidence}
            for field in self.fields
        }


class TurnForm:
    """The visitor's turn: which change, what it will do, and how sure they are of that."""

    confidences = CONFIDENCES

    def __init__(
        self,
        lesson: Lesson,
        sent: Mapping[str, str] | None = None,
        kept: Mapping[str, str] | None = None,
    ) -> None:
        source = sent if sent is not None else kept or {}
        names = [choice.name for choice in lesson.turn.choices]
        chosen = source.get("choice", "")
        self.choices = lesson.turn.shown
        self.answers = lesson.symptom.answers()
        self.choice = chosen if chosen in names else ""
        self.answer = source.get("answer", "")
        self.confidence = source.get("confidence", "")
        self._sent = sent is not None

    def is_valid(self) -> bool:
        return bool(
            self.choice and self.answer in self.answers and self.confidence in self.confidences
        )

    @property
    def problem(self) -> str:
        """What is missing; empty for a form that was not sent."""
        if not self._sent or self.is_valid():
            return ""
        return "Choose a change, what you expect of it, and how sure you are."

    def kept(self) -> dict[str, str]:
        """The turn as it is stored."""
        return {"choice": self.choice, "answer": self.answer, "confidence": self.confidence}
