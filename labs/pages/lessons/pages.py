"""The content of the pages of a lab: the lab, the visitor's progress, and the run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from advisor.catalog import Component
from advisor.reasoning.levers import ALL as LEVERS
from labs.evidence.lesson_record import Standing
from labs.lessons import (
    CONFIDENCES,
    STEPS,
    Arm,
    Lesson,
    Outcome,
    Prediction,
    Question,
    all_lessons,
    right,
)
from labs.lessons.model import NONE
from labs.lessons.text import Text
from labs.models import Experiment, Progress, State
from labs.pages import selectors, sentences
from labs.pages.experiments import presentation, replays
from labs.pages.experiments.views import experiment_context
from labs.pages.lessons.forms import PredictionForm, TurnForm, read

_UNJUDGED = Outcome("unknown")


@dataclass(frozen=True, slots=True)
class Compared:
    """One prediction and the result of the run; `right` is None if the run does not decide it."""

    prediction: Prediction
    arm: Arm
    predicted: str
    confidence: str
    showed: str
    words: str
    seen: str
    acknowledged: str
    right: bool | None


def context(request: HttpRequest, lesson: Lesson, progress: Progress, step: str) -> dict[str, Any]:
    """Returns the context of the page of a step."""
    names = list(STEPS)
    index = names.index(step)
    predictions = read(progress.prediction)
    values: dict[str, Any] = {
        "lesson": lesson,
        "mine": progress,
        "step": step,
        "form": PredictionForm(lesson, stored_values=predictions),
        "answers": predictions,
        "steps": _steps(lesson, progress, step),
        "has_next": index + 1 < len(names),
        "back": _url(lesson, names[index - 1]) if index else "",
        "after": after(lesson),
        "take_home": take_home(lesson),
        "story": html(lesson, lesson.story, {}),
        "take_home_text": html(lesson, lesson.take_home, {}),
    }
    if step == "your-turn":
        return values | _turn(request, lesson, progress)
    if step == "run" and progress.experiment is None:
        values |= _takes(lesson, len(lesson.arms))
    if step == "why":
        values["asked"] = [
            _question_row(question, progress.answers.get(question.name))
            for question in lesson.questions
        ]
    if progress.experiment is not None:
        values |= experiment_context(request, progress.experiment.slug)
        values |= results(lesson, progress.experiment, predictions)
    if step == "see" and progress.experiment is not None:
        values["replays"] = replays.arms(progress.experiment)
    return values


def _turn(request: HttpRequest, lesson: Lesson, progress: Progress) -> dict[str, Any]:
    """Returns the context of the visitor's turn: the form, and the result of the last change."""
    values: dict[str, Any] = _takes(lesson, 1) | {
        "turn": TurnForm(lesson, stored_values=progress.turn),
        "base": lesson.arm(lesson.turn.base),
        "hints": lesson.turn.hints,
        "solution": lesson.solution,
    }
    if progress.turn_experiment is None or "choice" not in progress.turn:
        return values
    values |= experiment_context(request, progress.turn_experiment.slug)
    row = turned(lesson, progress)
    return values | {"row": row} if row else values


def _takes(lesson: Lesson, arms: int) -> dict[str, Any]:
    """Returns the expected seconds to the last verdict, and the longest time without news."""
    wait = selectors.proved(lesson.name)
    fallback_s = wait.verdict_s if wait else selectors.FALLBACK_S
    takes_s = selectors.usual_for_s(lesson.scenario, arms, fallback_s)
    return {"takes_s": math.ceil(takes_s), "news_s": math.ceil(wait.news_s) if wait else None}


def turned(lesson: Lesson, progress: Progress) -> Compared | None:
    """Returns the result of the visitor's change and the prediction; None while it runs."""
    experiment, choice = progress.turn_experiment, progress.turn.get("choice", "")
    if experiment is None or experiment.state != State.DONE:
        return None
    outcome = presentation.outcomes(experiment).get(choice)
    is_offered = any(item.name == choice for item in lesson.turn.choices)
    if outcome is None or not is_offered:
        return None
    return _compared(lesson, Prediction(choice, choice), progress.turn, outcome)


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question and the visitor's answer; `given` is None if there is none yet."""

    question: Question
    given: int | None
    right: bool


def _question_row(question: Question, place: Any) -> QuestionRow:
    is_answered = isinstance(place, int) and place < len(question.answers)
    return QuestionRow(
        question,
        place if is_answered else None,
        bool(is_answered and question.answers[place].right),
    )


@dataclass(frozen=True, slots=True)
class Row:
    """One lab on the map of the course, with the visitor's progress."""

    lesson: Lesson
    step: str
    word: str
    begun: bool
    solved: bool
    answered: int
    right: int
    may_undo: bool
    proofs: list[Standing]


def current_step(progress: Progress) -> str:
    """Returns the visitor's current step; the first one if that step no longer exists."""
    return progress.step if progress.step in STEPS else next(iter(STEPS))


def row(lesson: Lesson, progress: Progress | None, may_undo: bool, proofs: list[Standing]) -> Row:
    """Returns the row of a lab; `progress` is None for a lab that was not begun."""
    progress = progress or Progress(lesson=lesson.name)
    step = current_step(progress)
    result = turned(lesson, progress)
    questions = [
        _question_row(question, progress.answers.get(question.name))
        for question in lesson.questions
    ]
    return Row(
        lesson, step, STEPS[step], progress.pk is not None,
        result is not None and result.showed == NONE,
        sum(question.given is not None for question in questions),
        sum(question.right for question in questions), may_undo, proofs,
    )  # fmt: skip


def results(
    lesson: Lesson, experiment: Experiment, predictions: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    """Returns predictions, results and explanation; empty until there is a result."""
    if experiment.state != State.DONE:
        return {}
    outcomes = presentation.outcomes(experiment)
    rows = [
        _compared(
            lesson, prediction, predictions.get(prediction.name, {}), outcomes[prediction.arm]
        )
        for prediction in lesson.predictions
        if prediction.arm in outcomes
    ]
    return {
        "compared": rows,
        "right": sum(row.right is True for row in rows),
        "judged": sum(bool(row.showed) for row in rows),
        "explained": html(lesson, lesson.explain, outcomes),
    }


def _compared(
    lesson: Lesson, prediction: Prediction, stored: Mapping[str, str], outcome: Outcome
) -> Compared:
    answer, symptom = stored.get("answer", ""), lesson.symptom
    showed = outcome.answer(symptom) or ""
    words = symptom.answers()
    return Compared(
        prediction=prediction,
        arm=lesson.arm(prediction.arm),
        predicted=words.get(answer, answer),
        confidence=CONFIDENCES.get(stored.get("confidence", ""), ""),
        showed=showed,
        words=words.get(showed, ""),
        seen=count_in_words(symptom.count, outcome.counts.get(symptom.count)),
        acknowledged=count_in_words("ok", outcome.counts.get("ok")),
        right=right(lesson, prediction, answer, outcome) if answer else None,
    )


def count_in_words(count: str, value: int | None) -> str:
    """Returns a count in words: `4,985`, a time in seconds, or `not judged`."""
    return sentences.seconds(value) if count.endswith("_ms") else sentences.number(value)


def html(lesson: Lesson, text: Text, outcomes: Mapping[str, Outcome]) -> SafeString:
    """Returns one of our texts as HTML with the counts of a run; visitors typed nothing in it."""

    def showed(arm: str) -> bool | None:
        answer = outcomes.get(arm, _UNJUDGED).answer(lesson.symptom)
        return None if answer is None else answer == "some"

    def value(arm: str, count: str) -> str:
        return count_in_words(count, outcomes[arm].counts.get(count))

    return mark_safe(text.html(showed, value))  # noqa: S308


def after(lesson: Lesson) -> Lesson | None:
    """Returns the next lab of the course; None after the last."""
    return next((following for following in all_lessons() if following.order > lesson.order), None)


def take_home(lesson: Lesson) -> list[tuple[str, str, str]]:
    """Returns the settings of the solution for one's own pipeline: (part, key, value).

    Settings that only the story needs are omitted, such as timers shortened for the lab: those that
    the solution does not change, and that the advisor never recommends.
    """
    start = lesson.arm(lesson.turn.base).fields
    recommended = {f"{lever.component}.{lever.setting}" for lever in LEVERS}
    parts = {component.value for component in Component}
    rows = []
    for name, value in lesson.solution.fields.items():
        part, _, key = name.partition(".")
        if part in parts and (name in recommended or start.get(name) != value):
            rows.append((part, key, value))
    return rows


def _url(lesson: Lesson, step: str) -> str:
    return reverse("labs:lesson", args=[lesson.name, step])


def _steps(lesson: Lesson, progress: Progress, current: str) -> list[tuple[str, str, bool, bool]]:
    """Returns the steps: (address, word, whether it is done, whether it is the current one)."""
    reached = list(STEPS).index(progress.step)
    return [
        (_url(lesson, name), word, index < reached and name != current, name == current)
        for index, (name, word) in enumerate(STEPS.items())
    ]
