"""The questionnaire in two tabs of one browser: no tab silently overwrites the other's answers."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.advisor.answers import saved
from tests.browser.test_describe import go_on

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def tabs(page: Page, live_server: LiveServer) -> tuple[Page, Page]:
    """Two tabs with one session, which begins with the first answer."""
    page.goto("/describe/client/")
    go_on(page)
    page.wait_for_url("**/describe/topic/")
    return page, page.context.new_page()


def choose(page: Page, acks: str) -> None:
    with page.expect_response(re.compile("/card/$")):
        page.get_by_label("acks").select_option(acks)


def test_the_second_tab_shows_both_answers_before_it_saves(tabs: tuple[Page, Page]) -> None:
    first, second = tabs
    for tab in tabs:
        tab.goto("/describe/producer/")
    choose(first, "1")
    choose(second, "0")
    go_on(first)
    summary = first.locator(".error-summary")
    expect(summary).to_be_focused()
    expect(summary).to_contain_text("Another tab has saved 1 different answer")
    expect(summary).to_contain_text("0 in the other tab, 1 here")
    expect(first.get_by_label("acks")).to_have_value("1")
    go_on(first)
    first.wait_for_url("**/describe/consumer/")
    go_on(second)
    expect(second.locator(".error-summary")).to_contain_text("1 in the other tab, 0 here")


def edit(page: Page, slug: str) -> None:
    page.goto(f"/pipelines/{slug}/")
    page.get_by_role("button", name="Change the answers").first.click()
    page.wait_for_url("**/describe/**")
    page.get_by_role("link", name=re.compile("Topic")).click()
    page.wait_for_url("**/describe/topic/**")


def test_descriptions_in_two_tabs_stay_separate(tabs: tuple[Page, Page]) -> None:
    first, second = tabs
    edit(first, saved({"topic.replication.factor": "2", "producer.acks": "1"}))
    edit(second, saved({"topic.replication.factor": "3", "producer.acks": "0"}))
    factor = first.get_by_label("replication.factor")
    expect(factor).to_have_value("2")
    go_on(first)
    first.wait_for_url("**/describe/producer/")
    expect(first.get_by_label("acks")).to_have_value("1")
    go_on(second)
    second.wait_for_url("**/describe/producer/")
    expect(second.get_by_label("acks")).to_have_value("0")


def test_a_page_from_the_back_forward_cache_is_reloaded(
    page: Page, live_server: LiveServer
) -> None:
    page.goto("/describe/producer/")
    with page.expect_navigation():
        page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(page.get_by_label("acks")).to_be_visible()


def test_a_form_after_back_has_the_saved_answers_and_saves_without_a_conflict(
    page: Page, live_server: LiveServer
) -> None:
    page.goto("/describe/producer/")
    page.get_by_label("acks").select_option("1")
    go_on(page)
    page.wait_for_url("**/describe/consumer/")
    page.go_back()
    expect(page.get_by_label("acks")).to_have_value("1")
    page.get_by_label("acks").select_option("0")
    go_on(page)
    page.wait_for_url("**/describe/consumer/")
