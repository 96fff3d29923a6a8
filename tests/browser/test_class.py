"""A class room in a real Chromium: every state, and browsers that follow the teacher."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from labs.models import Classroom, Experiment, State
from tests.browser.predictions import predict
from tests.browser.test_look import look, styled_page
from tests.labs import make
from tests.labs.pages.test_lesson_views import NAME, finish

__all__ = ["styled_page"]


@pytest.fixture
def pupil(
    styled_page: Page, browser: Browser, browser_context_args: dict[str, Any]
) -> Iterator[Page]:
    """A page in a second browser with the same width and colour scheme."""
    dark = styled_page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    context = browser.new_context(
        **browser_context_args, viewport=styled_page.viewport_size,
        color_scheme="dark" if dark else "light",
    )  # fmt: skip
    yield context.new_page()
    context.close()


def open_room(page: Page) -> Classroom:
    page.goto(f"/class/?lab={NAME}")
    page.get_by_role("button", name="Open a room").click()
    expect(page.locator(".room-code")).to_be_visible()
    return Classroom.objects.get()


def join(page: Page, code: str, nickname: str) -> None:
    page.goto("/class/")
    page.get_by_label("Code of the room").fill(code)
    page.get_by_label("Nickname").fill(nickname)
    page.get_by_role("button", name="Join").click()


@pytest.mark.thorough
def test_a_class_in_every_state(styled_page: Page, pupil: Page, live_server: LiveServer) -> None:
    teacher = styled_page
    room = open_room(teacher)
    look(teacher, "class-empty")
    join(pupil, "nosuch22", "Ann")
    expect(pupil.get_by_role("alert")).to_contain_text("There is no room with this code")
    look(pupil, "class-wrong")
    join(pupil, room.code, "<b>Ann & a very long one")
    predict(pupil)
    expect(pupil.get_by_text("Your prediction is kept.")).to_be_visible()
    look(pupil, "class-predicting")
    expect(teacher.get_by_text("1 of 1 predicted").first).to_be_visible()
    expect(teacher.get_by_role("heading", name="1 joined, 1 here")).to_be_visible()
    look(teacher, "class-seats")
    run_experiment(teacher, pupil)
    ask_question(teacher, pupil)
    Classroom.objects.update(stage="explain", version=99)
    expect(pupil.get_by_role("heading", name="To take home")).to_be_visible()
    look(pupil, "class-explained")
    teacher.reload()
    teacher.get_by_role("button", name="Close the room").click()
    expect(pupil.locator("#closed")).to_be_visible()
    look(teacher, "class-closed")


def run_experiment(teacher: Page, pupil: Page) -> None:
    """Closes the predictions and starts the run, which first fails and then succeeds."""
    teacher.get_by_role("button", name="Close the predictions").click()
    expect(pupil.get_by_role("heading", name="How the class predicted")).to_be_visible()
    look(pupil, "class-predicted")
    teacher.get_by_role("button", name="Run it on real brokers").click()
    expect(pupil.get_by_role("heading", name="One run, on real brokers")).to_be_visible()
    look(pupil, "class-waiting")
    experiment = Experiment.objects.get()
    make.end(experiment, State.FAILED)
    expect(pupil.get_by_role("heading", name="The run reached no result")).to_be_visible()
    look(teacher, "class-failed")
    finish(experiment, acks_0="broken", acks_1="broken")
    expect(pupil.get_by_text("3 of 3 of your predictions came true")).to_be_visible()
    expect(teacher.get_by_role("button", name="On to the questions")).to_be_visible()
    look(pupil, "class-result-pupil")
    look(teacher, "class-result")


def ask_question(teacher: Page, pupil: Page) -> None:
    """Asks the first question and shows the right answer."""
    teacher.get_by_role("button", name="On to the questions").click()
    expect(pupil.get_by_role("button", name="Answer")).to_be_visible()
    look(pupil, "class-question")
    pupil.get_by_role("radio").first.check()
    pupil.get_by_role("button", name="Answer").click()
    expect(teacher.get_by_role("heading", name="Answers so far: 1 of 1")).to_be_visible()
    look(teacher, "class-answers")
    teacher.get_by_role("button", name="Show what is right").click()
    expect(pupil.locator(".answers")).to_be_visible()
    look(pupil, "class-revealed")


def test_a_pupils_input_survives_when_another_pupil_joins(
    page: Page, browser: Browser, browser_context_args: dict[str, Any], live_server: LiveServer
) -> None:
    """The teacher uses only the keyboard."""
    teacher = browser.new_context(**browser_context_args).new_page()
    room = open_room(teacher)
    join(page, room.code, "Ann")
    first = page.get_by_role("group", name="acks=0").get_by_label("Some are lost")
    first.focus()
    page.keyboard.press("Space")
    other = browser.new_context(**browser_context_args)
    join(other.new_page(), room.code, "Bob")
    expect(teacher.get_by_role("heading", name="2 joined")).to_be_visible()
    with page.expect_response(re.compile("/live/")) as event:
        pass
    assert event.value.status == 204
    expect(first).to_be_checked()
    expect(first).to_be_focused()
    teacher.locator("#forward").focus()
    teacher.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="How the class predicted")).to_be_visible()
    teacher.context.close()
    other.close()
