"""A class that takes a lab together: its steps, its distribution of answers, its table.

Pure: the pupils, their answers and the result of the run are arguments.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

from labs.lessons.model import CONFIDENCES, Arm, Lesson, Outcome, Prediction, Question, right

OPEN_FOR = timedelta(hours=24)
"""The time after which an open room closes automatically."""
KEPT_FOR = timedelta(days=7)
"""The time after its opening when a room is removed, with all nicknames and answers."""
MOST_PUPILS = 60
LONGEST_NICKNAME = 24

StoredPredictions = Mapping[str, Mapping[str, str]]
"""Prediction → its `answer` and its `confidence`."""

_INVISIBLE = ("C", "Zl", "Zp")
"""Unicode categories that a nickname may not have: controls, formats (which change the direction of
text), unassigned characters, and line separators."""
_FORMULA = tuple("=+-@|\t\r\n＝＋－＠")


class Stage(StrEnum):
    """The stage of a class."""

    PREDICT = "predict"
    PREDICTED = "predicted"
    RUN = "run"
    QUESTION = "question"
    EXPLAIN = "explain"


class NotYet(Exception):
    """The class cannot move on; the message says what is missing."""


class BadNickname(ValueError):
    """The nickname is invalid; the message says why, and what is valid."""


@dataclass(frozen=True, slots=True)
class Place:
    """The stage of a class; in `QUESTION`, the question, and whether its answer is shown."""

    stage: Stage
    question: int = 0
    revealed: bool = False

    def forward(self, questions: int, *, has_result: bool) -> Place:
        """Returns the next place in a lab with `questions` questions.

        Only the start of the run leads on from `PREDICTED`. Raises `NotYet`.
        """
        if self.stage is Stage.PREDICT:
            return Place(Stage.PREDICTED)
        if self.stage is Stage.PREDICTED:
            raise NotYet("The run comes next: start it.")
        if self.stage is Stage.RUN:
            if not has_result:
                raise NotYet("The run has no result yet.")
            return Place(Stage.QUESTION) if questions else Place(Stage.EXPLAIN)
        if self.stage is Stage.QUESTION and not self.revealed:
            return Place(Stage.QUESTION, self.question, revealed=True)
        if self.stage is Stage.QUESTION and self.question + 1 < questions:
            return Place(Stage.QUESTION, self.question + 1)
        return Place(Stage.EXPLAIN)


@dataclass(frozen=True, slots=True)
class Member:
    """One pupil: predictions as stored, and the index of the answer to each question."""

    nickname: str
    predictions: StoredPredictions = field(default_factory=dict)
    answers: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bar:
    """One answer: how often it was chosen, in total and by confidence, and whether it is right.

    `share` is the percentage of all who answered. `is_right` is None as long as it is unknown.
    """

    words: str
    count: int
    share: int
    sure: Mapping[str, int]
    is_right: bool | None


@dataclass(frozen=True, slots=True)
class Spread:
    """The class's answers to one prediction; `right` is None if the arm was not judged."""

    prediction: Prediction
    arm: Arm
    answered: int
    bars: tuple[Bar, ...]
    right: int | None


def nickname(text: str) -> str:
    """Returns a nickname as stored: one space between words. Raises `BadNickname`."""
    if any(unicodedata.category(name).startswith(_INVISIBLE) for name in text):
        raise BadNickname("A nickname has no control characters and no invisible ones.")
    words = unicodedata.normalize("NFC", " ".join(text.split()))
    if not 1 <= len(words) <= LONGEST_NICKNAME:
        raise BadNickname(f"A nickname has 1 to {LONGEST_NICKNAME} characters, not {len(words)}.")
    if not any(unicodedata.category(name)[0] in "LN" for name in words):
        raise BadNickname("A nickname has at least one letter or digit.")
    return words


def nickname_key(text: str) -> str:
    """Returns a key that is the same for similar nicknames: upper or lower case, wide or narrow."""
    return unicodedata.normalize("NFKC", text).casefold()[: 8 * LONGEST_NICKNAME]


def code(text: str) -> str:
    """Returns the code of a room from typed text: `ABCD-EFGH ` → `abcdefgh`.

    >>> code(" ABCD-efgh"), code("a\\0b")
    ('abcdefgh', 'ab')
    """
    return re.sub(r"[^a-z0-9]", "", text.lower())


def spreads(
    lesson: Lesson, members: Sequence[Member], outcomes: Mapping[str, Outcome]
) -> list[Spread]:
    """Returns the class's answers to each prediction; `outcomes` is empty before the result."""
    return [
        _spread(lesson, prediction, members, outcomes.get(prediction.arm))
        for prediction in lesson.predictions
    ]


def _spread(
    lesson: Lesson, prediction: Prediction, members: Sequence[Member], outcome: Outcome | None
) -> Spread:
    rows = [member.predictions[prediction.name] for member in members
            if prediction.name in member.predictions]  # fmt: skip
    count = outcome.counts.get(lesson.symptom.count) if outcome else None
    actual = outcome.answer(lesson.symptom) if outcome else None
    if prediction.kind == "number":
        answers = [(_size(row["answer"]), row.get("confidence", "")) for row in rows]
        correct = None if actual is None or count is None else _size(str(count))
        words = {name: _sizes(name) for name in sorted({*dict(answers), *filter(None, [correct])})}
    else:
        answers = [(row["answer"], row.get("confidence", "")) for row in rows]
        correct, words = actual, dict(lesson.symptom.answers())
    judged = [right(lesson, prediction, row["answer"], outcome) for row in rows if outcome]
    came_true = None if actual is None else sum(flag is True for flag in judged)
    bars = _bars(words, answers, correct)
    return Spread(prediction, lesson.arm(prediction.arm), len(rows), bars, came_true)


def _bars(
    words: Mapping[str, str], answers: Sequence[tuple[str, str]], correct: str | None
) -> tuple[Bar, ...]:
    counted = Counter(answers)
    by_answer = Counter(answer for answer, _ in answers)
    return tuple(
        Bar(
            text,
            by_answer[answer],
            round(100 * by_answer[answer] / len(answers)) if answers else 0,
            {words: counted[answer, sure] for sure, words in CONFIDENCES.items()
             if counted[answer, sure]},
            None if correct is None else answer == correct,
        )
        for answer, text in words.items()
    )  # fmt: skip


def _size(number: str) -> str:
    """Returns the number of digits as text that sorts; 0 has none."""
    digits = number.lstrip("0") if number.isdecimal() else ""
    return f"{len(digits):02}"


def _sizes(size: str) -> str:
    digits = int(size)
    if digits <= 1:
        return "0" if digits == 0 else "1 to 9"
    return f"{10 ** (digits - 1):,} to {10**digits - 1:,}"


def answered(question: Question, members: Iterable[Member]) -> tuple[Bar, ...]:
    """Returns the class's answers to a question, in the order of `Question.shown`."""
    by_index = Counter(member.answers.get(question.name) for member in members)
    del by_index[None]
    total = sum(by_index[place] for place in range(len(question.answers)))
    return tuple(
        Bar(answer.text, by_index[place], round(100 * by_index[place] / total) if total else 0, {},
            answer.right)
        for place, answer in question.shown
    )  # fmt: skip


def table(lesson: Lesson, members: Sequence[Member], outcomes: Mapping[str, Outcome]) -> str:
    """Returns the class as CSV for spreadsheets, one row per pupil, without formulas."""
    head = ["nickname"]
    for prediction in lesson.predictions:
        unit = " (number)" if prediction.kind == "number" else ""
        name = f"{lesson.arm(prediction.arm).label}{unit}"
        head += [f"predicted: {name}", f"confidence: {name}", f"came true: {name}"]
    for question in lesson.questions:
        head += [f"answer: {question.ask}", f"right: {question.ask}"]
    rows = [_row(lesson, member, outcomes) for member in members]
    output = io.StringIO()
    csv.writer(output).writerows([defused(cell) for cell in row] for row in [head, *rows])
    return output.getvalue()


def _row(lesson: Lesson, member: Member, outcomes: Mapping[str, Outcome]) -> list[str]:
    words, cells = lesson.symptom.answers(), [member.nickname]
    for prediction in lesson.predictions:
        answers, outcome = member.predictions.get(prediction.name), outcomes.get(prediction.arm)
        if answers is None:
            cells += ["", "", ""]
            continue
        came_true = right(lesson, prediction, answers["answer"], outcome) if outcome else None
        confidence = CONFIDENCES.get(answers.get("confidence", ""), "")
        cells += [words.get(answers["answer"], answers["answer"]), confidence, _yes(came_true)]
    for question in lesson.questions:
        place = member.answers.get(question.name)
        is_valid = place is not None and 0 <= place < len(question.answers)
        answer = question.answers[place] if is_valid and place is not None else None
        cells += [answer.text, _yes(answer.right)] if answer else ["", ""]
    return cells


def _yes(flag: bool | None) -> str:
    return "" if flag is None else "yes" if flag else "no"


def defused(cell: str) -> str:
    """Returns a cell with an apostrophe before it if a spreadsheet would run it as a formula.

    >>> defused("=1+1"), defused(" @x"), defused("Ann")
    ("'=1+1", "' @x", 'Ann')
    """
    return f"'{cell}" if cell.lstrip(" \u00a0").startswith(_FORMULA) else cell
