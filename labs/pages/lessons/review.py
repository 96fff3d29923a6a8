"""The review: what a visitor got wrong in the course is asked again some days later."""

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
    """One thing that was wrong, as it is asked again; `choices` are empty where it is a number.

    `step` is where the lab explains it. `given_answer` was given then, with `confidence`.
    """

    miss: Miss
    lesson: Lesson
    mine: Progress
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
        """Whether the text answers it, rightly or not."""
        if self.choices:
            return text in dict(self.choices)
        return whole_number(text) is not None

    def is_right(self, text: str) -> bool:
        """Whether an answer is right, by the run or by the lab's key."""
        if self.question is not None:
            return self.question.answers[int(text)].right
        seen = self.judged
        return seen is not None and right(self.lesson, seen.prediction, text, seen.outcome) is True

    @property
    def given(self) -> str:
        """The last answer in a review, in words; empty without one."""
        text = str(self.mine.reviews.get(self.miss.item, {}).get("given", ""))
        return dict(self.choices).get(text, text) if self.is_answer(text) else ""

    @property
    def was_right(self) -> bool:
        """Whether that was right."""
        return self.miss.times_right > 0


def cards(progress: Sequence[Progress]) -> list[Card]:
    """Everything that was wrong in the labs that the visitor went through."""
    return [card for mine in progress for card in _cards(mine)]


def due_now(cards: Sequence[Card]) -> list[Card]:
    """The questions to ask now, the worst first."""
    by_miss = {(card.miss.lesson, card.miss.item): card for card in cards}
    return [by_miss[miss.lesson, miss.item]
            for miss in due([card.miss for card in cards], timezone.now())]  # fmt: skip


def answer(card: Card, text: str) -> None:
    """Keeps the answer to a card that is due; it comes back later, or sooner if it is wrong."""
    times = card.miss.times_right + 1 if card.is_right(text) else 0
    kept = {"at": timezone.now().isoformat(), "right": times, "given": text}
    card.mine.reviews = {**card.mine.reviews, card.miss.item: kept}
    card.mine.save(update_fields=["reviews"])


def missed(mine: Progress, question: str) -> dict[str, Any]:
    """The reviews of a visitor who has just answered a question wrongly."""
    entry = {"at": timezone.now().isoformat(), "right": 0}
    return {**mine.reviews, f"question:{question}": entry}


def _cards(mine: Progress) -> Iterator[Card]:
    try:
        lesson = find(mine.lesson)
    except LookupError:
        return
    for judgement in judged(lesson, mine):
        if not judgement.came_true and judgement.at is not None:
            yield _of_prediction(lesson, mine, judgement, judgement.at)
    for question in lesson.questions:
        place, kept = mine.answers.get(question.name), mine.reviews.get(f"question:{question.name}")
        if kept is None or place is None or place >= len(question.answers):
            continue
        if not question.answers[place].right:
            yield _of_question(lesson, mine, question, place)


def _miss(mine: Progress, item: str, confidence: str, at: datetime) -> Miss:
    kept = mine.reviews.get(item, {})
    since = datetime.fromisoformat(kept["at"]) if "at" in kept else at
    return Miss(mine.lesson, item, confidence, since, int(kept.get("right", 0)))


def _of_prediction(lesson: Lesson, mine: Progress, seen: Judged, at: datetime) -> Card:
    prediction, symptom = seen.prediction, lesson.symptom
    words = dict(symptom.answers())
    item = f"{'turn' if seen.is_turn else 'prediction'}:{prediction.name}"
    number = count_in_words(symptom.count, seen.outcome.counts.get(symptom.count))
    arm = lesson.arm(prediction.arm)
    return Card(
        _miss(mine, item, seen.confidence, at), lesson, mine,
        prediction.question or lesson.question, arm.label,
        () if prediction.kind == "number" else tuple(words.items()),
        words.get(seen.answer, seen.answer), CONFIDENCES.get(seen.confidence, ""),
        "your-turn" if seen.is_turn else "explain",
        f"{words[seen.outcome.answer(symptom) or '']}: {symptom.words}, {number}",
        arm.why or arm.meaning, judged=seen,
    )  # fmt: skip


def _of_question(lesson: Lesson, mine: Progress, question: Question, place: int) -> Card:
    item = f"question:{question.name}"
    right_one = next(option for option in question.answers if option.right)
    return Card(
        _miss(mine, item, "", timezone.now()), lesson, mine, question.ask, "",
        tuple((str(place), option.text) for place, option in question.shown),
        question.answers[place].text, "", "why", right_one.text, right_one.why, question=question,
    )  # fmt: skip
