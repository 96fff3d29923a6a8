"""The picture of a running experiment: it moves, except with reduced motion."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.labs import watched

pytestmark = pytest.mark.django_db(transaction=True)

GLIDES = """() => document.getAnimations()
  .some(each => each instanceof CSSTransition && each.effect.target.matches(".live-log rect"))"""
WATCH = f"""() => {{
  window.glided = false
  const look = () => {{ window.glided ||= ({GLIDES})(); requestAnimationFrame(look) }}
  look()
}}"""
FLOWS = """() => document.getAnimations()
  .filter(each => each.animationName === "live-flow").map(each => each.startTime)"""


def acknowledged(page: Page) -> Any:
    return page.locator(".live-amount").first


def test_logs_glide_to_the_next_sample_and_dots_keep_moving(page: Page) -> None:
    experiment = watched.experiment(1.5)
    page.goto(experiment.get_absolute_url())
    before = acknowledged(page).inner_text()
    watched.show(experiment, 2.2)
    page.wait_for_function(GLIDES, timeout=20_000)
    expect(acknowledged(page)).not_to_have_text(before)
    flows = page.evaluate(FLOWS)
    assert flows
    assert set(flows) == {0}, "they did not begin anew"


def test_the_picture_is_on_the_first_screen(page: Page) -> None:
    page.set_viewport_size({"width": 1600, "height": 900})
    page.goto(watched.experiment(4.0).get_absolute_url())
    # Hide the notice that no worker runs.
    page.evaluate("document.styleSheets[0].insertRule('.notice { display: none }')")
    ends = page.evaluate(
        "[...document.querySelectorAll('.live-lanes')].map(e => e.getBoundingClientRect().bottom)"
    )
    assert len(ends) == 2
    assert max(ends) <= 900


def test_an_element_is_not_replaced_while_it_is_pressed(page: Page) -> None:
    """A button that is replaced between press and release would lose its click."""
    experiment = watched.experiment(1.5)
    page.goto(experiment.get_absolute_url())
    before = acknowledged(page).inner_text()
    acknowledged(page).hover()
    page.mouse.down()
    watched.show(experiment, 2.2)
    for _ in range(3):
        with page.expect_response("**/live/"):
            pass
    assert acknowledged(page).inner_text() == before
    page.mouse.up()
    expect(acknowledged(page)).not_to_have_text(before, timeout=20_000)


def test_with_reduced_motion_nothing_glides(
    browser: Browser, browser_context_args: dict[str, Any]
) -> None:
    context = browser.new_context(**browser_context_args, reduced_motion="reduce")
    page = context.new_page()
    experiment = watched.experiment(1.5)
    page.goto(experiment.get_absolute_url())
    before = acknowledged(page).inner_text()
    page.evaluate(WATCH)
    watched.show(experiment, 2.2)
    expect(acknowledged(page)).not_to_have_text(before, timeout=20_000)
    expect(page.locator(".live-flow.is-flowing").first).to_be_visible()
    assert page.evaluate(FLOWS) == []
    assert page.evaluate("window.glided") is False
    context.close()


def test_the_text_to_read_meanwhile_disappears_when_the_run_ends(page: Page) -> None:
    experiment = watched.experiment(1.5)
    page.goto(experiment.get_absolute_url())
    expect(page.get_by_role("heading", name="While it runs")).to_be_visible()
    experiment.state, experiment.ended_at = "cancelled", experiment.heartbeat_at
    experiment.save()
    expect(page.get_by_role("heading", name="While it runs")).to_have_count(0, timeout=20_000)
