"""The first screen of the advice shows the verdict, the picture, the changes and the runs."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from advisor import services
from labs.models import State
from tests.advisor.answers import RISKY
from tests.advisor.pipelines import described
from tests.labs import make

WEAK = {
    "topic.replication.factor": "1", "topic.min.insync.replicas": "1",
    "topic.unclean.leader.election.enable": "true", "topic.retention.ms": "60000",
    "need.guarantee": "exactly-once", "need.survive": "1",
}  # fmt: skip
SENDS_ONCE = {
    "producer.acks": "0", "producer.enable.idempotence": "false", "producer.retries": "0",
    "producer.delivery.timeout.ms": "3000", "consumer.auto.offset.reset": "latest",
    "application.commit": "before-processing",
}  # fmt: skip
MANY_CHANGES = {
    "librdkafka": WEAK | SENDS_ONCE | {"family": "librdkafka"},
    "spark": WEAK | {"family": "spark"},
    "streams": WEAK | {"family": "streams"},
    "connect": WEAK | {"family": "java", "application.framework": "connect"},
}
"""Pipelines with as many weak settings as possible: ten changes and more, or no solution."""
FIRST_SCREEN = ("#verdict", ".picture svg", ".smallest li:last-child", ".proved li")


@pytest.fixture
def slug(live_server: LiveServer) -> str:
    """The slug of a pipeline with one finished experiment."""
    text = str(services.save(described(RISKY)).slug)
    make.experiment(State.DONE, "broken", "holds", pipeline=text)
    return text


SCREENS = [(1600, 900, 1), (360, 740, 2)]


def assert_first_screen_within(page: Page, height: int) -> None:
    locators = [page.locator(selector).first for selector in FIRST_SCREEN]
    for locator in [*locators, page.get_by_role("button", name="Prove it on real brokers")]:
        box = locator.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= height


@pytest.mark.thorough
@pytest.mark.parametrize(("width", "height", "screens"), SCREENS)
@pytest.mark.parametrize("name", MANY_CHANGES)
def test_the_verdict_is_on_the_first_screen_with_many_changes(
    page: Page, live_server: LiveServer, name: str, width: int, height: int, screens: int
) -> None:
    slug = str(services.save(described(MANY_CHANGES[name])).slug)
    make.experiment(State.DONE, "broken", "holds", pipeline=slug)
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"/pipelines/{slug}/")
    assert_first_screen_within(page, screens * height)


@pytest.mark.parametrize(("width", "height", "screens"), SCREENS)
def test_the_verdict_is_on_the_first_screen(
    browser: Browser, live_server: LiveServer, slug: str, width: int, height: int, screens: int
) -> None:
    context = browser.new_context(
        base_url=live_server.url, viewport={"width": width, "height": height}
    )
    page = context.new_page()
    page.goto(f"/pipelines/{slug}/")
    assert_first_screen_within(page, screens * height)
    context.close()


def test_contents_and_column_heads_stay_visible_while_scrolling(page: Page, slug: str) -> None:
    page.set_viewport_size({"width": 1600, "height": 600})
    page.goto(f"/pipelines/{slug}/")
    page.locator(".matrix tbody tr").last.scroll_into_view_if_needed()
    expect(page.get_by_role("link", name="Reasons", exact=True)).to_be_in_viewport()
    expect(page.get_by_role("columnheader", name="lost")).to_be_in_viewport()
    page.get_by_role("link", name="Reasons", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="and why")).to_be_in_viewport()
