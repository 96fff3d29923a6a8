"""Each lab is what it says, on real brokers: the first one by day, all others by night, when a
browser goes through the first one, too (tests/browser/test_lesson.py)."""

from __future__ import annotations

import pytest

from labs.evidence.lesson_proofs import count, proofs_of, staged
from labs.lessons import Lesson, all_lessons
from tests.cluster.conftest import Run

pytestmark = [pytest.mark.whole, pytest.mark.spark, pytest.mark.timeout(1800)]
LESSONS = [
    pytest.param(lesson, id=lesson.name, marks=() if lesson.order == 1 else pytest.mark.thorough)
    for lesson in all_lessons()
]


@pytest.mark.parametrize("lesson", LESSONS)
def test_story_and_tempting_answer_show_the_symptom_and_the_solution_does_not(
    lesson: Lesson, run: Run
) -> None:
    proofs = proofs_of(lesson)
    arms, _ = run(staged(lesson, proofs, seed=1))
    for proof in proofs:
        count(lesson, proof, arms[proof.arm])
    assert not [(proof.role, proof.reasons) for proof in proofs if not proof.is_proven]
