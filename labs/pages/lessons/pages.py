"""The content of the pages of a lab, from the lab, the visitor's progress and their run."""

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
    """One prediction and what the run showed; `right` is None if the run does not decide it."""

    prediction: Prediction
    arm: Arm
    predicted: str
    confidence: str
    showed: str
    words: str
    seen: str
    acknowledged: str
    right: bool | None


def context(request: HttpRequest, lesson: Lesson, mine: Progress, step: str) -> dict[str, Any]:
    """Everything that the page of a step shows."""
    names = list(STEPS)
    at = names.index(step)
    kept = read(mine.prediction)
    matches: dict[str, Any] = {
        "lesson": lesson,
        "mine": mine,
        "step": step,
        "form": PredictionForm(lesson, kept=kept),
        "answers": kept,
        "steps": _steps(lesson, mine, step),
        "has_next": at + 1 < len(names),
        "back": _url(lesson, names[at - 1]) if at else "",
        "after": after(lesson),
        "take_home": take_home(lesson),
        "story": html(lesson, lesson.story, {}),
        "take_home_text": html(lesson, lesson.take_home, {}),
    }
    if step == "your-turn":
        return matches | _turn(request, lesson, mine)
    if step == "run" and mine.experiment is None:
        matches |= _takes(lesson, len(lesson.arms))
    if step == "why":
        matches["asked"] = [
            _question_row(question, mine.answers.get(question.name))
            for question in lesson.questions
        ]
    if mine.experiment is not None:
        matches |= experiment_context(request, mine.experiment.slug)
        matches |= results(lesson, mine.experiment, kept)
    if step == "see" and mine.experiment is not None:
        matches["replays"] = replays.arms(mine.experiment)
    return matches


def _turn(request: HttpRequest, lesson: Lesson, mine: Progress) -> dict[str, Any]:
    """The visitor's turn: the form, and what the run of the last change showed."""
    results: dict[str, Any] = _takes(lesson, 1) | {
        "turn": TurnForm(lesson, kept=mine.turn),
        "base": lesson.arm(lesson.turn.base),
        "hints": lesson.turn.hints,
        "solution": lesson.solution,
    }
    if mine.turn_experiment is None or "choice" not in mine.turn:
        return results
    results |= experiment_context(request, mine.turn_experiment.slug)
    row = turned(lesson, mine)
    return results | {"row": row} if row else results


def _takes(lesson: Lesson, arms: int) -> dict[str, Any]:
    """How long it will take to the last verdict, and how long at most to the next thing to see."""
    wait = selectors.proved(lesson.name)
    fallback_s = wait.verdict_s if wait else selectors.FALLBACK_S
    takes_s = selectors.usual_for_s(lesson.scenario, arms, fallback_s)
    return {"takes_s": math.ceil(takes_s), "news_s": math.ceil(wait.news_s) if wait else None}


def turned(lesson: Lesson, mine: Progress) -> Compared | None:
    """What the visitor's change did, and what they predicted; None while it runs."""
    experiment, choice = mine.turn_experiment, mine.turn.get("choice", "")
    if experiment is None or experiment.state != State.DONE:
        return None
    outcome = presentation.outcomes(experiment).get(choice)
    is_known = any(item.name == choice for item in lesson.turn.choices)
    if outcome is None or not is_known:
        return None
    return _compared(lesson, Prediction(choice, choice), mine.turn, outcome)


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question: not answered yet (`given` None), or with what was answered."""

    question: Question
    given: int | None
    right: bool


def _question_row(question: Question, given: Any) -> QuestionRow:
    is_known = isinstance(given, int) and given < len(question.answers)
    return QuestionRow(
        question, given if is_known else None, bool(is_known and question.answers[given].right)
    )


@dataclass(frozen=True, slots=True)
class Row:
    """One lab on the map of the course, with the visitor's place in it."""

    lesson: Lesson
    step: str
    word: str
    begun: bool
    solved: bool
    answered: int
    right: int
    may_undo: bool
    proofs: list[Standing]


def current_step(mine: Progress) -> str:
    """The step at which a visitor is; the first, if it is none of today's."""
    return mine.step if mine.step in STEPS else next(iter(STEPS))


def row(lesson: Lesson, mine: Progress | None, may_undo: bool, proofs: list[Standing]) -> Row:
    """`mine` is None for a lab that was not begun."""
    mine = mine or Progress(lesson=lesson.name)
    step = current_step(mine)
    result = turned(lesson, mine)
    questions = [
        _question_row(question, mine.answers.get(question.name)) for question in lesson.questions
    ]
    return Row(
        lesson, step, STEPS[step], mine.pk is not None,
        result is not None and result.showed == NONE,
        sum(question.given is not None for question in questions),
        sum(question.right for question in questions), may_undo, proofs,
    )  # fmt: skip


def results(
    lesson: Lesson, experiment: Experiment, kept: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    """Prediction, result and explanation; only once there is a result."""
    if experiment.state != State.DONE:
        return {}
    outcomes = presentation.outcomes(experiment)
    rows = [
        _compared(lesson, prediction, kept.get(prediction.name, {}), outcomes[prediction.arm])
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
    lesson: Lesson, prediction: Prediction, kept: Mapping[str, str], outcome: Outcome
) -> Compared:
    answer, symptom = kept.get("answer", ""), lesson.symptom
    showed = outcome.answer(symptom) or ""
    words = symptom.answers()
    return Compared(
        prediction=prediction,
        arm=lesson.arm(prediction.arm),
        predicted=words.get(answer, answer),
        confidence=CONFIDENCES.get(kept.get("confidence", ""), ""),
        showed=showed,
        words=words.get(showed, ""),
        seen=count_in_words(symptom.count, outcome.counts.get(symptom.count)),
        acknowledged=count_in_words("ok", outcome.counts.get("ok")),
        right=right(lesson, prediction, answer, outcome) if answer else None,
    )


def count_in_words(count: str, value: int | None) -> str:
    """A count in words: `4,985`; a time in seconds; what was not judged is said to be so."""
    return sentences.seconds(value) if count.endswith("_ms") else sentences.number(value)


def html(lesson: Lesson, text: Text, outcomes: Mapping[str, Outcome]) -> SafeString:
    """A text of the house in the numbers of a run: nothing in it was typed by a visitor."""

    def showed(arm: str) -> bool | None:
        answer = outcomes.get(arm, _UNJUDGED).answer(lesson.symptom)
        return None if answer is None else answer == "some"

    def value(arm: str, count: str) -> str:
        return count_in_words(count, outcomes[arm].counts.get(count))

    return mark_safe(text.html(showed, value))  # noqa: S308


def after(lesson: Lesson) -> Lesson | None:
    """The lab that follows in the course; None after the last."""
    return next((other for other in all_lessons() if other.order > lesson.order), None)


def take_home(lesson: Lesson) -> list[tuple[str, str, str]]:
    """The settings of the solution that one may keep: (part, key, value).

    What the story alone needs is left out, as an outage or a timer that is short so that a lab
    takes seconds: what the solution does not set itself, and the advisor never recommends.
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


def _steps(lesson: Lesson, mine: Progress, current: str) -> list[tuple[str, str, bool, bool]]:
    """Each step: its address, its word, whether it is done, whether it is the current one."""
    reached = list(STEPS).index(mine.step)
    return [
        (_url(lesson, name), word, index < reached and name != current, name == current)
        for index, (name, word) in enumerate(STEPS.items())
    ]
