"""The replay in a real browser: playing and scrubbing by keyboard, and following a message."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from labs.engine.record.ledger import TableWriter
from tests.browser.conftest import accessibility_violations, overflowing
from tests.engine import histories
from tests.labs import make

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def replay(page: Page) -> Page:
    page.goto(make.recorded().get_absolute_url())
    expect(page.locator("[data-stage]")).to_be_visible()
    return page


def lane(page: Page, broker: int) -> str:
    return page.locator(f"[data-broker='{broker}']").inner_text().replace("\n", " ")


def test_the_replay_begins_where_the_leader_is_furthest_ahead(replay: Page) -> None:
    expect(replay.locator("[data-clock]")).to_have_text("1.0 s")
    expect(replay.locator("[data-say]")).to_have_text(
        "Broker 1 leads (epoch 0). In sync: 1, 2, 3. High watermark 6."
    )
    assert lane(replay, 1) == "Broker 1 leads 10"
    assert lane(replay, 2) == "Broker 2 in sync 6"
    expect(replay.locator("[data-chart] canvas")).to_be_visible()


def test_keys_move_by_one_sample_and_the_slider_announces_it(replay: Page) -> None:
    slider = replay.get_by_role("slider", name="Time in the run")
    slider.focus()
    for _ in range(4):
        slider.press("ArrowRight")
    expect(replay.locator("[data-clock]")).to_have_text("2.0 s")
    expect(replay.locator("[data-say]")).to_contain_text("No leader: broker 1 is not running")
    assert lane(replay, 1) == "Broker 1 dead, in sync 10"
    expect(slider).to_have_attribute("aria-valuetext", r"2.0 seconds. As described: No leader: "
        "broker 1 is not running and has not been replaced yet. In sync: 1, 2, 3. High watermark "
        "not known.")  # fmt: skip
    slider.press("ArrowLeft")
    expect(replay.locator("[data-say]")).to_contain_text("Broker 1 leads")


def test_space_plays_the_replay_to_the_end(replay: Page) -> None:
    replay.get_by_role("slider", name="Time in the run").focus()
    replay.keyboard.press(" ")
    play = replay.locator("[data-play]")
    expect(play).to_have_text("Pause")
    expect(replay.locator("[data-clock]")).to_have_text("4.0 s", timeout=30_000)
    expect(play).to_have_text("Play")
    expect(replay.locator("[data-say]")).to_contain_text("Broker 2 leads (epoch 1). In sync: 2, 3.")
    expect(replay.locator("[data-count=acknowledged]")).to_have_text("15")


def test_another_partition_is_chosen_by_keyboard_at_the_same_moment(page: Page) -> None:
    page.goto(make.recorded_in_two_partitions().get_absolute_url())
    page.get_by_role("slider", name="Time in the run").press("ArrowRight")
    expect(page.locator("[data-clock]")).to_have_text("1.3 s")
    page.get_by_role("link", name="1", exact=True).press("Enter")
    expect(page.locator("[data-say]")).to_contain_text("Broker 3 leads (epoch 0).")
    expect(page.locator("[data-clock]")).to_have_text("1.3 s")
    expect(page.get_by_role("link", name="1", exact=True)).to_have_attribute("aria-current", "true")
    assert "?partition=1" in page.url
    assert lane(page, 3) == "Broker 3 leads 6"
    assert page.locator("[data-broker='1']").count() == 0
    page.get_by_role("slider", name="Time in the run").press("ArrowLeft")
    expect(page.locator("[data-clock]")).to_have_text("1.0 s")
    assert accessibility_violations(page) == []


def test_a_message_followed_before_the_telemetry_arrives_is_marked(page: Page) -> None:
    held_routes: list[Route] = []
    page.route("**/replay.json*", lambda route: held_routes.append(route))
    page.goto(make.recorded().get_absolute_url())
    page.get_by_role("link", name=str(histories.LOST), exact=True).click()
    expect(page.locator("#story")).to_contain_text("Not in the log at the end.")
    assert page.locator("[data-stage]").is_hidden()
    for route in held_routes:
        route.continue_()
    expect(page.locator(".lane.is-followed")).to_have_count(3)


def test_offsets_of_a_million_fit_beside_the_axis(page: Page) -> None:
    experiment = make.recorded()
    million = histories.sample(4.5, 2, 1, 10**6, {1: 10, 2: 10**6, 3: 10**6})
    ledger = experiment.runs.get(name="described").ledger
    TableWriter(ledger, "telemetry", "million").flush_rows(million)
    page.goto(experiment.get_absolute_url())
    chart, over = (page.locator(name).first.bounding_box() for name in (".uplot", ".u-over"))
    assert chart is not None
    assert over is not None
    widest = page.evaluate("""() => {
        const pen = document.createElement("canvas").getContext("2d")
        pen.font = "12px system-ui, sans-serif"
        return pen.measureText("1,000,000").width
    }""")
    assert over["x"] - chart["x"] > widest


def test_a_lost_message_is_followed_and_marked(replay: Page) -> None:
    replay.get_by_role("link", name=str(histories.LOST), exact=True).click()
    expect(replay.locator("#story")).to_contain_text("Not in the log at the end.")
    expect(replay.locator("#story li").nth(-2)).to_contain_text(histories.IN_ITS_PLACE)
    expect(replay.locator(".lane.is-followed")).to_have_count(3)
    expect(replay.locator("[data-clock]")).to_have_text("1.0 s")
    assert accessibility_violations(replay) == []
    for width in (360, 1600):
        replay.set_viewport_size({"width": width, "height": 900})
        assert overflowing(replay) == []


def test_on_a_phone_every_column_of_the_circumstances_is_visible(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 900})
    experiment = make.recorded()
    long = {"producer": {"max.in.flight.requests.per.connection": 5}}
    experiment.runs.filter(name="recommended").update(settings=long)
    page.goto(experiment.get_absolute_url())
    page.locator("section", has_text="What the lab shortened").locator("summary").click()
    for name in ("Settings that differ", "Shortened settings"):
        region = page.get_by_role("region", name=name)
        assert region.evaluate("each => each.scrollWidth <= each.clientWidth"), name
    reason = page.get_by_role("cell", name="fails over sooner")
    assert "Why that is safe" in reason.evaluate(
        "each => getComputedStyle(each, '::before').content"
    )


def test_on_a_phone_counts_are_below_their_names_and_nothing_scrolls_sideways(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 900})
    experiment, other = make.recorded(), make.recorded()
    page.goto(f"{experiment.get_absolute_url()}compare/?with={other.slug}")
    region = page.get_by_role("region", name="Counts side by side")
    assert region.evaluate("each => each.scrollWidth <= each.clientWidth")
    name = region.get_by_role("rowheader", name="sent").bounding_box()
    number = region.get_by_role("row", name="sent").get_by_role("cell").first.bounding_box()
    assert name is not None
    assert number is not None
    assert name["y"] < number["y"]
    assert 0 <= number["x"] < number["x"] + number["width"] <= 360


def test_a_reason_leads_to_its_moment_which_the_address_contains(replay: Page) -> None:
    reasons = replay.get_by_role("list", name="Why")
    expect(reasons.get_by_role("listitem")).to_have_count(3)
    expect(reasons).to_contain_text("4 messages were on broker 1 alone")
    reasons.get_by_role("link", name="3.0 s").click()
    expect(replay.locator("[data-clock]")).to_have_text("3.0 s")
    expect(replay.locator("[data-say]")).to_contain_text("Broker 2 leads (epoch 1).")
    assert replay.url.endswith("#t=3")
    expect(replay.locator("#replay")).to_be_in_viewport()


def test_keys_work_after_a_jump_to_a_reason_or_an_event(replay: Page) -> None:
    clock = replay.locator("#replay [data-clock]")
    for link in (".because [data-seek]", ".replay-events [data-seek]"):
        replay.locator(link).first.click()
        before = clock.inner_text()
        replay.keyboard.press("ArrowRight")
        expect(clock).not_to_have_text(before)


def test_an_address_with_a_moment_opens_it(page: Page) -> None:
    address = make.recorded().get_absolute_url()
    page.goto(f"{address}#t=3.6")
    expect(page.locator("[data-clock]")).to_have_text("3.6 s")
    page.evaluate("location.hash = '#t=1.2'")
    expect(page.locator("[data-clock]")).to_have_text("1.2 s")
    page.evaluate("location.hash = '#t=then'")
    expect(page.locator("[data-clock]")).to_have_text("1.2 s")


def test_events_are_stepped_through_with_captions(replay: Page) -> None:
    caption = replay.locator("[data-caption]")
    expect(caption).to_have_text("")
    replay.get_by_role("button", name="Next event").click()
    expect(replay.locator("[data-clock]")).to_have_text("1.5 s")
    expect(caption).to_have_text("Leader broker 1 was killed")
    replay.get_by_role("button", name="Next event").click()
    expect(replay.locator("[data-clock]")).to_have_text("1.5 s")
    slider = replay.get_by_role("slider", name="Time in the run")
    slider.press("ArrowRight")
    slider.press(",")
    expect(replay.locator("[data-clock]")).to_have_text("1.5 s")
    replay.get_by_role("button", name="Previous event").click()
    expect(caption).to_have_text("Leader broker 1 was killed")
    replay.locator(".replay-events a").click()
    expect(replay.locator(".replay-events .is-now")).to_contain_text("Leader broker 1 was killed")
    assert accessibility_violations(replay) == []


def test_at_four_times_the_speed_the_replay_takes_a_quarter_of_the_time(replay: Page) -> None:
    replay.get_by_role("combobox", name="Speed").select_option("4")
    replay.evaluate("window.began = performance.now()")
    replay.get_by_role("button", name="Play").click()
    expect(replay.locator("[data-clock]")).to_have_text("4.0 s", timeout=30_000)
    took = replay.evaluate("performance.now() - window.began")
    assert 900 < took < 3000


def test_an_event_is_described_and_its_proof_is_shown_on_demand(page: Page) -> None:
    experiment = make.recorded()
    run = experiment.runs.get(name="described")
    experiment.runs.filter(name="described").update(faults=run.result["fault_evidence"])
    page.goto(experiment.get_absolute_url())
    page.get_by_text("What was done to brokers and clients").first.click()
    log = page.get_by_role("list", name="What was done to brokers and clients").first
    expect(log).to_contain_text("Leader broker 1 was killed")
    proof = log.locator("details")
    expect(proof).to_have_js_property("open", False)
    log.get_by_text("Proof", exact=True).click()
    expect(proof).to_have_js_property("open", True)
    expect(proof).to_contain_text("pid 4711 gone")


def test_an_exported_run_plays_offline_without_requests(page: Page, tmp_path: Path) -> None:
    page.goto(make.recorded().get_absolute_url())
    with page.expect_download() as download:
        page.get_by_role("link", name="Save as one HTML file (plays offline)").click()
    file = tmp_path / "run.html"
    file.write_bytes(download.value.path().read_bytes())
    page.goto("about:blank")  # ends the requests of the experiment page
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto(file.as_uri())
    expect(page.locator("[data-say]")).to_contain_text("Broker 1 leads")
    expect(page.locator("[data-chart] canvas")).to_be_visible()
    page.locator("[data-play]").click()
    expect(page.locator("[data-clock]")).to_have_text("4.0 s", timeout=30_000)
    expect(page.locator("[data-say]")).to_contain_text("Broker 2 leads (epoch 1)")
    assert requested == [file.as_uri()]
    assert accessibility_violations(page) == []
    page.set_viewport_size({"width": 320, "height": 800})
    assert overflowing(page) == []


def test_the_link_to_a_moment_can_be_copied(replay: Page) -> None:
    replay.context.grant_permissions(["clipboard-read", "clipboard-write"])
    slider = replay.get_by_role("slider", name="Time in the run")
    slider.focus()
    slider.press("ArrowRight")
    button = replay.get_by_role("button", name="Copy the link to this moment")
    button.click()
    expect(replay.get_by_role("button", name="Copied")).to_be_visible()
    assert replay.evaluate("navigator.clipboard.readText()").endswith("/#t=1.25")
