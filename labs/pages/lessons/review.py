"""The review: wrong answers of the course are asked again some days later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from labs.lessons import CONFIDENCES, Lesson, Question, find, right
from labs.lessons.review import Miss, due
from labs.models import Progress
from labs.pages.lessons.confidence import Judged, judged
from labs.pages.lessons.pages import count_in_words
from labs.pages.parameters import whole_number


@dataclass(frozen=True, slots=True)
class Card:
    """A prediction or question to ask again; `choices` is empty if the answer is a number.

    `step` is where the lab explains it. `given_answer` is the first answer, with `confidence`.
    """

    miss: Miss
    lesson: Lesson
    progress: Progress
    ask: str
    label: str
    choices: tuple[tuple[str, str], ...]
    given_answer: str
    confidence: str
    step: str
    true: str
    why: str
    judged: Judged | None = None
    question: Question | None = None

    @property
    def name(self) -> str:
        return f"{self.miss.lesson}/{self.miss.item}"

    def is_answer(self, text: str) -> bool:
        """Whether the text is an answer to it, right or wrong."""
        if self.choices:
            return text in dict(self.choices)
        return whole_number(text) is not None

    def is_right(self, text: str) -> bool:
        """Whether an answer is right, according to the run or to the lab."""
        if self.question is not None:
            return self.question.answers[int(text)].right
        seen = self.judged
        return seen is not None and right(self.lesson, seen.prediction, text, seen.outcome) is True

    @property
    def given(self) -> str:
        """The last answer in a review, in words; empty without one."""
        text = str(self.progress.reviews.get(self.miss.item, {}).get("given", ""))
        return dict(self.choices).get(text, text) if self.is_answer(text) else ""

    @property
    def was_right(self) -> bool:
        """Whether the last answer in a review was right."""
        return self.miss.times_right > 0


def cards(progress: Sequence[Progress]) -> list[Card]:
    """Returns a card for everything that was wrong in the visitor's labs."""
    return [card for item in progress for card in _cards(item)]


def due_now(cards: Sequence[Card]) -> list[Card]:
    """Returns the cards to ask now, the worst first."""
    by_miss = {(card.miss.lesson, card.miss.item): card for card in cards}
    return [by_miss[miss.lesson, miss.item]
            for miss in due([card.miss for card in cards], timezone.now())]  # fmt: skip


def answer(card: Card, text: str) -> None:
    """Stores the answer to a due card, which comes back later, or sooner if it is wrong."""
    times = card.miss.times_right + 1 if card.is_right(text) else 0
    entry = {"at": timezone.now().isoformat(), "right": times, "given": text}
    card.progress.reviews = {**card.progress.reviews, card.miss.item: entry}
    card.progress.save(update_fields=["reviews"])


def missed(progress: Progress, question: str) -> dict[str, Any]:
    """Returns the reviews of a visitor after a wrong answer to a question."""
    entry = {"at": timezone.now().isoformat(), "right": 0}
    return {**progress.reviews, f"question:{question}": entry}


def _cards(progress: Progress) -> Iterator[Card]:
    try:
        lesson = find(progress.lesson)
    except LookupError:
        return
    for judgement in judged(lesson, progress):
        if not judgement.came_true and judgement.at is not None:
            yield _prediction_card(lesson, progress, judgement, judgement.at)
    for question in lesson.questions:
        place, review = (
            progress.answers.get(question.name),
            progress.reviews.get(f"question:{question.name}"),
        )
        if review is None or place is None or place >= len(question.answers):
            continue
        if not question.answers[place].right:
            yield _question_card(lesson, progress, question, place)


def _miss(progress: Progress, item: str, confidence: str, at: datetime) -> Miss:
    review = progress.reviews.get(item, {})
    since = datetime.fromisoformat(review["at"]) if "at" in review else at
    return Miss(progress.lesson, item, confidence, since, int(review.get("right", 0)))


def _prediction_card(lesson: Lesson, progress: Progress, seen: Judged, at: datetime) -> Card:
    prediction, symptom = seen.prediction, lesson.symptom
    words = dict(symptom.answers())
    item = f"{'turn' if seen.is_turn else 'prediction'}:{prediction.name}"
    number = count_in_words(symptom.count, seen.outcome.counts.get(symptom.count))
    arm = lesson.arm(prediction.arm)
    return Card(
        _miss(progress, item, seen.confidence, at), lesson, progress,
        prediction.question or lesson.question, arm.label,
        () if prediction.kind == "number" else tuple(words.items()),
        words.get(seen.answer, seen.answer), CONFIDENCES.get(seen.confidence, ""),
        "your-turn" if seen.is_turn else "explain",
        f"{words[seen.outcome.answer(symptom) or '']}: {symptom.words}, {number}",
        arm.why or arm.meaning, judged=seen,
    )  # fmt: skip


def _question_card(lesson: Lesson, progress: Progress, question: Question, place: int) -> Card:
    item = f"question:{question.name}"
    correct = next(option for option in question.answers if option.right)
    return Card(
        _miss(progress, item, "", timezone.now()), lesson, progress, question.ask, "",
        tuple((str(place), option.text) for place, option in question.shown),
        question.answers[place].text, "", "why", correct.text, correct.why, question=question,
    )  # fmt: skip
