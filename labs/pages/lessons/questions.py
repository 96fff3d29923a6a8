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
"""With fewer visitors a correlation is noise, and none is shown."""
_ENOUGH = 10
"""With fewer answers nothing is remarked."""
_EASY, _FLAT = 0.95, 0.1
"""Above this share of right answers, and below this separation, a question tells little."""

Given = Mapping[tuple[str, str], int]
"""(lesson, question) → the place of one visitor's first answer."""
Key = Mapping[tuple[str, str], Question]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of one question: who answered, the share that was right, and how well it separates.

    `separation` is the correlation of a right answer with the share of that visitor's other answers
    that are right: near 1 it tells who understood, near 0 it tells nothing, below 0 it is likely to
    be misread. None where there are too few visitors, or they do not differ. `tempting` is the
    wrong answer that most gave, and `unchosen` are those that nobody gave, each as its text; both
    are empty without an answer.
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
        """What an author may want to look at; empty where nothing stands out."""
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
    """A row for each question, in the order of the course, over all visitors and classes."""
    key = {
        (lesson.name, question.name): question
        for lesson in lessons
        for question in lesson.questions
    }
    visitors = _answers(key)
    return [_of(name, key, visitors) for name in key]


def _answers(key: Key) -> list[Given]:
    """What each visitor first answered, alone or in a class.

    Who starts a lab over has read the explanations, so what was put aside is what counts.
    """
    results: dict[str, dict[tuple[str, str], int]] = defaultdict(dict)
    for visitor, lesson, answers in _kept():
        for question, place in answers.items():
            asked = key.get((lesson, question))
            if asked is not None and place < len(asked.answers):
                results[visitor].setdefault((lesson, question), place)
    return list(results.values())


def _kept() -> Iterator[tuple[str, str, Mapping[str, int]]]:
    """(visitor, lesson, answers), what was put aside first."""
    alone = Progress.objects.exclude(answers={}).order_by(F("reset_at").asc(nulls_last=True), "pk")
    yield from alone.values_list("visitor", "lesson", "answers")
    pupils = Pupil.objects.exclude(answers={}).order_by("pk")
    yield from pupils.values_list("visitor", "classroom__lesson", "answers")


def _of(name: tuple[str, str], key: Key, visitors: Iterable[Given]) -> Statistics:
    question, own = key[name], [given for given in visitors if name in given]
    places = Counter(given[name] for given in own)
    wrong = [place for place, answer in enumerate(question.answers) if not answer.right]
    most = max(wrong, key=lambda place: places[place])
    right = [_is_right(key, name, given) for given in own]
    pairs = [
        (mine, fmean(_is_right(key, other, given) for other in given if other != name))
        for given, mine in zip(own, right, strict=True)
        if len(given) > 1
    ]
    return Statistics(
        *name, len(own), fmean(right) if right else None, _correlation(pairs),
        question.answers[most].text if places[most] else "",
        tuple(question.answers[place].text for place in wrong if own and not places[place]),
    )  # fmt: skip


def _is_right(key: Key, name: tuple[str, str], given: Given) -> float:
    return float(key[name].answers[given[name]].right)


def _correlation(pairs: list[tuple[float, float]]) -> float | None:
    if len(pairs) < _FEWEST:
        return None
    try:
        return correlation(*zip(*pairs, strict=True))
    except StatisticsError:
        return None  # all were right, or all know the same
