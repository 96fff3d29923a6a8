"""Each lab on real brokers shows what it promises.

They run in `make nightly`; the first lab runs in `make test` (test_experiment.py), and in
`make nightly` a browser goes through it (tests/browser/test_lesson.py).
"""

from __future__ import annotations

import pytest

from labs.evidence.lesson_proofs import count, new_proofs, staged
from labs.lessons import Lesson, all_lessons
from tests.cluster.conftest import Run

pytestmark = [
    pytest.mark.whole, pytest.mark.spark, pytest.mark.thorough, pytest.mark.timeout(1800),
]  # fmt: skip


@pytest.mark.parametrize("lesson", all_lessons()[1:], ids=lambda lesson: lesson.name)
def test_story_and_tempting_answer_show_the_symptom_and_the_solution_does_not(
    lesson: Lesson, run: Run
) -> None:
    proofs = new_proofs(lesson)
    arms, _ = run(staged(lesson, proofs, seed=1))
    for proof in proofs:
        count(lesson, proof, arms[proof.arm])
    assert not [(proof.role, proof.reasons) for proof in proofs if not proof.is_proven]
