"""The scenarios and the concepts in a real browser: filters, runs, and links between them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from advisor.concepts import all_concepts
from labs.pages.scenarios.cards import shown
from tests.browser.conftest import accessibility_violations, overflowing

pytestmark = pytest.mark.django_db(transaction=True)


def test_cards_are_filtered_without_a_reload_and_run(page: Page) -> None:
    page.goto("/scenarios/")
    page.evaluate("window.here = true")
    page.get_by_label("Layer").select_option("spark")
    expect(page.get_by_role("article")).to_have_count(len(shown("", "spark")))
    assert "layer=spark" in page.url
    assert page.evaluate("window.here")
    page.get_by_label("Harm").select_option("redelivery")
    expect(page.get_by_role("article")).to_have_count(len(shown("redelivery", "spark")))
    page.get_by_role("button", name="Weak only").first.click()
    expect(page.get_by_role("heading", name="Weak settings")).to_be_visible()


@pytest.mark.parametrize("width", [360, pytest.param(1600, marks=pytest.mark.thorough)])
def test_the_cards_fit_and_are_readable(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto("/scenarios/?harm=lost_write")
    for locator in page.get_by_text("The weak and the safe settings").all():
        locator.click()
    assert overflowing(page) == []
    assert accessibility_violations(page) == []


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.thorough)])
def test_concepts_fit_a_phone_and_are_readable(page: Page, scheme: str) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    for concept in all_concepts():
        page.goto(f"/concepts/{concept.name}/")
        assert overflowing(page) == [], concept.name
        assert accessibility_violations(page) == [], concept.name


def test_a_term_leads_to_its_concept_and_the_concept_to_a_scenario(page: Page) -> None:
    page.goto("/scenarios/#isr-shrunk-leader-killed")
    card = page.get_by_role(
        "article", name="The in-sync set shrinks to the leader, then the leader"
    )
    card.locator(".term[href$='/isr/']").first.click()
    expect(page.get_by_role("heading", name="Replica and in-sync set")).to_be_visible()
    page.get_by_role("link", name="The in-sync set shrinks").click()
    expect(page).to_have_url(re.compile("#isr-shrunk-leader-killed$"))
