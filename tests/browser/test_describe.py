"""The questionnaire in a real browser: by keyboard and mouse, with and without JavaScript."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer


def tab_to(page: Page, target: Locator, limit: int = 60) -> None:
    """Presses Tab until the target has the focus."""
    for _ in range(limit):
        if target.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{limit} times Tab did not reach {target}")


def go_on(page: Page) -> None:
    """Goes to the next step."""
    page.locator("button[value=next]").click()


def describe_risky(page: Page) -> None:
    """Describes three brokers, three copies and acks=1, up to the advice."""
    page.goto("/describe/client/")
    go_on(page)
    page.get_by_label("replication.factor").fill("3")
    go_on(page)
    page.get_by_label("acks").select_option("1")
    for _ in range(3):
        go_on(page)
    expect(page).to_have_url(re.compile(r"/pipelines/[a-z2-9]{8}/$"))


def test_the_questionnaire_works_by_keyboard_alone(page: Page) -> None:
    page.goto("/describe/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    tab_to(page, page.locator("#family-java"))
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="librdkafka")).to_be_checked()
    page.keyboard.press("ArrowUp")
    for title in ("Topic and brokers", "Producer"):
        tab_to(page, page.locator("button[value=next]"))
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
    tab_to(page, page.get_by_label("acks"))
    page.keyboard.type("1")
    expect(page.get_by_label("acks")).to_have_value("1")
    for _ in range(3):
        tab_to(page, page.locator("button[value=next]"))
        step = page.url
        page.keyboard.press("Enter")
        expect(page).not_to_have_url(step)  # otherwise the old page would receive the next keys
    expect(page.get_by_role("heading", level=1)).to_contain_text("You need at least once")


def test_the_questionnaire_works_without_javascript(
    browser: Browser, live_server: LiveServer
) -> None:
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    describe_risky(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text("You need at least once")
    page.get_by_role("button", name="Change the answers").click()
    page.get_by_role("link", name="Producer").click()
    expect(page.get_by_label("acks")).to_have_value("1")
    context.close()


def test_the_card_is_updated_while_typing(page: Page) -> None:
    page.goto("/describe/topic/")
    card = page.locator("#card")
    expect(card).to_contain_text("Nothing is judged yet")
    page.get_by_label("replication.factor").fill("3")
    expect(card).to_contain_text("with replication.factor=3")
    page.get_by_label("replication.factor").fill("9")
    expect(card).to_contain_text("only 3 broker(s) are registered")
    page.get_by_label("replication.factor").fill("")
    expect(card).to_contain_text("replication.factor=1")


def test_the_question_about_the_commit_timer_appears_only_when_it_matters(page: Page) -> None:
    page.goto("/describe/consumer/")
    timer = page.get_by_label("Does the client commit on its timer as well?")
    commit = page.get_by_label("When is a message marked as done?")
    expect(timer).to_be_hidden()
    commit.select_option("after-processing")
    expect(timer).to_be_visible()
    commit.select_option("auto")
    expect(timer).to_be_hidden()


def test_a_reload_keeps_unsent_input(page: Page) -> None:
    page.goto("/describe/topic/")
    with page.expect_response(re.compile("/card/$")):
        page.get_by_label("replication.factor").fill("3")
    page.reload()
    expect(page.get_by_label("replication.factor")).to_have_value("3")


def test_the_back_button_keeps_the_answers(page: Page) -> None:
    page.goto("/describe/topic/")
    page.get_by_label("replication.factor").fill("3")
    go_on(page)
    # The next page must be loaded before the browser can go back from it.
    page.wait_for_url("**/describe/producer/")
    page.go_back()
    expect(page.get_by_label("replication.factor")).to_have_value("3")


def test_an_error_takes_the_focus_and_leads_to_its_field(page: Page) -> None:
    page.goto("/describe/producer/")
    page.get_by_label("acks").select_option("1")
    page.get_by_text("More settings").click()
    page.get_by_label("enable.idempotence").select_option("true")
    go_on(page)
    summary = page.locator(".error-summary")
    expect(summary).to_be_focused()
    expect(summary).to_contain_text("Must set acks to all in order to use the idempotent producer")
    summary.get_by_role("link", name="acks").click()
    acks = page.get_by_label("acks")
    expect(acks).to_be_focused()
    expect(acks).to_have_attribute("aria-invalid", "true")
    expect(acks).to_have_value("1")


def test_input_is_shown_as_text_and_never_run(page: Page) -> None:
    page.goto("/describe/topic/")
    typed = "<img src=x onerror=alert(1)>\"'"
    page.get_by_label("replication.factor").fill(typed)
    expect(page.locator("#card")).to_contain_text("must be a whole number")
    go_on(page)
    expect(page.get_by_label("replication.factor")).to_have_value(typed)
    assert page.locator("main img").count() == 0


def test_changing_the_client_keeps_shared_settings(page: Page) -> None:
    page.goto("/describe/producer/")
    page.get_by_label("acks").select_option("all")
    go_on(page)
    page.goto("/describe/client/")
    page.get_by_role("radio", name="librdkafka").check()
    go_on(page)
    page.goto("/describe/producer/")
    expect(page.get_by_label("acks")).to_have_value("all")
    expect(page.get_by_text("librdkafka 2.16").first).to_be_visible()


def test_no_line_of_a_hint_ends_at_the_hyphen_of_in_sync(page: Page) -> None:
    page.goto("/describe/producer/")
    words = page.locator("#producer\\.acks-hint .unbroken")
    expect(words).to_have_text("in-sync")
    for width in range(320, 420, 4):
        page.set_viewport_size({"width": width, "height": 800})
        assert words.evaluate("each => each.getClientRects().length") == 1, width


def test_starting_over_can_be_undone(page: Page) -> None:
    page.goto("/describe/topic/")
    page.get_by_label("replication.factor").fill("3")
    go_on(page)
    page.get_by_role("button", name="Start over").click()
    page.get_by_role("button", name="Restore them").click()
    page.goto("/describe/topic/")
    expect(page.get_by_label("replication.factor")).to_have_value("3")


def test_a_mark_of_the_matrix_leads_to_its_reason(page: Page) -> None:
    describe_risky(page)
    row = page.get_by_role("row", name=re.compile("followers are behind"))
    row.get_by_role("link", name=re.compile("^lost")).click()
    reason = page.locator("#leader-killed-followers-behind")
    expect(reason).to_be_in_viewport()
    expect(reason).to_contain_text("acks=1: the leader acknowledges alone")


def test_the_address_of_the_advice_works_in_another_browser(page: Page, browser: Browser) -> None:
    describe_risky(page)
    other_page = browser.new_context().new_page()
    other_page.goto(page.url)
    heading = page.get_by_role("heading", level=1).inner_text()
    expect(other_page.get_by_role("heading", level=1)).to_have_text(heading)
    other_page.context.close()


def test_recommended_settings_are_downloaded_with_their_file_name(
    page: Page, tmp_path: Path
) -> None:
    describe_risky(page)
    export = page.locator("details", has_text="producer.properties")
    export.locator("summary").click()
    expect(export.locator("pre")).to_contain_text("acks=all")
    with page.expect_download() as download:
        export.get_by_role("link", name="Download producer.properties").click()
    assert download.value.suggested_filename == "producer.properties"
    download.value.save_as(tmp_path / "producer.properties")
    lines = (tmp_path / "producer.properties").read_text().splitlines()
    assert "acks=all" in lines
