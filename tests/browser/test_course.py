"""A lab and the map of the course: wide and narrow, light and dark, and by keyboard alone."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from labs.lessons import Lesson, all_lessons, find
from labs.models import Experiment
from tests.browser.conftest import overflowing
from tests.browser.predictions import begin_and_predict
from tests.browser.test_look import look, styled_page
from tests.labs.pages.test_lesson_views import NAME, finish

__all__ = ["styled_page"]


def check_and_finish(page: Page, **verdicts: str) -> None:
    """Checks a running experiment and finishes it; the text to read meanwhile then disappears."""
    reading = page.get_by_role("heading", name="While it runs")
    expect(reading).to_be_visible()
    look(page, "lab-waiting")
    finish(Experiment.objects.latest("pk"), **verdicts)
    expect(reading).not_to_be_attached()


def start_over_after_the_solution(page: Page) -> None:
    """Shows the solution, starts the lab over, and predicts once more."""
    page.goto(f"/learn/{NAME}/your-turn/")
    page.locator("summary", has_text="Show the solution").click()
    page.get_by_role("button", name="Start this lab over").click()
    expect(page.get_by_text("This lab starts over.")).to_be_visible()
    expect(page.get_by_role("region", name="Story")).to_be_visible()
    begin_and_predict(page)
    expect(page.get_by_role("button", name="Run it")).to_be_visible()


def test_a_lab_from_its_story_to_the_settings(styled_page: Page, live_server: LiveServer) -> None:
    page = styled_page
    page.goto(f"/learn/{NAME}/story/")
    expect(page.get_by_role("img", name=re.compile("^The leader's log"))).to_be_visible()
    look(page, "lab-story")
    begin_and_predict(page)
    page.get_by_role("button", name="Run it").click()
    check_and_finish(page, acks_0="broken", acks_1="broken")
    for step in ("predict", "see", "explain", "your-turn", "take-home"):
        page.goto(f"/learn/{NAME}/{step}/")
        look(page, f"lab-{step}")

    page.goto(f"/learn/{NAME}/your-turn/")
    page.get_by_label("min.insync.replicas=3").check()
    page.get_by_label("None is lost").check()
    page.get_by_label("I guess").check()
    page.get_by_role("button", name="Run it on real brokers").click()
    check_and_finish(page, min_isr_3="broken")
    page.get_by_role("link", name="Try another change").click()
    expect(page.get_by_role("heading", name="Try another change")).to_be_visible()
    expect(page.locator("#graded")).to_contain_text("Not yet")
    for hint in ("A hint", "Another hint", "The last hint", "Show the solution"):
        page.locator("summary", has_text=hint).first.click()
    expect(page.get_by_text(find(NAME).turn.hints[2])).to_be_visible()
    look(page, "lab-graded")

    page.goto(f"/learn/{NAME}/why/")
    look(page, "lab-asked")
    question = find(NAME).questions[0]
    section = page.locator(f"#{question.name}")
    section.get_by_label(question.answers[0].text).check()
    section.get_by_role("button", name="Answer").click()
    expect(page.locator(f"#{question.name}")).to_contain_text(question.answers[1].why)
    look(page, "lab-answered")

    page.goto("/learn/")
    expect(page.get_by_role("region", name="Confidence and results")).to_contain_text("I am sure")
    look(page, "lab-map")
    start_over_after_the_solution(page)


@pytest.mark.thorough
@pytest.mark.parametrize("lesson", all_lessons(), ids=lambda lesson: lesson.name)
def test_every_lab_fits_every_screen(
    styled_page: Page, live_server: LiveServer, lesson: Lesson
) -> None:
    for step in ("story", "predict", "your-turn", "why", "take-home"):
        styled_page.goto(f"/learn/{lesson.name}/{step}/")
        look(styled_page, f"{lesson.order:02}-{step}")


def test_an_arm_with_a_long_name_fits_a_phone(page: Page, live_server: LiveServer) -> None:
    lesson = find("unclean-election")
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(f"/learn/{lesson.name}/predict/")
    for prediction in lesson.predictions:
        arm_group = page.get_by_role("group", name=lesson.arm(prediction.arm).label)
        arm_group.get_by_label(lesson.symptom.none).check()
        arm_group.get_by_label("I guess").check()
    page.get_by_role("button", name="Keep my prediction").click()
    page.get_by_role("button", name="Run it").click()
    expect(page.get_by_role("heading", name="While it runs")).to_be_visible()
    assert overflowing(page) == []
    finish(Experiment.objects.latest("pk"), any_replica="broken")
    page.goto(f"/learn/{lesson.name}/see/")
    assert overflowing(page) == []


def test_predictions_are_made_by_keyboard(page: Page, live_server: LiveServer) -> None:
    page.goto(f"/learn/{NAME}/predict/")
    first = page.get_by_role("group", name="acks=0").get_by_label("None is lost")
    first.focus()
    page.keyboard.press("Space")
    expect(first).to_be_checked()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("group", name="acks=0").get_by_label("Some are lost")).to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.get_by_role("group", name="acks=0").get_by_label("I am sure")).to_be_checked()


@pytest.mark.thorough
def test_wrong_predictions_are_asked_again(styled_page: Page, live_server: LiveServer) -> None:
    page = styled_page
    begin_and_predict(page)
    page.get_by_role("button", name="Run it").click()
    finish(Experiment.objects.latest("pk"))  # nothing was lost: two of three did not come true
    Experiment.objects.update(ended_at=timezone.now() - timedelta(days=3))
    page.goto("/learn/")
    expect(page.locator("#due")).to_contain_text("2 things")
    look(page, "review-map")
    page.get_by_role("link", name="Look at them again").click()
    look(page, "review")
    card = page.get_by_role("form").first
    card.get_by_label("None is lost").check()
    card.get_by_role("button", name="Answer").click()
    expect(page.locator("#shown")).to_contain_text("Right this time.")
    look(page, "review-answered")


@pytest.mark.thorough
def test_the_timeout_lab_shows_its_drawing(styled_page: Page, live_server: LiveServer) -> None:
    page, lesson = styled_page, find("what-a-timeout-does-not-tell")
    page.goto(f"/learn/{lesson.name}/run/")
    page.get_by_role("button", name="Run it").click()
    finish(Experiment.objects.latest("pk"))
    page.goto(f"/learn/{lesson.name}/explain/")
    expect(page.get_by_role("img", name=re.compile("^Step by step: one message"))).to_be_visible()
    look(page, "04-explain")
