"""The first screen of the advice has the decision. Details are folded."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.urls import reverse

from advisor import services
from advisor.pages.picture import picture
from advisor.pages.steps import in_order
from advisor.reasoning.guarantees import Boundary, Guarantee
from labs.models import State
from tests.advisor.answers import RISKY
from tests.advisor.pipelines import described
from tests.labs import make

pytestmark = pytest.mark.django_db

MOST_WORDS = 1_200
PIPELINES = (
    RISKY,
    {"producer.acks": "1"},
    {**RISKY, "need.guarantee": "exactly-once", "need.survive": "2"},
    {"family": "spark", "need.guarantee": "exactly-once"},
    {"family": "streams", "need.guarantee": "exactly-once", "kafka": "3.3"},
    {"family": "librdkafka", "producer.acks": "0", "consumer.enable.auto.offset.store": "true"},
)
VOID = {"input", "meta", "link", "br", "hr", "path", "circle", "rect", "use"}


OFF_SCREEN = {"visually-hidden", "paper-only"}


class Unfolded(HTMLParser):
    """Collects the words that a reader sees in `<main>` before unfolding anything."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self._open: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            return
        by_name = dict(attrs)
        outer = self._open[-1] if self._open else ("", tag == "main")
        seen = outer[1] or tag == "main"
        if outer[0] == "folded":
            seen = seen and tag == "summary"
        hidden = not OFF_SCREEN.isdisjoint((by_name.get("class") or "").split())
        folded = tag == "details" and "open" not in by_name
        self._open.append(("folded" if folded else tag, seen and not hidden))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1][1] and self._open[-1][0] != "folded":
            self.words += data.split()


def unfolded(html: str) -> list[str]:
    parser = Unfolded()
    parser.feed(html)
    return parser.words


def advice(client: Client, fields: dict[str, str]) -> str:
    slug = services.save(described(fields)).slug
    return client.get(reverse("advisor:advice", args=[slug])).content.decode()


def test_folded_words_are_not_counted() -> None:
    html = (
        "<p>no</p><main>one <b>two</b><details><summary>three</summary><p>no</p></details>"
        "<details open><p>four</p></details><br><span class=visually-hidden>no</span> five</main>no"
    )
    assert unfolded(html) == ["one", "two", "three", "four", "five"]


@pytest.mark.parametrize("fields", PIPELINES, ids=str)
def test_no_advice_page_is_longer_than_the_limit(client: Client, fields: dict[str, str]) -> None:
    words = unfolded(advice(client, fields))
    assert "need" in words
    assert len(words) <= MOST_WORDS


@pytest.mark.parametrize("fields", PIPELINES, ids=str)
def test_the_first_screen_has_the_verdict_the_changes_with_prices_and_the_proof(
    client: Client, fields: dict[str, str]
) -> None:
    html = advice(client, fields)
    first = html.partition('class="deciding"')[2].partition("</section>")[0]
    result = services.answer(described(fields))
    for name in result.judgement.guarantees.values():
        assert f"guarantee-{name}" in first
    for step in in_order(result.wanted.changes)[: 4 - bool(result.wanted.impossible)]:
        assert step.change.setting in first
        assert f"Price: {step.paid_in or 'none'}" in first
    assert "Prove it on real brokers" in first
    assert ", with these settings" in first


def test_settings_that_cannot_work_are_explained_and_no_run_is_offered(client: Client) -> None:
    html = advice(client, {"topic.max.message.bytes": "10"})
    first = html.partition('class="deciding"')[2].partition("</section>")[0]
    assert "this pipeline cannot work with these settings" in first
    assert "max.message.bytes=10: even a batch of one empty record" in first
    assert "Prove it on real brokers" not in first
    assert "Change the answers" in first


@pytest.mark.wide  # compares every run that ships with today's rules first
def test_every_cell_of_the_matrix_links_to_a_reason(client: Client) -> None:
    html = advice(client, RISKY)
    marks = re.findall(r'<a class="cell [^"]*" href="([^"#]+)#([^"]+)"', html)
    assert marks
    (page,) = {address for address, _ in marks}
    reasons = client.get(page).content.decode()
    named = set(re.findall(r'<article class="why-body" id="([^"]+)"', reasons))
    assert {name for _, name in marks} <= named
    for target in re.findall(r'<li><a href="#([a-z-]+)">', html.partition('class="contents')[2]):
        assert f'id="{target}"' in html


def test_harmless_failures_are_all_folded(client: Client) -> None:
    html = advice(client, RISKY)
    harmless = [
        failure.title
        for failure in services.answer(described(RISKY)).judgement.failures
        if not failure.permits and not failure.absorbed
    ]
    folded = unescape(html.partition("that cannot harm a message")[2].partition("</details>")[0])
    assert harmless
    assert all(title in folded for title in harmless)
    table = html.partition('<table class="matrix">')[2].partition("</table>")[0]
    assert not any(title in table for title in harmless)


def test_the_advice_lists_finished_runs_with_these_settings(client: Client) -> None:
    slug = services.save(described(RISKY)).slug
    url = reverse("advisor:advice", args=[slug])
    assert "Already run" not in client.get(url).content.decode()
    done = make.experiment(State.DONE, "broken", "holds", pipeline=slug)
    first = client.get(url).content.decode().partition("Already run")[2].partition("</ul>")[0]
    assert done.get_absolute_url() in first
    assert "985 lost" in first
    assert "nothing forbidden was seen" in first


def test_the_picture_draws_at_most_five_copies() -> None:
    result = dict.fromkeys(Boundary, Guarantee.NONE)
    assert len(picture(result, 3).bars) == 3
    assert len(picture(result, 9).bars) == 5
    assert picture(result, None).copies is None
    assert len(set(picture(result, 5).bars)) == 5
