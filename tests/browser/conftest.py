"""A real Chromium in front of the real site: how it starts, and what no page may do."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, expect
from pytest_django.live_server_helper import LiveServer

from config.doctor import chromium_program
from labs.models import Experiment
from labs.runs import queue

# Playwright's synchronous interface runs an event loop in this thread, which Django would take
# for a mistake; the queries of the tests do not run inside it.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

# Other tests share the machine: a page that takes a while is no page that never comes.
expect.set_options(timeout=30_000)

QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
"""Chromium as root in a container, without its own calls to the outside."""

EXPECTED = (
    "responded with a status of 400", "responded with a status of 404",
    "responded with a status of 409", "responded with a status of 410",
    "responded with a status of 429", "Response Status Error Code 429",
    "htmx:afterRequest", "htmx:sendAbort",
)  # fmt: skip
"""Our answer to a wrong form, and htmx when the page is left while the card is on its way.

What would be wrong (`htmx:sendError`, `htmx:responseError`, `htmx:swapError`) is not among them.
"""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The system's Chromium: Playwright's own browsers are not downloaded."""
    chromium = chromium_program()
    assert chromium, "There is no chromium on the PATH; `apt-get install chromium` brings one."
    return {**browser_type_launch_args, "executable_path": chromium, "args": list(QUIET)}


@pytest.fixture
def browser_context_args(
    browser_context_args: dict[str, Any], live_server: LiveServer
) -> dict[str, Any]:
    """Addresses in tests are relative to the live server."""
    return {**browser_context_args, "base_url": live_server.url}


@pytest.fixture(autouse=True)
def complaints(context: BrowserContext) -> Iterator[list[str]]:
    """Collects what the browser complains of (a refused style, a script error); there is none."""
    heard: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        expected = any(text in message.text for text in EXPECTED)
        if message.type in ("error", "warning") and not expected:
            heard.append(f"{message.type}: {message.text}")

    context.on("console", on_console)
    context.on("weberror", lambda error: heard.append(f"script: {error.error}"))
    yield heard
    assert heard == []


@pytest.fixture
def no_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test is the worker."""

    def nudge(slug: str, _: int) -> bool:
        return bool(Experiment.objects.filter(slug=slug).update(nudged_at="2026-11-24T12:00Z"))

    monkeypatch.setattr(queue, "nudge", nudge)


def serious(page: Page) -> list[str]:
    """What axe-core finds serious or critical, a line for each element."""
    result = Axe().run(page).response["violations"]
    return [
        f"{violation['id']}: {node['html'][:160]} {node.get('failureSummary', '')}"
        for violation in result
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


def too_wide(page: Page) -> list[str]:
    """The elements that make the page scroll sideways; empty if it does not."""
    script = """() => {
        const width = document.documentElement.clientWidth
        if (document.documentElement.scrollWidth <= width) return []
        return [...document.querySelectorAll("body *")]
            .filter(each => each.getBoundingClientRect().right > width + 1)
            .map(each => each.outerHTML.slice(0, 120))
    }"""
    page.wait_for_load_state()  # between two pages there is no document
    elements: list[str] = page.evaluate(script)
    return elements


def clipped(page: Page) -> list[str]:
    """The links, buttons and fields that stand beside the page or are cut off by what holds them.

    What can be scrolled to within a table is no such thing, nor is what only a reader hears.
    """
    script = """() => {
        const wide = document.documentElement.clientWidth, cut = []
        for (const each of document.querySelectorAll("main :is(a, button, input, select, summary, textarea)")) {
            const box = each.getBoundingClientRect()
            if (!box.width || !each.checkVisibility({ visibilityProperty: true })) continue
            if (each.closest(".visually-hidden, svg")) continue
            let left = 0, right = wide, scrolls = false
            for (let holds = each.parentElement; holds && holds !== document.body; holds = holds.parentElement) {
                const flow = getComputedStyle(holds).overflowX
                if (flow === "auto" || flow === "scroll") { scrolls = true; break }
                if (flow === "visible") continue
                const frame = holds.getBoundingClientRect()
                left = Math.max(left, frame.left), right = Math.min(right, frame.right)
            }
            const own = each.matches("button, summary") && each.scrollWidth > each.clientWidth + 1
            if (!scrolls && (box.left < left - 1 || box.right > right + 1) || own)
                cut.push(each.outerHTML.slice(0, 120))
        }
        return cut
    }"""  # noqa: E501
    elements: list[str] = page.evaluate(script)
    return elements
