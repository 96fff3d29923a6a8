"""Requests that the server refuses: the page reports it, and too large files are not sent.

Files that are dropped beside their field are taken as chosen.
"""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.test import override_settings
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from config import limits
from labs.models import State
from tests.labs import make


def test_a_refused_request_is_reported_on_the_same_page(
    page: Page, live_server: LiveServer
) -> None:
    page.goto("/describe/from-files/")
    page.get_by_label("Paste").fill("acks=1")
    refused = page.locator("#refused")
    with override_settings(LAB_LIMITS=settings.LAB_LIMITS | {"uploads": (0, 0, 60)}):
        limits.COUNTERS = limits.Counters()
        page.get_by_role("button", name="Read", exact=True).click()
        expect(refused).to_contain_text("More requests came from this address than are allowed")
    page.get_by_role("button", name="Read", exact=True).click()
    expect(page.get_by_role("heading", name="1 answer read")).to_be_visible()
    expect(refused).to_be_hidden()


def test_a_page_that_gets_no_news_says_that_it_may_be_old(
    page: Page, live_server: LiveServer, console_messages: list[str]
) -> None:
    page.goto(make.experiment(State.RUNNING).get_absolute_url())
    refused = page.locator("#refused")
    page.route("**/live/", lambda route: route.abort())
    expect(refused).to_contain_text("The server does not answer, so this page may be out of date.")
    page.mouse.wheel(0, 600)
    expect(refused).to_be_in_viewport()
    page.unroute("**/live/")
    expect(refused).to_be_hidden()
    page.route("**/live/", lambda route: route.fulfill(status=404, body="gone"))
    expect(refused).to_contain_text("What this page shows is no longer there.")
    page.unroute_all(behavior="wait")
    console_messages.clear()


def test_a_file_that_is_too_large_is_not_sent(
    page: Page, live_server: LiveServer, tmp_path: Path
) -> None:
    large = tmp_path / "large.properties"
    large.write_bytes(b"a=b\n" * 300_000)
    page.goto("/describe/from-files/")
    files = page.get_by_label("Or choose files")
    files.set_input_files(large)
    assert (
        files.evaluate("each => each.validationMessage") == "large.properties has more than 1 MB."
    )
    page.get_by_role("button", name="Read", exact=True).click()
    expect(page.locator("#read")).to_be_empty()
    files.set_input_files([])
    assert files.evaluate("each => each.checkValidity()")


DROP = """(target, files) => {
    const dataTransfer = new DataTransfer()
    for (const [name, text] of files) dataTransfer.items.add(new File([text], name))
    const event = type => new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true })
    return ["dragover", "drop"].map(type => target.dispatchEvent(event(type)))
}"""


def test_files_that_are_dropped_on_the_form_are_chosen(page: Page, live_server: LiveServer) -> None:
    page.goto("/describe/from-files/")
    files = [
        ["producer.properties", "acks=1\n"],
        ["consumer.properties", "group.id=g\nauto.offset.reset=earliest\n"],
    ]
    taken = page.get_by_label("Paste").evaluate(DROP, files)
    assert taken == [False, False], "otherwise the browser opens them and leaves the page"
    page.get_by_role("button", name="Read", exact=True).click()
    expect(page.get_by_role("heading", name="2 answers read")).to_be_visible()
    large = [["large.properties", "a=b\n" * 300_000]]
    page.get_by_label("Paste").evaluate(DROP, large)
    field = page.get_by_label("Or choose files")
    assert (
        field.evaluate("each => each.validationMessage") == "large.properties has more than 1 MB."
    )


def test_a_damaged_fragment_of_an_address_stops_no_script(
    page: Page, live_server: LiveServer
) -> None:
    page.goto("/describe/from-files/#%E0%A4%A")  # a script error fails every test of a browser
    page.get_by_label("Paste").evaluate(DROP, [["producer.properties", "acks=1\n"]])
    assert page.get_by_label("Or choose files").evaluate("each => each.files.length") == 1
