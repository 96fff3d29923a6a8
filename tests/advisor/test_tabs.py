"""Two tabs of one questionnaire: the second save says so, shows both values and loses nothing."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from tests.advisor.walking import page

pytestmark = pytest.mark.django_db


def opened(client: Client, step: str) -> dict[str, str]:
    """What a tab has: every field as shown, and what the page carries."""
    html = page(client, step)
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', html))
    return {name: unescape(value) for name, value in fields.items() if name in CARRIED}


CARRIED = ("stamp", "shown", "page")


def send(client: Client, step: str, tab: dict[str, str], **answers: str):
    fields = {name.replace("__", "."): value for name, value in answers.items()}
    return client.post(reverse("advisor:describe", args=[step]), {**tab, **fields})


def saved(client: Client) -> dict[str, str]:
    fields: dict[str, str] = client.session["draft"]["fields"]
    return fields


def test_the_second_tab_is_told_both_values_and_may_then_save(client: Client) -> None:
    one, other = opened(client, "producer"), opened(client, "producer")
    assert send(client, "producer", one, producer__acks="1").status_code == 302
    refused = send(client, "producer", other, producer__acks="0")
    html = refused.content.decode()
    assert refused.status_code == 409
    assert "<code>1</code> in the other tab, <code>0</code> here" in html
    assert saved(client)["producer.acks"] == "1", "nothing is overwritten before it was said"
    assert '<option value="0" selected>' in html, "what was typed is still there"
    again = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', html))
    tab = {name: unescape(again[name]) for name in CARRIED}
    assert send(client, "producer", tab, producer__acks="0").status_code == 302
    assert saved(client)["producer.acks"] == "0"


def test_what_was_not_touched_here_is_shown_as_the_other_tab_saved_it(client: Client) -> None:
    one, other = opened(client, "producer"), opened(client, "producer")
    send(client, "producer", one, producer__linger__ms="7", producer__acks="")
    refused = send(client, "producer", other, producer__linger__ms="", producer__acks="1")
    html = refused.content.decode()
    assert refused.status_code == 409
    assert 'value="7"' in html
    assert '<option value="1" selected>' in html


def test_the_same_answer_in_both_tabs_is_no_clash(client: Client) -> None:
    one, other = opened(client, "producer"), opened(client, "producer")
    assert send(client, "producer", one, producer__acks="1").status_code == 302
    assert send(client, "producer", other, producer__acks="1").status_code == 302


def test_what_was_typed_on_this_very_page_does_not_clash_with_what_it_sends(
    client: Client,
) -> None:
    tab = opened(client, "producer")
    url = reverse("advisor:card", args=["producer"])
    client.post(url, {**tab, "producer.acks": "1"})
    assert saved(client)["producer.acks"] == "1"
    assert send(client, "producer", tab, producer__acks="0").status_code == 302


def test_typing_in_one_tab_keeps_what_was_typed_in_the_other(client: Client) -> None:
    opened(client, "producer")
    send(client, "client", opened(client, "client"))
    one, other = opened(client, "producer"), opened(client, "producer")
    url = reverse("advisor:card", args=["producer"])
    client.post(url, {**one, "producer.acks": "1", "producer.linger.ms": ""})
    client.post(url, {**other, "producer.acks": "", "producer.linger.ms": "7"})
    assert saved(client)["producer.acks"] == "1"
    assert saved(client)["producer.linger.ms"] == "7"
    refused = send(client, "producer", other, producer__acks="0", producer__linger__ms="7")
    assert refused.status_code == 409


@pytest.mark.parametrize("carried", ["", "no JSON", "[1]", '{"producer.acks": 5}'])
def test_a_page_that_carries_nothing_sound_is_taken_as_it_is(client: Client, carried: str) -> None:
    send(client, "producer", {}, producer__acks="1")
    assert send(client, "producer", {"shown": carried}, producer__acks="0").status_code == 302
    assert saved(client)["producer.acks"] == "0"
