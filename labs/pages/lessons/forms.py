"""Forms for the predictions of a visitor in a lab, each with a confidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labs.lessons import CONFIDENCES, Arm, Lesson, Prediction
from labs.pages.parameters import whole_number

StoredPredictions = Mapping[str, Mapping[str, str]]
"""Prediction → its `answer` and its `confidence`, as they are stored."""


def read(stored_values: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Returns stored predictions; the confidence is empty in rows from before it was requested."""
    return {
        name: item if isinstance(item, dict) else {"answer": str(item), "confidence": ""}
        for name, item in stored_values.items()
    }


@dataclass(frozen=True, slots=True)
class Field:
    """One prediction on the page: its arm, the choices in words, and the current answer."""

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
    """The predictions of a lab: empty, as stored, or as sent."""

    confidences = CONFIDENCES

    def __init__(
        self,
        lesson: Lesson,
        sent: Mapping[str, str] | None = None,
        stored_values: StoredPredictions | None = None,
    ) -> None:
        self._sent = sent is not None
        self.fields = [
            self._field(lesson, prediction, sent, stored_values or {})
            for prediction in lesson.predictions
        ]

    @staticmethod
    def _field(
        lesson: Lesson,
        prediction: Prediction,
        sent: Mapping[str, str] | None,
        stored_values: StoredPredictions,
    ) -> Field:
        name, stored = prediction.name, stored_values.get(prediction.name, {})
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
        """The missing parts in words, with their settings; empty for a form that was not sent."""
        missing = [field.arm.label for field in self.fields if not field.is_complete]
        if not self._sent or not missing:
            return ""
        return f"Choose an answer, and how sure you are of it, for {', '.join(missing)}."

    def stored(self) -> dict[str, dict[str, str]]:
        """Returns the predictions as they are stored."""
        return {
            field.prediction.name: {"answer": field.answer, "confidence": field.confidence}
            for field in self.fields
        }


class TurnForm:
    """The visitor's turn: the chosen change, its predicted result, and the confidence."""

    confidences = CONFIDENCES

    def __init__(
        self,
        lesson: Lesson,
        sent: Mapping[str, str] | None = None,
        stored_values: Mapping[str, str] | None = None,
    ) -> None:
        source = sent if sent is not None else stored_values or {}
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
        """The missing parts in words; empty for a form that was not sent."""
        if not self._sent or self.is_valid():
            return ""
        return "Choose a change, what you expect of it, and how sure you are."

    def stored(self) -> dict[str, str]:
        """Returns the turn as it is stored."""
        return {"choice": self.choice, "answer": self.answer, "confidence": self.confidence}
