"""A real Chromium with the real site: how it starts, and checks that apply to every page."""

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

# Playwright's synchronous interface runs an event loop in this thread. Django would refuse queries
# because of it, but the tests' queries do not run inside the loop.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

# Other tests share the machine, so pages may be slow.
expect.set_options(timeout=30_000)

CHROMIUM_ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
"""Chromium runs as root in a container, without background requests of its own."""

EXPECTED_MESSAGES = (
    "responded with a status of 400", "responded with a status of 404",
    "responded with a status of 409", "responded with a status of 410",
    "responded with a status of 429", "Response Status Error Code 429",
    "htmx:afterRequest", "htmx:sendAbort",
)  # fmt: skip
"""Messages that are no errors: answers to wrong forms, and htmx requests aborted by navigation.

Real errors of htmx (`htmx:sendError`, `htmx:responseError`, `htmx:swapError`) are not among them.
"""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Uses the system's Chromium; Playwright's own browsers are not downloaded."""
    chromium = chromium_program()
    assert chromium, "There is no chromium on the PATH; `apt-get install chromium` brings one."
    return {
        **browser_type_launch_args,
        "executable_path": chromium,
        "args": list(CHROMIUM_ARGUMENTS),
    }


@pytest.fixture
def browser_context_args(
    browser_context_args: dict[str, Any], live_server: LiveServer
) -> dict[str, Any]:
    """Makes the addresses in tests relative to the live server."""
    return {**browser_context_args, "base_url": live_server.url}


@pytest.fixture(autouse=True)
def console_messages(context: BrowserContext) -> Iterator[list[str]]:
    """Collects the browser's errors and warnings, such as script errors; there must be none."""
    messages: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        expected = any(text in message.text for text in EXPECTED_MESSAGES)
        if message.type in ("error", "warning") and not expected:
            messages.append(f"{message.type}: {message.text}")

    context.on("console", on_console)
    context.on("weberror", lambda error: messages.append(f"script: {error.error}"))
    yield messages
    assert messages == []


@pytest.fixture
def no_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test is the worker."""

    def nudge(slug: str, _: int) -> bool:
        return bool(Experiment.objects.filter(slug=slug).update(nudged_at="2026-11-24T12:00Z"))

    monkeypatch.setattr(queue, "nudge", nudge)


def accessibility_violations(page: Page) -> list[str]:
    """Serious and critical violations that axe-core reports, one line per element."""
    result = Axe().run(page).response["violations"]
    return [
        f"{violation['id']}: {node['html'][:160]} {node.get('failureSummary', '')}"
        for violation in result
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


def overflowing(page: Page) -> list[str]:
    """The elements that make the page scroll sideways; empty if it does not."""
    script = """() => {
        const width = document.documentElement.clientWidth
        if (document.documentElement.scrollWidth <= width) return []
        return [...document.querySelectorAll("body *")]
            .filter(each => each.getBoundingClientRect().right > width + 1)
            .map(each => each.outerHTML.slice(0, 120))
    }"""
    page.wait_for_load_state()  # there is no document between two pages
    elements: list[str] = page.evaluate(script)
    return elements


def assert_usable_when_narrow(page: Page) -> None:
    """Asserts that a page is accessible, and fits the width of a phone."""
    assert accessibility_violations(page) == []
    page.set_viewport_size({"width": 360, "height": 900})
    assert overflowing(page) == []


def clipped_controls(page: Page) -> list[str]:
    """The links, buttons and fields that are outside the page or cut off by their container.

    Controls in a scrollable container and those for screen readers only are not included.
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
