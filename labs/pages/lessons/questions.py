"""The difficulty and discrimination of each question of the course, for authors of labs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import StatisticsError, correlation, fmean

from django.db.models import F

from labs.lessons import Lesson, Question
from labs.models import Progress, Pupil

_FEWEST = 3
"""With fewer visitors, a correlation is noise and is not shown."""
_ENOUGH = 10
"""With fewer answers, there is no remark."""
_EASY, _FLAT = 0.95, 0.1
"""A question is uninformative above this share of right answers, or below this separation."""

Answers = Mapping[tuple[str, str], int]
"""(lesson, question) → the index of one visitor's first answer."""
Key = Mapping[tuple[str, str], Question]


@dataclass(frozen=True, slots=True)
class Statistics:
    """The statistics of a question: answers, the share of right ones, and the separation.

    `separation` is the correlation of a right answer with the share of the visitor's other answers
    that are right: near 1, the question shows who has understood; near 0, it shows nothing; below
    0, it is probably misread. It is None if there are too few visitors, or if they do not differ.
    `tempting` is the text of the most frequent wrong answer, and `unchosen` has those that nobody
    chose; both are empty without an answer.
    """

    lesson: str
    question: str
    answered: int
    right: float | None
    separation: float | None
    tempting: str = ""
    unchosen: tuple[str, ...] = ()

    @property
    def remark(self) -> str:
        """A hint for the author; empty if there is nothing unusual."""
        if self.right is None or self.answered < _ENOUGH:
            return ""
        if self.separation is not None and self.separation < 0:
            return "is it misread? who knows more misses it"
        if self.right > _EASY:
            return "too easy to tell anything"
        if self.separation is not None and self.separation < _FLAT:
            return "hardly separates"
        return f"{len(self.unchosen)} of its answers chosen by nobody" if self.unchosen else ""


def statistics(lessons: Iterable[Lesson]) -> list[Statistics]:
    """Returns a row for each question, in the order of the course, over visitors and classes."""
    key = {
        (lesson.name, question.name): question
        for lesson in lessons
        for question in lesson.questions
    }
    visitors = _first_answers(key)
    return [_statistics(name, key, visitors) for name in key]


def _first_answers(key: Key) -> list[Answers]:
    """Returns the first answers of each visitor, alone or in a class.

    After a restart of a lab the explanations are known, so the progress set aside counts.
    """
    results: dict[str, dict[tuple[str, str], int]] = defaultdict(dict)
    for visitor, lesson, answers in _stored_answers():
        for question, place in answers.items():
            existing = key.get((lesson, question))
            if existing is not None and place < len(existing.answers):
                results[visitor].setdefault((lesson, question), place)
    return list(results.values())


def _stored_answers() -> Iterator[tuple[str, str, Mapping[str, int]]]:
    """Yields (visitor, lesson, answers), beginning with progress that was set aside."""
    alone = Progress.objects.exclude(answers={}).order_by(F("reset_at").asc(nulls_last=True), "pk")
    yield from alone.values_list("visitor", "lesson", "answers")
    pupils = Pupil.objects.exclude(answers={}).order_by("pk")
    yield from pupils.values_list("visitor", "classroom__lesson", "answers")


def _statistics(name: tuple[str, str], key: Key, visitors: Iterable[Answers]) -> Statistics:
    question, with_answer = key[name], [answers for answers in visitors if name in answers]
    places = Counter(answers[name] for answers in with_answer)
    wrong = [place for place, answer in enumerate(question.answers) if not answer.right]
    most = max(wrong, key=lambda place: places[place])
    right = [_is_right(key, name, answers) for answers in with_answer]
    pairs = [
        (is_right, fmean(_is_right(key, item, answers) for item in answers if item != name))
        for answers, is_right in zip(with_answer, right, strict=True)
        if len(answers) > 1
    ]
    return Statistics(
        *name, len(with_answer), fmean(right) if right else None, _correlation(pairs),
        question.answers[most].text if places[most] else "",
        tuple(question.answers[place].text for place in wrong if with_answer and not places[place]),
    )  # fmt: skip


def _is_right(key: Key, name: tuple[str, str], answers: Answers) -> float:
    return float(key[name].answers[answers[name]].right)


def _correlation(pairs: list[tuple[float, float]]) -> float | None:
    if len(pairs) < _FEWEST:
        return None
    try:
        return correlation(*zip(*pairs, strict=True))
    except StatisticsError:
        return None  # all visitors were right, or all know the same
