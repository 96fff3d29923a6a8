"""The advice over HTTP: its contents for a saved pipeline, and its exports."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from advisor.catalog import Component, Family, say
from advisor.known_bugs import known_bugs
from advisor.models import Description
from advisor.pages import presentation
from advisor.questions.questionnaire import steps
from advisor.reasoning.answer import answer
from advisor.reasoning.fields import from_fields
from advisor.services import find
from tests.advisor.walking import RISKY, page, walk

pytestmark = pytest.mark.django_db


def test_an_unknown_link_is_404(client: Client) -> None:
    for name in ("advisor:advice", "advisor:edit"):
        url = reverse(name, args=["zzzzzzzz"])
        response = client.post(url) if name.endswith("edit") else client.get(url)
        assert response.status_code == 404


STALE = {
    "family": "java", "version": "4.3", "kafka": "4.3", "brokers": 3,
    "settings": {
        "topic": {"replication.factor": 3, "retention.ms": -7},
        "producer": {"acks": "2", "gone.in.this.release": "<b>", "linger.ms": 9},
        "kettle": {"on": True},
    },
    "need": {"guarantee": "at-least-once", "survive": 1, "ordering": True},
}  # fmt: skip
"""Saved by a release whose catalog accepted acks=2 and had settings that this one has not."""


def save_stale(data: object = STALE) -> str:
    slug: str = Description.objects.create(data=data, rules_version="0").slug
    return slug


def test_settings_that_are_no_longer_valid_are_listed_with_the_reason(client: Client) -> None:
    slug = save_stale()
    for url in (
        reverse("advisor:advice", args=[slug]),
        reverse("advisor:export", args=[slug, "java-producer"]),
    ):
        response = client.get(url)
        html = response.content.decode()
        assert response.status_code == 410
        assert "no-store" in response.headers["Cache-Control"]
        assert "4 of its 13 answers are no longer valid." in html
        assert re.search(
            r"producer\.acks</span> was saved as <code>2</code>.*\n.*acks must be", html
        )
        assert "<code>&lt;b&gt;</code>" in html
        assert 'class="key">kettle.on</span> was saved as <code>true</code>' in html
        assert f'action="{reverse("advisor:edit", args=[slug])}"' in html


def test_settings_that_are_no_longer_valid_can_be_corrected_in_the_questionnaire(
    client: Client,
) -> None:
    opened = client.post(reverse("advisor:edit", args=[save_stale()]))
    assert opened.headers["Location"] == reverse("advisor:describe", args=["producer"])
    html = page(client, "producer")
    assert '<option value="2" selected>' in html
    assert 'id="producer.acks-error"' in html
    assert 'value="9"' in html
    for name in ("topic.retention.ms=-7", "producer.gone.in.this.release", "kettle.on"):
        assert name in html.partition("Left out")[2], name
    slug = walk(client, producer={"producer.acks": "all"})
    data = Description.objects.get(slug=slug).data
    assert data["settings"] == {
        "topic": {"replication.factor": 3},
        "producer": {"acks": "all", "linger.ms": 9},
    }
    assert data["need"]["ordering"] is True


def test_an_unreadable_description_links_to_an_empty_questionnaire(client: Client) -> None:
    slug = save_stale({"family": "java"})
    for response in (
        client.get(reverse("advisor:advice", args=[slug])),
        client.post(reverse("advisor:edit", args=[slug])),
    ):
        html = response.content.decode()
        assert response.status_code == 410
        assert "What is stored under this link cannot be read." in html
        assert reverse("advisor:start") in html
        assert "Continue with these answers" not in html


def test_the_advice_has_the_verdict_reasons_changes_and_columns(client: Client) -> None:
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


def test_assumptions_are_shown_on_top_with_a_link_to_state_them(client: Client) -> None:
    slug = walk(client, producer=RISKY)
    html = client.get(reverse("advisor:advice", args=[slug])).content.decode()
    top = html.partition('id="verdict"')[2].partition("</section>")[0]
    text = re.sub(r"<[^>]+>", "", top)
    assert "replication.factor was not stated; the brokers’ default 1 is assumed." in text
    died = "“What does your sending code do after a crash?” was not answered"
    assert f"{died}; what depends on the answer is not counted." in text
    assert "“Does your code act on delivery errors?” was not answered" in text
    assert "With replication.factor=1 the first has no followers" in text
    field = re.search(r'form="state" name="at" value="(topic[^"]+)"', top)
    assert field
    opened = client.post(reverse("advisor:edit", args=[slug]), {"at": field[1]})
    address, _, anchor = opened.headers["Location"].partition("#")
    assert f'id="{anchor}"' in client.get(address).content.decode()
    stated = walk(client, topic={"topic.replication.factor": "1"}, producer=RISKY)
    html = client.get(reverse("advisor:advice", args=[stated])).content.decode()
    assert 'value="topic.replication.factor"' not in html


def test_only_a_field_of_the_questionnaire_can_be_opened(client: Client) -> None:
    url = reverse("advisor:edit", args=[walk(client)])
    for at in ("//elsewhere.example/", "topic.retention.ms", "\r\nX: y"):
        opened = client.post(url, {"at": at})
        assert opened.headers["Location"] == reverse("advisor:describe", args=["client"])


def test_no_assumption_is_shown_if_everything_is_stated(client: Client) -> None:
    slug = walk(
        client,
        topic={
            "topic.replication.factor": "3", "topic.min.insync.replicas": "2",
            "topic.unclean.leader.election.enable": "false",
            "application.disk.lost": "replica-elected",
            "application.metadata.disk.lost": "rebuilt", "application.controllers": "3",
            "application.topic.recreated": "never",
        },
        consumer={
            "application.commit": "auto", "application.processing": "synchronous",
            "application.processing.errors": "retry", "application.outage.ms": "345000",
        },
        needs={
            "application.delivery.errors": "handled", "application.resend": "never",
            "application.restart": "resumes", "application.timestamps": "now",
        },
    )  # fmt: skip
    html = client.get(reverse("advisor:advice", args=[slug])).content.decode()
    assert "Assumed, because" not in html
    assert "has no followers" not in html


def test_the_advice_offers_an_experiment(client: Client) -> None:
    slug = walk(client, topic={"topic.replication.factor": "3"}, producer=RISKY)
    html = client.get(reverse("advisor:advice", args=[slug])).content.decode()
    form = re.search(r"<form[^>]*>(?:(?!</form>).)*Prove it on real brokers", html, re.DOTALL)
    assert form
    assert f'name="pipeline" value="{slug}"' in form[0]
    assert 'name="scenario" value="leader-killed-followers-behind"' in form[0]


@pytest.mark.parametrize("page", ["advice", "report"])
def test_every_button_outside_of_its_form_refers_to_an_existing_form(
    client: Client, page: str
) -> None:
    slug = walk(client, topic={"topic.replication.factor": "3"}, producer=RISKY)
    html = client.get(reverse(f"advisor:{page}", args=[slug])).content.decode()
    requests = set(re.findall(r'<button[^>]* form="([^"]+)"', html))
    assert "prove" in requests
    assert requests <= set(re.findall(r'<form id="([^"]+)"', html))
    assert 'form="prove" name="scenario" value="leader-killed"' in html


_ROW = re.compile(r"<tr[^>]*><td>(\w+)</td><td class=\"key\"><a[^>]*>([^<]*)</a></td>(.*?)</tr>")


def test_the_advice_lists_stated_settings_and_links_to_all(client: Client) -> None:
    slug = walk(client, producer=RISKY)
    html = client.get(reverse("advisor:advice", args=[slug])).content.decode()
    assert {f"{part}.{key}" for part, key, _ in _ROW.findall(html)} == RISKY.keys()
    page = reverse("advisor:in-force", args=[slug])
    assert f'<a href="{page}">All ' in html
    rows = _ROW.findall(client.get(page).content.decode())
    parts = {str(component) for component in Component} - {"streams"}  # a Java pipeline
    assert {part for part, _, _ in rows} == parts
    values = {f"{part}.{key}": rest for part, key, rest in rows}
    assert "stated" in values["producer.acks"]
    assert "default" in values["producer.enable.idempotence"]
    assert "<code>false</code>" in values["producer.enable.idempotence"], "acks=1 switches it off"


def test_the_advice_says_that_the_need_is_met(client: Client) -> None:
    slug = walk(
        client,
        topic={"topic.replication.factor": "3", "topic.min.insync.replicas": "2"},
        consumer={"consumer.auto.offset.reset": "earliest"},
    )
    html = client.get(reverse("advisor:advice", args=[slug])).content.decode()
    gives = "You need at least once, and these settings give it"
    assert f"{gives}, if your application does what is assumed." in html
    assert "These settings already give it, if your application does what is assumed." in html
    assert "At least once allows this." in html, "what may still happen is no broken promise"
    assert "Nothing to change for at least once" in html
    assert "Breaks what you need" not in html


def test_a_yes_without_assumptions_about_the_code_has_no_condition() -> None:
    """All facts of the code are stated; facts of the topic are assumed as before."""
    facts_of_code = {"commit": "auto", "delivery.errors": "handled", "processing": "synchronous",
               "processing.errors": "retry"}  # fmt: skip
    sound = {"family": "java", "topic.replication.factor": "3", "topic.min.insync.replicas": "2",
             "consumer.auto.offset.reset": "earliest"}  # fmt: skip
    stated = {f"application.{name}": value for name, value in facts_of_code.items()}
    for fields, ending in ((sound, "if your application does what is assumed."),
                         (sound | stated, "these settings give it.")):  # fmt: skip
        pipeline, _ = from_fields(fields)
        assert pipeline is not None
        result = answer(pipeline)
        assert presentation.verdict(result, known_bugs(result)).endswith(ending)


def test_no_page_has_an_inline_style_or_script(client: Client) -> None:
    slug = walk(client, producer=RISKY)
    urls = [reverse("advisor:describe", args=[step.slug]) for step in steps(Family.JAVA)]
    for url in [*urls, reverse("advisor:advice", args=[slug])]:
        html = client.get(url).content.decode()
        assert not re.search(r"\sstyle=|<style|\son\w+=|javascript:", html), url
        assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", html)), url


def test_each_export_is_linked_and_downloaded_with_its_file_name(client: Client) -> None:
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


def test_an_unknown_export_is_404(client: Client) -> None:
    slug = walk(client)
    url = reverse("advisor:export", args=[slug, "carrier-pigeon"])
    assert client.get(url).status_code == 404


def test_an_impossible_wish_is_shown_with_the_nearest_one(client: Client) -> None:
    need = {"need.guarantee": "exactly-once"}
    slug = walk(client, client={"family": "spark"}, needs=need)
    html = client.get(reverse("advisor:advice", args=[slug])).content.decode()
    assert "No settings give exactly once here" in html
    assert "Nearest: at-least-once" in html
    words = re.findall(r"Nearest: [^<]*</p><p class=[^>]*>Sources: <cite>([^<]+)</cite></p>", html)
    assert len(words) == html.count("Nearest: ")
    assert any("Spark" in item for item in words)


@pytest.mark.wide  # compares every run that ships with today's rules first
def test_the_reasons_of_each_failure_have_sources(client: Client) -> None:
    slug = walk(client, topic={"topic.replication.factor": "3"}, producer=RISKY)
    html = client.get(reverse("advisor:reasons", args=[slug])).content.decode()
    reasons = re.findall(r'<article class="why-body".*?</article>', html, re.DOTALL)
    assert reasons
    assert all("Sources: " in reason for reason in reasons)


def test_the_report_has_each_reason_once_and_all_settings(client: Client) -> None:
    slug = walk(client, topic={"topic.replication.factor": "3"}, producer=RISKY)
    answer = find(slug).answer
    html = unescape(client.get(reverse("advisor:report", args=[slug])).content.decode())
    broken = [failure for failure in answer.judgement.failures if failure.breaks]
    (reason_list,) = re.findall(r'<ul class="reasons">.*?</ul>', html, re.DOTALL)
    lines = [re.sub(r"<[^>]+>", "", line) for line in re.findall(r"<p[ >].*?</p>", reason_list)]
    assert len(broken) > 1
    assert all(any(failure.title in line for line in lines) for failure in broken)
    explanations = [explanation for failure in broken for explanation in failure.permits.values()]
    assert len(set(explanations)) < len(explanations), "else nothing could be repeated"
    assert all(lines.count(explanation) < 2 for explanation in explanations)
    assert set(lines) & set(explanations)
    for setting in answer.in_force:
        stated = " stated" if setting.stated else ""
        assert f'<span class="key{stated}">{setting.key}={say(setting.value)}</span>' in html


@pytest.mark.wide  # compares every run that ships with today's rules first
def test_a_cell_of_the_report_links_to_its_reason(client: Client) -> None:
    slug = walk(client, topic={"topic.replication.factor": "3"}, producer=RISKY)
    page = reverse("advisor:reasons", args=[slug])
    html = client.get(reverse("advisor:report", args=[slug])).content.decode()
    marks = re.findall(r'<a class="cell [^>]*href="([^"#]*)#([^"]+)"', html)
    assert marks
    reasons = client.get(page).content.decode()
    for address, name in marks:
        assert address == f"http://testserver{page}"
        assert f'id="{name}"' in reasons
