"""Experiments and the home page in a browser without JavaScript."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from labs.models import State
from tests.labs import make, watched


@pytest.fixture
def plain(browser: Browser, browser_context_args: dict[str, Any]) -> Iterator[Page]:
    """A page without JavaScript."""
    context = browser.new_context(**browser_context_args, java_script_enabled=False)
    yield context.new_page()
    context.close()


@pytest.mark.django_db(transaction=True)
def test_the_page_of_a_running_experiment_reloads_until_it_ends(plain: Page) -> None:
    experiment = make.experiment(State.RUNNING)
    plain.goto(experiment.get_absolute_url())
    expect(plain.locator(".lede")).to_contain_text("Running")
    for position, run in enumerate(experiment.runs.all()):
        run.verdict = ("broken", "holds")[position]
        run.result = make.result(run.verdict)
        run.save()
    experiment.state, experiment.ended_at = State.DONE, experiment.heartbeat_at
    experiment.save()
    expect(plain.locator(".lede")).to_contain_text("985 of 10,000", timeout=20_000)
    assert plain.locator("meta[http-equiv=refresh]").count() == 0


@pytest.mark.django_db(transaction=True)
def test_a_replay_is_replaced_by_its_table(plain: Page) -> None:
    plain.goto(make.recorded().get_absolute_url())
    expect(plain.get_by_role("heading", name="Replay")).to_be_visible()
    expect(plain.locator("[data-stage]")).to_be_hidden()
    expect(plain.get_by_role("slider")).to_have_count(0)
    expect(plain.locator("#replay table.replay-table").first).to_contain_text("leader killed")


@pytest.mark.django_db(transaction=True)
def test_the_picture_of_a_run_is_shown(plain: Page) -> None:
    plain.goto(watched.experiment(2.4).get_absolute_url())
    expect(plain.locator(".live-log")).to_have_count(6)
    expect(plain.locator(".live-news").first).to_contain_text("was paused")


@pytest.mark.django_db(transaction=True)
def test_the_home_page_shows_counts_and_no_empty_brokers(plain: Page) -> None:
    plain.goto("/")
    described = plain.get_by_role("article", name="As described")
    expect(described.get_by_text("messages were gone at the end")).to_be_visible()
    expect(described.locator(".lanes")).to_be_hidden()
    expect(plain.locator("#replay .legend")).to_be_hidden()
