"""Links from the words of the concepts to their pages: which mentions are linked."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from advisor.concepts import all_concepts
from advisor.concepts.mentions import linked
from labs.models import State
from tests.addresses import addresses
from tests.labs import make, watched

pytestmark = pytest.mark.django_db

UNTOUCHED = re.compile(r"<(form|a class=\"card).*?</(form|a)>", re.DOTALL)
LINK = re.compile(r'<a class="term" href="/concepts/([^/]+)/">([^<]*)</a>')
WORDS = {
    "an offset": "offset-and-log", "its log": "offset-and-log", "two replicas": "isr",
    "the ISR": "isr", "the high watermark": "high-watermark", "the leader epoch": "leader-epoch",
    "truncation": "leader-epoch", "the log end offset": "log-end-offset", "the ELR": "elr",
    "an acknowledgement": "acknowledgement", "the idempotent producer": "idempotent-producer",
    "the group": "group", "a rebalance": "group", "the committed offset": "committed-offset",
    "two transactions": "transaction", "the last stable offset": "transaction",
    "a checkpoint": "checkpoint", "one fsync": "fsync", "the page cache": "fsync",
    "a zombie": "zombie",
}  # fmt: skip


def concepts(html: str) -> list[str]:
    return [name for name, _ in LINK.findall(linked(html, "/concepts/{}/".format))]


@pytest.mark.parametrize("text", WORDS)
def test_each_word_links_to_its_concept(text: str) -> None:
    assert concepts(f"<p>Here is {text}.</p>") == [WORDS[text]]


def test_only_the_first_mention_is_linked() -> None:
    text = "<p>The high watermark waits.</p> <p>Nobody reads beyond a <b>high watermark</b>.</p>"
    assert linked(text, "/concepts/{}/".format) == text.replace(
        "high watermark", '<a class="term" href="/concepts/high-watermark/">high watermark</a>', 1
    )


@pytest.mark.parametrize(
    "html",
    [
        "<a href='/x/'>its <b>log</b></a>", "<code>log</code>", "<h2>The log</h2>",
        "<form><p>Which log?</p></form>", "<button>Read the log</button>", "<th>log</th>",
        "<summary>The log</summary>", '<svg><text class="key">log</text></svg>',
        '<span class="mark kind-lost"><svg><use/></svg>log</span>', '<p class="x" hidden>A log</p>',
        '<span class="visually-hidden">the log</span>', "<cite>The log, section 2</cite>",
        '<div hx-trigger="every 1s"><div>a log</div> the log</div>', "<i title='a log > b'>1</i>",
        "epochs.of", "flush.messages=1", "transactional", "log.dirs=/log", "catalogue",
        "one transaction of the database", "only a line in the log says so",
    ],
)  # fmt: skip
def test_links_code_headings_forms_and_labels_get_no_links(html: str) -> None:
    assert concepts(html) == []
    assert concepts(f"{html} <br hidden> and the log") == ["offset-and-log"]


def test_each_article_and_each_details_element_has_its_own_first_mention() -> None:
    assert concepts("<p>A log</p><article>A log</article><article>A log, a log</article>") == (
        ["offset-and-log"] * 3
    )
    fold = "<details><summary>More</summary>a log, a zombie</details>"
    assert concepts(f"<p>A log</p>{fold}<p>a zombie</p>") == ["offset-and-log", "zombie", "zombie"]


def test_a_link_of_the_template_is_the_first_mention() -> None:
    link = '<a class="term" href="/concepts/offset-and-log/">logs</a>'
    assert concepts(f"<p>{link} and a log</p>") == ["offset-and-log"]


def test_the_longest_word_wins() -> None:
    assert concepts("<p>its log end offset</p>") == ["log-end-offset"]


def test_a_concept_page_does_not_link_to_itself(client: Client) -> None:
    for concept in all_concepts():
        html = client.get(f"/concepts/{concept.name}/").content.decode()
        assert LINK.findall(html), concept.name
        assert concept.name not in dict(LINK.findall(html))


WORDS_IN_PROSE = {"high watermark": "high-watermark", "rebalance": "group", "page cache": "fsync"}


@pytest.mark.wide
def test_every_page_links_the_words_of_its_prose_to_their_concepts(client: Client) -> None:
    """Only prose outside of forms and labels; links, code, buttons and headings have none."""
    seen: set[str] = set()
    for name, address in addresses():
        answer = client.get(address)
        html = answer.content.decode() if "html" in answer.get("Content-Type", "") else ""
        main = html[html.find("<main") : html.find("</main>")]
        if not main or answer.has_header("Content-Disposition"):
            continue
        met = dict(LINK.findall(main))
        for paragraph in re.findall(r"<p(?: class=\"[^\"]*\")?>[^<]*</p>", UNTOUCHED.sub("", main)):
            for word, concept in WORDS_IN_PROSE.items():
                if f" {word}" in paragraph:
                    assert concept in met, f"{name}: {paragraph}"
        assert not re.search(r"<(a|code|button|h\d)\b[^>]*>[^<]*<a class=\"term\"", main), name
        seen |= met.keys()
    assert seen == {concept.name for concept in all_concepts()}


def test_a_live_part_has_links_only_after_the_run(client: Client) -> None:
    running, done = watched.experiment(4.0), make.experiment(State.DONE, "broken", "holds")
    for experiment, linked_words in ((running, False), (done, True)):
        part = client.get(f"{experiment.get_absolute_url()}live/", headers={"hx-request": "true"})
        assert bool(LINK.search(part.content.decode())) is linked_words


def test_a_saved_file_has_no_concept_links(client: Client) -> None:
    saved = client.get(f"{make.recorded().get_absolute_url()}run.html").content.decode()
    assert "acknowledged" in saved
    assert 'class="term"' not in saved
