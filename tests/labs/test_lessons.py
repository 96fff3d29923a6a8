"""Lessons as data: whole, honest when a run surprises, and known to the catalog."""

from __future__ import annotations

import itertools

import pytest

from advisor import services as advisor
from labs.engine.scenarios import find as find_scenario
from labs.lessons import Lesson, Outcome, all_lessons

LESSONS = pytest.mark.parametrize("lesson", all_lessons(), ids=lambda lesson: lesson.name)
OUTCOMES = (
    Outcome("broken", 10_000, 985), Outcome("holds", 10_000, 0), Outcome("unknown", None, None),
)  # fmt: skip


@LESSONS
def test_a_lesson_stages_a_scenario_that_exists_on_settings_that_the_catalog_takes(
    lesson: Lesson,
) -> None:
    find_scenario(lesson.scenario)
    for arm in lesson.arms:
        pipeline, problems = advisor.from_fields(arm.fields)
        assert pipeline is not None, problems
    assert lesson.arm(lesson.take_home) in lesson.arms


@LESSONS
def test_what_is_taken_home_gives_what_the_lesson_wants(lesson: Lesson) -> None:
    pipeline, _ = advisor.from_fields(lesson.arm(lesson.take_home).fields)
    assert pipeline is not None
    permitted = {
        anomaly
        for failure in advisor.advise(pipeline)["failures"]
        if failure["scenario"] == lesson.scenario
        for anomaly in failure["permits"]
    }
    assert "lost_write" not in permitted


@LESSONS
def test_the_explanation_holds_for_every_outcome_of_every_arm(lesson: Lesson) -> None:
    for outcomes in itertools.product(OUTCOMES, repeat=len(lesson.arms)):
        named = dict(zip((arm.name for arm in lesson.arms), outcomes, strict=True))
        passages = lesson.explain(named)
        text = " ".join(" ".join(passage.paragraphs) for passage in passages)
        assert text.count("could not be judged") == outcomes.count(OUTCOMES[2])
        assert text.count("985 of 10,000") == outcomes.count(OUTCOMES[0])
        assert "None" not in text


@LESSONS
def test_an_arm_that_is_missing_is_not_explained_as_a_result(lesson: Lesson) -> None:
    text = " ".join(" ".join(passage.paragraphs) for passage in lesson.explain({}))
    assert "could not be judged" in text


def test_lessons_have_different_names_and_places() -> None:
    lessons = all_lessons()
    assert len({lesson.name for lesson in lessons}) == len(lessons)
    assert len({lesson.order for lesson in lessons}) == len(lessons)
