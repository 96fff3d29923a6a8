"""The pages of the known bugs, and the known bugs on the advice page."""

from __future__ import annotations

import pytest
from django.urls import reverse

from advisor import services
from advisor.advisories import advisories
from advisor.templatetags.refer import source_words

pytestmark = pytest.mark.django_db


def advisory_list(client, **query):
    return client.get(reverse("advisories:index"), query)


def test_every_advisory_is_listed_and_its_page_links_to_its_sources(client):
    page = advisory_list(client).content.decode()
    for advisory in advisories():
        address = reverse("advisories:page", args=[advisory.slug])
        assert address in page
        text = client.get(address).content.decode()
        assert advisory.id in text
        for source in advisory.sources:
            assert not source.startswith("https://") or f'href="{source}"' in text, advisory.id


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("https://issues.apache.org/jira/browse/KAFKA-9144", "KAFKA-9144"),
        ("https://github.com/apache/kafka/pull/7687", "apache/kafka pull request 7687"),
        ("https://github.com/confluentinc/librdkafka/issues/3020",
         "confluentinc/librdkafka issue 3020"),
        ("https://cwiki.apache.org/confluence/display/KAFKA/KIP-966%3A+Eligible+Leader+Replicas",
         "cwiki.apache.org/confluence/display/KAFKA/KIP-966: Eligible Leader Replicas"),
        ("https://www.example.org/", "example.org/"),
    ],
)  # fmt: skip
def test_a_source_url_has_a_readable_name(source, words):
    assert source_words(source) == words


def test_the_page_writes_librdkafka_in_lower_case(client):
    text = client.get(reverse("advisories:page", args=["librdkafka--3169"])).content.decode()
    assert "<dd>librdkafka 1.2.0 to before 1.5.3" in text


def test_an_unknown_advisory_is_404(client):
    assert client.get(reverse("advisories:page", args=["kafka-0"])).status_code == 404


def test_a_version_filters_the_list_without_javascript(client):
    page = advisory_list(client, version="cp-kafka:7.2.0").content.decode()
    assert reverse("advisories:page", args=["kafka-14055"]) in page
    assert "3.2 (broker)" in page
    other = advisory_list(client, version="apache/kafka:3.2.1").content.decode()
    assert reverse("advisories:page", args=["kafka-14055"]) not in other


def test_htmx_receives_only_the_list(client):
    page = client.get(reverse("advisories:index"), {"q": "14055"}, headers={"hx-request": "true"})
    assert "<html" not in page.content.decode()
    assert "kafka-14055" in page.content.decode()
    assert "HX-Request" in page.headers["Vary"]


def test_an_invalid_version_is_shown_again_and_escaped(client):
    page = advisory_list(client, version="<newest>")
    assert page.status_code == 400
    assert "&lt;newest&gt;</textarea>" in page.content.decode()


def test_an_empty_list_does_not_claim_that_a_release_is_safe(client):
    page = advisory_list(client, version="apache/kafka:4.4.0").content.decode()
    assert "does not prove that the release has no bug" in page


def advice_page(client, **fields):
    pipeline, problems = services.from_fields(fields)
    assert pipeline is not None, problems
    slug = services.save(pipeline).slug
    return client.get(reverse("advisor:advice", args=[slug])).content.decode()


def test_the_advice_names_certain_bugs_and_the_upgrade(client):
    page = advice_page(client, version="3.2.0", kafka="4.3.1")
    assert reverse("advisories:page", args=["kafka-14024"]) in page
    assert "Java clients 3.2.0 → 3.9.2" in page


def test_a_bug_that_breaks_the_wish_is_shown_next_to_the_verdict(client):
    fields = {"version": "3.9.0", "consumer.group.protocol": "consumer"}
    assert "whatever the settings" in advice_page(client, **fields, kafka="4.3.1")
    assert "whatever the settings" not in advice_page(client, version="3.2.0", kafka="4.3.1")


def test_the_advice_without_known_bugs_has_no_section_for_them(client):
    assert 'id="known-bugs"' not in advice_page(client, version="4.3.1", kafka="4.3.1")


def test_the_printed_report_shows_known_bugs_unfolded(client):
    pipeline, problems = services.from_fields({"version": "3.2.0", "kafka": "4.3.1"})
    assert pipeline is not None, problems
    slug = services.save(pipeline).slug
    page = client.get(reverse("advisor:report", args=[slug])).content.decode()
    assert "KAFKA-14024" in page
    assert "<summary>" not in page.partition('id="known-bugs"')[2].partition("</section>")[0]


BROKEN = [("3.9.0", True), ("4.0.2", False)]
"""The consumer's version, and whether KAFKA-18641 breaks the guarantee of its settings."""


@pytest.mark.parametrize("page", ["advisor:advice", "advisor:report"])
@pytest.mark.parametrize(("version", "breaks"), BROKEN)
def test_the_headline_and_the_title_say_that_a_known_bug_breaks_the_guarantee(
    client, page, version, breaks
):
    text = _page(client, page, version)
    title = text.partition("<title>")[2].partition("</title>")[0]
    first = text.partition('id="verdict">')[2].partition("</h1>")[0]
    for sentence in (title, first):
        assert "these settings give" in sentence
        assert ("A known bug of these releases breaks it." in sentence) is breaks
    assert ("No setting has to change, but" in text) is breaks
    assert not (breaks and "Nothing to change for" in text)
    before_the_harm = text.partition("</h1>")[2].partition('class="lede"')[0]
    assert ("KAFKA-18641" in before_the_harm) is breaks


@pytest.mark.parametrize("page", ["advisor:reasons", "advisor:in-force"])
@pytest.mark.parametrize(("version", "breaks"), BROKEN)
def test_the_title_of_related_pages_says_that_a_known_bug_breaks_the_guarantee(
    client, page, version, breaks
):
    title = _page(client, page, version).partition("<title>")[2].partition("</title>")[0]
    assert ("A known bug of these releases breaks it." in title) is breaks


@pytest.mark.parametrize(("version", "breaks"), BROKEN)
def test_the_link_preview_says_that_a_known_bug_breaks_the_guarantee(client, version, breaks):
    preview = _page(client, "advisor:advice", version).partition('"og:title" content="')[2]
    assert ("A known bug of these releases breaks it." in preview.partition('"')[0]) is breaks


def _page(client, name: str, version: str) -> str:
    """A page for settings that give at-least-once, with a consumer of this version."""
    pipeline, problems = services.from_fields({
        "version": version, "kafka": "4.3.1", "consumer.group.protocol": "consumer",
        "producer.acks": "all", "topic.replication.factor": "3",
        "topic.min.insync.replicas": "2", "consumer.auto.offset.reset": "earliest",
    })  # fmt: skip
    assert pipeline is not None, problems
    slug = services.save(pipeline).slug
    text: str = client.get(reverse(name, args=[slug])).content.decode()
    return text
