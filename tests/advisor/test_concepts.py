"""The concepts: their files, pages, drawings and sources, and how the search finds them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.template import Context, Template
from django.test import Client
from django.urls import reverse

from advisor.concepts import ConceptError, all_concepts, load
from advisor.pages import reference, synonyms
from advisor.templatetags.refer import concept

pytestmark = pytest.mark.django_db

HEAD = {
    "title": '"Lag"', "order": "1", "words": '["lag"]', "also": "[]", "short": "[]",
    "drawing": '"two logs"',
    "see": '["toy"]', "sources": '[["a", "https://kafka.apache.org/"]]',
}  # fmt: skip
BY_NAME = {concept.name: concept for concept in all_concepts()}


def write_concept(folder: Path, text: str = "Words.", **head: str) -> Path:
    lines = "\n".join(f"{key} = {value}" for key, value in (HEAD | head).items() if value)
    path = folder / "lag.md"
    path.write_text(f"+++\n{lines}\n+++\n{text}\n", "utf-8")
    (folder / "lag.svg").write_text("<svg/>", "utf-8")
    return path


@pytest.mark.wide
@pytest.mark.parametrize("name", BY_NAME)
def test_each_concept_has_a_page_without_broken_links(client: Client, name: str):
    html = client.get(reverse("concepts:concept", args=[name])).content.decode()
    inner = html.partition("<main")[2].partition("</main>")[0]
    assert "<svg" in inner
    for address in re.findall(r'href="(/[^"#]*)(?:#([^"]*))?"', inner):
        answer = client.get(address[0])
        assert answer.status_code == 200, address
        assert not address[1] or f'id="{address[1]}"' in answer.content.decode(), address
    assert BY_NAME[name].sources
    assert all(url.startswith("https://") for _, url in BY_NAME[name].sources)
    assert BY_NAME[name].see


def test_each_concept_links_to_a_lesson():
    assert all(any(see.kind == "lesson" for see in item.see) for item in all_concepts())


def test_the_index_shows_the_drawing_of_each_concept(client: Client):
    html = client.get(reverse("concepts:index")).content.decode()
    for item in all_concepts():
        assert f'href="{reverse("concepts:concept", args=[item.name])}"' in html
        assert item.svg in html


def test_no_word_belongs_to_two_concepts():
    words = [word for concept in all_concepts() for word in concept.words]
    assert len(words) == len(set(words))
    assert words == [word.lower() for word in words]


@pytest.mark.parametrize("name", BY_NAME)
def test_drawings_use_the_colours_of_the_page_and_load_nothing(name: str):
    drawing = BY_NAME[name].svg
    assert not re.search(r"<script|href|url\(|style=|fill=|stroke=\"|#[0-9a-f]{3}|on\w+=", drawing)


def test_an_unknown_concept_is_404(client: Client):
    assert client.get("/concepts/xyz/").status_code == 404


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"title": ""}, "too much or missing in its head: title"),
        ({"colour": '"red"'}, "too much or missing in its head: colour"),
        ({"see": '["lesson"]'}, "'lesson' names no page"),
        ({"see": '["movie x"]'}, "'movie x' names no page"),
        ({"order": "["}, "lag.md: "),
    ],
)
def test_an_invalid_concept_file_is_refused(tmp_path: Path, changes: dict[str, str], message: str):
    with pytest.raises(ConceptError, match=re.escape(message)):
        load(write_concept(tmp_path, **changes))


def test_long_texts_missing_heads_and_missing_drawings_are_refused(tmp_path: Path):
    with pytest.raises(ConceptError, match="more than 250 words"):
        load(write_concept(tmp_path, "word " * 251))
    path = write_concept(tmp_path)
    path.with_suffix(".svg").unlink()
    with pytest.raises(ConceptError, match=r"no drawing lag\.svg"):
        load(path)
    path.write_text("Words.", "utf-8")
    with pytest.raises(ConceptError, match="a head between two lines"):
        load(path)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("duplicate", "idempotent-producer"), ("hw", "high-watermark"), ("fsync", "fsync"),
        ("lso", "transaction"), ("ISR", "isr"), ("leo", "log-end-offset"), ("elr", "elr"),
        ("rebalance", "group"), ("zombie", "zombie"), ("redelivery", "committed-offset"),
    ],
)  # fmt: skip
def test_the_search_finds_a_concept_by_its_synonyms(query: str, first: str):
    entries = reference.search(query)
    assert entries[0].url == reverse("concepts:concept", args=[first])


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("split brain", "leader-cut-off"), ("poison pill", "unprocessable-message"),
        ("static membership", "static-member-lost"), ("dlq", "dead-letter-refused"),
        ("durability", "last-replica-loses-power"), ("EOS", "S003"),
    ],
)  # fmt: skip
def test_the_search_finds_failures_and_rules_by_their_synonyms(query: str, name: str):
    results = reference.search(query)
    assert name in " ".join(entry.name for entry in results)
    assert len(results) < len(reference.entries()) / 5


def test_three_letters_match_only_the_beginning_of_a_word():
    assert synonyms.holds("it also stops", "lso") is False
    assert all(synonyms.holds(text, "log") for text in ("logs", "of a log.", "(log", "clean_log"))
    assert synonyms.holds("catalog", "log") is False
    assert synonyms.holds("catalog", "talog")


def test_an_abbreviation_finds_entries_with_the_full_words():
    whole = {entry.name for entry in reference.search("in-sync", "failure")}
    assert "leader-killed" in whole
    assert whole <= {entry.name for entry in reference.search("isr", "failure")}


def test_an_unknown_concept_in_a_template_is_an_error():
    page = Template('{% load refer %}{% concept "isr" %}, {% concept "elr" "ELR" %}')
    shown = page.render(Context())
    assert shown == (
        '<a class="term" href="/concepts/isr/">in-sync set</a>, '
        '<a class="term" href="/concepts/elr/">ELR</a>'
    )
    with pytest.raises(LookupError):
        concept("xyz")
