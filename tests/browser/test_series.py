"""The time machine in a browser: a series is started, followed while it runs, and read."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from labs.models import Experiment, Run, Series, State
from labs.runs import lifecycle
from labs.runs import series as time_machine
from tests.browser.conftest import accessibility_violations, overflowing
from tests.labs import make

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("no_redis")]


def end(release: str, verdict: str) -> None:
    run = Experiment.objects.get(kafka=release)
    claimed = lifecycle.claim(run.slug, run.attempt, "us")
    assert claimed
    Run.objects.filter(experiment=run).update(
        verdict=verdict, phase="done", result=make.result(verdict)
    )
    lifecycle.finish(run.slug, "us", State.DONE)
    time_machine.ended(claimed)


@pytest.mark.thorough
@pytest.mark.parametrize("width", [360, 1280])
def test_a_series_is_started_followed_and_read(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/evidence/lines/")
    assert (overflowing(page), accessibility_violations(page)) == ([], [])
    page.get_by_label("To release line").select_option("3.9")
    page.get_by_role("button", name="Run it").click()
    expect(page.get_by_role("alert")).to_contain_text("has to be newer than the first")
    page.get_by_label("To release line").select_option("4.1")
    page.get_by_role("button", name="Run it").click()
    expect(page.get_by_text("Still running: Kafka 3.9.2 and 4.1.2.")).to_be_visible()
    assert (overflowing(page), accessibility_violations(page)) == ([], [])
    end("3.9.2", "broken")
    end("4.1.2", "holds")
    expect(page.get_by_text("Still running: Kafka 4.0.2.")).to_be_visible()
    end("4.0.2", "broken")
    end("4.1.0", "holds")
    expect(page.get_by_text("The verdict changes between 4.0.2 and 4.1.0.").first).to_be_visible()
    expect(page.get_by_text("No release lies between these two.")).to_be_visible()
    assert (overflowing(page), accessibility_violations(page)) == ([], [])
    page.get_by_role("link", name="the run on 4.1.0").click()
    page.get_by_role("link", name="The same on other releases").click()
    expect(page).to_have_url(
        f"{page.url.partition('/evidence')[0]}{Series.objects.get().get_absolute_url()}"
    )
