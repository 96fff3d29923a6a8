"""Predictions in the first lab, made by hand."""

from __future__ import annotations

from playwright.sync_api import Page, expect

_TITLE = "What an acknowledgement means"


def begin_and_predict(page: Page, lab: str = "") -> None:
    """Opens the first lab from the map, at the address of a lab, and makes every prediction."""
    page.goto(f"{lab}/learn/")
    page.get_by_role("link", name=f"Begin with {_TITLE}").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(_TITLE)
    page.get_by_role("button", name="Go on").click()
    predict(page)


def predict(page: Page) -> None:
    """Makes every prediction on the page, alone or in a class."""
    for arm, answer in (("acks=0", "Some"), ("acks=1", "Some"), ("acks=all", "None")):
        arm_group = page.get_by_role("group", name=arm)
        arm_group.get_by_label(answer).check()
        arm_group.get_by_label("I am sure").check()
    page.get_by_role("button", name="my prediction").click()
