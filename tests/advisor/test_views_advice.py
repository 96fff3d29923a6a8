"""The advice over HTTP: what it says of a saved pipeline, and what it lets a person take home."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from advisor.catalog import Component
from advisor.questionnaire import STEPS
from tests.advisor.walking import RISKY, walk

pytestmark = pytest.mark.django_db


def test_a_link_that_was_never_given_is_not_found(client: Client) -> None:
    for name in ("advisor:advice", "advisor:edit"):
        url = reverse(name, args=["zzzzzzzz"])
        response = client.post(url) if name.endswith("edit") else client.get(url)
        assert response.status_code == 404


def test_the_advice_says_verdict_boundaries_reasons_changes_and_columns(client: Client) -> None:
    slug = walk(client, topic={"topic.replication.factor": "3"}, producer=RISKY)
    html = client.get(reverse("advisor:advice", args=[slug])).content.decode()
    heading = re.search(r"<h1[^>]*>(.*?)</h1>", html)
    assert heading
    assert re.search(r"You need at least once; .* \d+ of \d+ failures break it", heading[1])
    assert html.count("guarantee-none") >= 2
    assert "acks=1: the leader acknowledges alone" in html
    assert "<del>1</del>" in html
    assert "<ins>all</ins>" in html
    for guarantee in ("at-most-once", "at-least-once", "exactly-once"):
        assert f'<h3><span class="badge guarantee-{guarantee}">' in html


def test_the_advice_offers_the_proof_of_the_event_that_has_an_experiment(client: Client) -> None:
    slug = walk(client, topic={"topic.replication.factor": "3"}, producer=RISKY)
    html = client.get(reverse("advisor:advice", args=[slug])).content.decode()
    form = re.search(r"<form[^>]*>(?:(?!</form>).)*Prove it on real brokers", html, re.DOTALL)
    assert form
    assert f'name="pipeline" value="{slug}"' in form[0]
    assert 'name="scenario" value="leader-killed-followers-behind"' in form[0]


def test_the_advice_lists_every_setting_and_tells_stated_from_default(client: Client) -> None:
    slug = walk(client, producer=RISKY)
    html = client.get(reverse("advisor:advice", args=[slug])).content.decode()
    rows = re.findall(r"<tr[^>]*><td>(\w+)</td><td class=\"key\">([^<]*)</td>(.*?)</tr>", html)
    assert {part for part, _, _ in rows} == {str(component) for component in Component}
    values = {f"{part}.{key}": rest for part, key, rest in rows}
    assert "stated" in values["producer.acks"]
    assert "default" in values["producer.enable.idempotence"]
    assert "<code>false</code>" in values["producer.enable.idempotence"], "acks=1 switches it off"


def test_a_pipeline_that_meets_its_need_says_so(client: Client) -> None:
    slug = walk(
        client,
        topic={"topic.replication.factor": "3", "topic.min.insync.replicas": "2"},
        consumer={"consumer.auto.offset.reset": "earliest"},
    )
    html = client.get(reverse("advisor:advice", args=[slug])).content.decode()
    assert "You need at least once, and these settings give at least once" in html
    assert "Nothing to change for at least once" in html
    assert "Breaks what you need" not in html


def test_no_page_carries_an_inline_style_or_script(client: Client) -> None:
    slug = walk(client, producer=RISKY)
    urls = [reverse("advisor:describe", args=[step.slug]) for step in STEPS]
    for url in [*urls, reverse("advisor:advice", args=[slug])]:
        html = client.get(url).content.decode()
        assert not re.search(r"\sstyle=|<style|\son\w+=|javascript:", html), url
        assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", html)), url


def test_each_export_is_on_the_page_and_downloads_under_its_name(client: Client) -> None:
    slug = walk(client, topic={"topic.replication.factor": "3"}, producer=RISKY)
    html = client.get(reverse("advisor:advice", args=[slug])).content.decode()
    offered = re.findall(r'href="(/pipelines/\w+/export/[\w-]+/)"', html)
    assert len(offered) >= 3
    for url in offered:
        response = client.get(url)
        assert response.status_code == 200
        assert re.fullmatch(
            r'attachment; filename="[\w.-]+"', response.headers["Content-Disposition"]
        )
        text = response.content.decode()
        assert "acks" not in text or "all" in text, "it is the recommendation that is exported"
        assert f"/pipelines/{slug}/" in text, "the file says where it comes from"


def test_an_export_that_does_not_exist_is_not_found(client: Client) -> None:
    slug = walk(client)
    url = reverse("advisor:export", args=[slug, "carrier-pigeon"])
    assert client.get(url).status_code == 404


def test_what_no_settings_give_is_said_with_the_nearest_that_can_be_had(client: Client) -> None:
    need = {"need.guarantee": "exactly-once"}
    slug = walk(client, client={"family": "spark"}, needs=need)
    html = client.get(reverse("advisor:advice", args=[slug])).content.decode()
    assert "No settings give exactly once here" in html
    assert "Nearest: at-least-once" in html
