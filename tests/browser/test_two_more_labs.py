"""Two more labs in a real Chromium and on real brokers, besides that of `test_lesson`.

The predictions, changes and answers come from the definition of each lab.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from labs.lessons import Lesson, find
from tests.browser.conftest import assert_usable_when_narrow
from tests.browser.whole import VERDICT_LIMIT_MS, expect_grade, lab

__all__ = ["lab"]

pytestmark = [
    pytest.mark.whole, pytest.mark.stack, pytest.mark.thorough, pytest.mark.timeout(1500),
]  # fmt: skip
LABS = ("retries-duplicate", "commit-before-or-after")


def predict(page: Page, lesson: Lesson) -> None:
    """Predicts the symptom in the story's arm, and in no other."""
    labels = lesson.symptom.answers()
    for prediction in lesson.predictions:
        arm_group = page.get_by_role("group", name=lesson.arm(prediction.arm).label)
        expected = labels["some" if prediction.arm == lesson.symptom.arm else "none"]
        arm_group.get_by_label(expected).check()
        arm_group.get_by_label("I am sure").check()
    page.get_by_role("button", name="Keep my prediction").click()


def answer(page: Page, lesson: Lesson) -> None:
    """Answers every question correctly."""
    for question in lesson.questions:
        right = next(answer.text for answer in question.answers if answer.right)
        section = page.locator(f"#{question.name}")
        section.get_by_label(right, exact=True).check()
        section.get_by_role("button", name="Answer").click()
        expect(page.locator(f"#{question.name}")).to_contain_text("Right.")


@pytest.mark.parametrize("lesson", [find(name) for name in LABS], ids=LABS)
def test_a_lab_from_the_map_to_the_settings(page: Page, lab: str, lesson: Lesson) -> None:
    page.goto(f"{lab}/learn/")
    page.get_by_role("link", name=f"Begin with {lesson.title}").click()
    page.get_by_role("button", name="Go on").click()
    predict(page, lesson)
    page.get_by_role("button", name="Run it").click()
    expect(page.get_by_role("heading", name="While it runs")).to_be_visible()
    compare = page.get_by_role("button", name="Compare it with your prediction")
    compare.click(timeout=VERDICT_LIMIT_MS)

    count = len(lesson.predictions)
    right = page.get_by_role("heading", name=f"{count} of {count} predictions right")
    expect(right).to_be_visible()
    expect(page.locator("#replay")).to_be_visible()
    assert_usable_when_narrow(page)
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_text("could not be judged")).to_have_count(0)
    page.get_by_role("button", name="Go on").click()

    page.get_by_label(lesson.solution.label, exact=True).check()
    page.get_by_label(lesson.symptom.none).check()
    page.get_by_label("I am sure").check()
    page.get_by_role("button", name="Run it on real brokers").click()
    expect_grade(page, "With your change this run did not show it.")
    expect(page.locator("#graded")).to_contain_text(lesson.solution.why)
    page.get_by_role("button", name="Go on").click()
    answer(page, lesson)
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("region", name="Settings", exact=True)).to_be_visible()
    page.goto(f"{lab}/learn/")
    lab_entry = page.locator(f"#lab-{lesson.order}")
    expect(lab_entry).to_contain_text("you are at “Take home” · your turn is solved")
    question_count = len(lesson.questions)
    expect(lab_entry).to_contain_text(f"{question_count} of {question_count} questions right")
