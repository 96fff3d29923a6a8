"""Two tabs of one questionnaire: a conflict shows both values, and nothing is lost."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from advisor import services
from tests.advisor.walking import page

pytestmark = pytest.mark.django_db


def open_tab(client: Client, step: str) -> dict[str, str]:
    """Opens a step in a tab. Returns the hidden fields that the page carries."""
    html = page(client, step)
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', html))
    return {name: unescape(value) for name, value in fields.items() if name in CARRIED}


CARRIED = ("stamp", "shown", "page", "of")


def send(client: Client, step: str, tab: dict[str, str], **answers: str):
    fields = {name.replace("__", "."): value for name, value in answers.items()}
    return client.post(reverse("advisor:describe", args=[step]), {**tab, **fields})


def saved(client: Client) -> dict[str, str]:
    fields: dict[str, str] = client.session["draft"]["fields"]
    return fields


def test_the_second_tab_is_shown_both_values_and_may_then_save(client: Client) -> None:
    first, second = open_tab(client, "producer"), open_tab(client, "producer")
    assert send(client, "producer", first, producer__acks="1").status_code == 302
    refused = send(client, "producer", second, producer__acks="0")
    html = refused.content.decode()
    assert refused.status_code == 409
    assert "<code>1</code> in the other tab, <code>0</code> here" in html
    assert saved(client)["producer.acks"] == "1", "nothing is overwritten before it was said"
    assert '<option value="0" selected>' in html, "what was typed is still there"
    fields_again = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', html))
    tab = {name: unescape(fields_again[name]) for name in CARRIED}
    assert send(client, "producer", tab, producer__acks="0").status_code == 302
    assert saved(client)["producer.acks"] == "0"


def test_an_unchanged_field_is_shown_as_the_other_tab_saved_it(client: Client) -> None:
    first, second = open_tab(client, "producer"), open_tab(client, "producer")
    send(client, "producer", first, producer__linger__ms="7", producer__acks="")
    refused = send(client, "producer", second, producer__linger__ms="", producer__acks="1")
    html = refused.content.decode()
    assert refused.status_code == 409
    assert 'value="7"' in html
    assert '<option value="1" selected>' in html


def test_the_same_answer_in_both_tabs_is_no_conflict(client: Client) -> None:
    first, second = open_tab(client, "producer"), open_tab(client, "producer")
    assert send(client, "producer", first, producer__acks="1").status_code == 302
    assert send(client, "producer", second, producer__acks="1").status_code == 302


def test_typing_and_saving_on_one_page_do_not_conflict(
    client: Client,
) -> None:
    tab = open_tab(client, "producer")
    url = reverse("advisor:card", args=["producer"])
    client.post(url, {**tab, "producer.acks": "1"})
    assert saved(client)["producer.acks"] == "1"
    assert send(client, "producer", tab, producer__acks="0").status_code == 302


def test_typing_in_one_tab_keeps_what_was_typed_in_the_other(client: Client) -> None:
    open_tab(client, "producer")
    send(client, "client", open_tab(client, "client"))
    first, second = open_tab(client, "producer"), open_tab(client, "producer")
    url = reverse("advisor:card", args=["producer"])
    client.post(url, {**first, "producer.acks": "1", "producer.linger.ms": ""})
    client.post(url, {**second, "producer.acks": "", "producer.linger.ms": "7"})
    assert saved(client)["producer.acks"] == "1"
    assert saved(client)["producer.linger.ms"] == "7"
    refused = send(client, "producer", second, producer__acks="0", producer__linger__ms="7")
    assert refused.status_code == 409


@pytest.mark.parametrize("carried", ["", "no JSON", "[1]", '{"producer.acks": 5}'])
def test_invalid_carried_fields_are_ignored(client: Client, carried: str) -> None:
    send(client, "producer", {}, producer__acks="1")
    assert send(client, "producer", {"shown": carried}, producer__acks="0").status_code == 302
    assert saved(client)["producer.acks"] == "0"


def open_edited_tab(client: Client, **stated: str) -> dict[str, str]:
    """Opens the producer step of a saved description for editing. Returns the carried fields."""
    fields = {"family": "java", "version": "4.3", "kafka": "4.3", "brokers": "3", **{
        name.replace("__", "."): value for name, value in stated.items()}}  # fmt: skip
    pipeline, problems = services.from_fields(fields)
    assert pipeline is not None, problems
    slug = services.save(pipeline).slug
    client.post(reverse("advisor:edit", args=[slug]))
    return open_tab(client, "producer")


def test_two_tabs_with_two_descriptions_each_keep_their_own(client: Client) -> None:
    first = open_edited_tab(client, producer__acks="1", topic__replication__factor="2")
    second = open_edited_tab(client, producer__acks="0", topic__replication__factor="3")
    assert first["of"] != second["of"]
    assert send(client, "producer", first, producer__acks="1").status_code == 302
    assert saved(client)["topic.replication.factor"] == "2", "of the description of this tab"
    assert send(client, "producer", second, producer__acks="0").status_code == 302
    assert saved(client)["topic.replication.factor"] == "3"
    assert saved(client)["producer.acks"] == "0"


def test_the_card_of_a_tab_judges_its_description(client: Client) -> None:
    first = open_edited_tab(client, topic__replication__factor="1")
    open_edited_tab(client, topic__replication__factor="3", topic__min__insync__replicas="2")
    url = reverse("advisor:card", args=["producer"])
    card = client.post(url, {**first, "producer.acks": "all"}).content.decode()
    assert "replication.factor=1" in card
    assert saved(client)["topic.replication.factor"] == "3", "nothing of it is kept in the other"


def test_a_link_to_another_step_names_its_description(client: Client) -> None:
    first = open_edited_tab(client, topic__replication__factor="2")
    open_edited_tab(client, topic__replication__factor="3")
    assert f"?of={first['of']}" not in page(client, "topic")
    text = client.get(reverse("advisor:describe", args=["topic"]), {"of": first["of"]})
    assert 'value="2"' in text.content.decode()
    assert f"/describe/producer/?of={first['of']}" in text.content.decode()


def test_a_page_opened_before_start_over_continues_with_its_answers(client: Client) -> None:
    send(client, "producer", open_tab(client, "producer"), producer__acks="1")
    tab = open_tab(client, "consumer")
    client.post(reverse("advisor:start-over"))
    assert send(client, "consumer", tab).status_code == 302
    assert saved(client)["producer.acks"] == "1"


@pytest.mark.parametrize("draft", ["", "nothing", "\x00", "0" * 400])
def test_an_unknown_draft_is_replaced_by_the_current_one(client: Client, draft: str) -> None:
    open_edited_tab(client, producer__acks="1")
    open_edited_tab(client, producer__acks="0")
    open_edited_tab(client, producer__acks="all")
    assert send(client, "producer", {"of": draft}, producer__acks="1").status_code == 302
    assert saved(client)["producer.acks"] == "1"
