"""The reference: pages of failures, rules and settings, and their search."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse, reverse_lazy
from django.utils.html import escape

from advisor.catalog import Component, Family
from advisor.pages import reference
from advisor.reasoning.assess import assess
from advisor.reasoning.dependence import dependence, events_depending_on, events_measured_by
from advisor.reasoning.failures import all_events
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.rules import all_rules
from labs.engine.scenarios.unshown import UNSHOWN
from tests.advisor.pipelines import described
from tests.advisor.walking import RISKY, walk

pytestmark = pytest.mark.django_db


def html_of(client: Client, url: str, **headers: str) -> str:
    response = client.get(url, headers=headers)
    assert response.status_code == 200, url
    return response.content.decode()


PAGES: dict[str, str] = {}
"""Pages by address. Four tests read all of them."""


def page(client: Client, url: str) -> str:
    """A page of the reference, cached because it never changes."""
    if url not in PAGES:
        PAGES[url] = html_of(client, url)
    return PAGES[url]


@pytest.mark.wide
def test_every_page_opens_and_has_no_broken_links(client: Client) -> None:
    names = {entry.url for entry in reference.entries()} | {reverse("reference:index")}
    modelled = [entry for entry in reference.entries() if entry.modelled]
    others = [entry for entry in reference.entries() if not entry.modelled]
    for entry in [*modelled, *others[::20]]:
        html = page(client, entry.url)
        assert len(re.findall(r"<h1", html)) == 1, entry.url
        assert re.search("Sources</(dt|h2)>", html), entry.url
        assert set(re.findall(r'href="(/reference/[^"]*)"', html)) <= names, entry.url
        ids = re.findall(r'\sid="([^"]+)"', html)
        assert len(ids) == len(set(ids)), entry.url


def test_every_failure_and_rule_is_in_the_index(client: Client) -> None:
    html = html_of(client, reverse("reference:index"))
    for event in all_events():
        assert f'href="{reverse("reference:failure", args=[event.name])}"' in html
    for rule in all_rules():
        assert f'href="{reverse("reference:rule", args=[rule.code])}"' in html
    assert f'href="{reverse("reference:setting", args=["consumer", "startingOffsets"])}"' in html


def test_a_search_filters_and_lists_names_first(client: Client) -> None:
    url = reverse("reference:index")
    html = html_of(client, f"{url}?q=ACKS&kind=setting")
    first = re.search(r"<dt><a href=\"([^\"]+)\"", html)
    assert first
    assert first[1] == reverse("reference:setting", args=["producer", "acks"])
    assert reverse("reference:failure", args=["leader-killed"]) not in html
    assert "No page contains all of these words" in html_of(client, f"{url}?q=acks+kettle")
    entries = reference.search("message.timeout.ms")
    assert "producer delivery.timeout.ms" in [entry.name for entry in entries], "by its other name"
    part = html_of(client, f"{url}?q=leader", **{"HX-Request": "true"})
    assert "<html" not in part
    assert "leader-killed" in part
    assert " with “leader”" in part
    assert " with “" not in html_of(client, f"{url}?q=++")
    assert "<script>" not in html_of(client, f"{url}?q=<script>&kind=<b>").partition("<h1>")[2]


def test_a_setting_has_defaults_by_client_and_version(client: Client) -> None:
    html = html_of(client, reverse("reference:setting", args=["producer", "acks"]))
    assert "ProducerConfig</a> <code>acks</code>" in html
    rows = [re.sub(r"<[^>]+>", " ", row) for row in re.findall(r"<tr>.*?</tr>", html)]
    lines = [" ".join(row.split()) for row in rows]
    assert any(row.startswith("Java client 2.8 1 ") for row in lines)
    assert any(row.startswith("Java client 3.0 to 4.4 all ") for row in lines)
    assert any(row.startswith("librdkafka 2.0 to 2.16 all ") for row in lines)
    spark = html_of(client, reverse("reference:setting", args=["producer", "transactional.id"]))
    assert "Spark&#x27;s Kafka sink does not do transactions" in spark


def test_a_setting_with_different_meanings_names_the_client(client: Client) -> None:
    idempotence = html_of(
        client, reverse("reference:setting", args=["producer", "enable.idempotence"])
    )
    assert '<span class="muted">librdkafka:</span> The broker drops' in idempotence
    one = html_of(client, reverse("reference:setting", args=["consumer", "isolation.level"]))
    assert '<p class="lede">Whether messages of open and aborted' in one


@pytest.mark.parametrize("url", [
    reverse_lazy("reference:failure", args=["acknowledgement-lost"]),
    reverse_lazy("reference:setting", args=["producer", "enable.idempotence"]),
    reverse_lazy("reference:rule", args=["P002"]),
])  # fmt: skip
def test_a_named_scenario_is_linked(client: Client, url: str) -> None:
    address = f"{reverse('labs:scenarios')}#acknowledgement-lost"
    assert f'<a href="{address}">' in html_of(client, url)
    assert 'id="acknowledgement-lost"' in html_of(client, reverse("labs:scenarios"))


def test_a_setting_that_is_not_modelled_is_found_only_by_a_search(client: Client) -> None:
    index = reverse("reference:index")
    option = reverse("reference:setting", args=["consumer", "fetchOffset.numRetries"])
    assert f'href="{option}"' not in html_of(client, index)
    assert f'href="{option}"' in html_of(client, f"{index}?q=fetchoffset")
    html = html_of(client, option)
    assert reference.UNUSED in html
    assert "structured-streaming-kafka-integration.md" in html
    rows = re.findall(r"<tr><th scope=\"row\">(.*?)</th><td[^>]*>(.*?)</td>", html)
    assert [(who, where.strip()) for who, where in rows] == [
        ("Spark Structured Streaming", "4.0 to 4.2")
    ]
    assert reference.search("compression.type")[0].modelled is False
    results = [entry.modelled for entry in reference.search("timeout")]
    assert results == sorted(results, reverse=True)


def test_a_failure_names_its_experiment(client: Client) -> None:
    for event in all_events():
        html = page(client, reverse("reference:failure", args=[event.name]))
        assert event.scenario in html


@pytest.mark.wide
def test_rules_and_settings_name_their_experiment_or_that_there_is_none(
    client: Client,
) -> None:
    scenarios = {event.scenario for event in all_events()}
    for entry in reference.entries():
        if entry.kind in ("rule", "setting") and entry.modelled:
            html = page(client, entry.url)
            named = set(
                re.findall(r'experiment <a href="[^"]+"><span class="key">([\w-]+)</span>', html)
            )
            assert named <= scenarios
            assert named or "no experiment shows what it does: " in html, entry.name


def test_exactly_the_settings_without_an_experiment_have_a_reason(client: Client) -> None:
    unshown = set()
    for entry in reference.entries():
        if entry.kind == "setting" and entry.modelled:
            component, name = entry.name.split()
            key = (Component(component), name)
            rules = [rule for rule in all_rules() if (rule.component, rule.setting) == key]
            if not (
                events_depending_on(key) or events_measured_by(key) or reference.shown_by(rules)
            ):
                unshown.add(f"{component}.{name}")
                assert escape(UNSHOWN[f"{component}.{name}"]) in page(client, entry.url)
    assert unshown == UNSHOWN.keys()
    codes = {rule.code for rule in all_rules() if f"{rule.component}.{rule.setting}" in unshown}
    assert codes == {"C008", "C010", "S007"}


def test_a_rule_that_a_similar_failure_shows_names_it(client: Client) -> None:
    scenarios = {event.name: event.scenario for event in all_events()}
    data = {rule.code: rule.shown_by for rule in all_rules() if rule.shown_by}
    assert data.keys() == {"B006", "B007", "B009", "C011"}
    for rule in all_rules():
        urls = [reverse("reference:rule", args=[rule.code]),
                reverse("reference:setting", args=[rule.component, rule.setting])]  # fmt: skip
        for similar in rule.shown_by:
            for html in (page(client, url) for url in urls):
                assert f"The same, {escape(similar.how)}. Shown by: the experiment" in html
                assert f'<span class="key">{scenarios[similar.event]}</span>' in html


@pytest.mark.parametrize("url", [
    "/reference/failures/none/", "/reference/rules/X999/", "/reference/settings/kettle/on/",
    "/reference/settings/producer/akcs/",
])  # fmt: skip
def test_an_unknown_name_is_404(client: Client, url: str) -> None:
    assert client.get(url).status_code == 404


@pytest.mark.wide  # compares every run that ships with today's rules first
def test_the_advice_and_its_reasons_link_to_the_pages(client: Client) -> None:
    slug = walk(client, topic={"topic.replication.factor": "1"}, producer=RISKY)
    pages = ("advisor:advice", "advisor:reasons")
    html = "".join(html_of(client, reverse(page, args=[slug])) for page in pages)
    links = set(re.findall(r'href="(/reference/[^"]+)"', html))
    assert links <= {entry.url for entry in reference.entries()}
    pipeline = described({"topic.replication.factor": "1", **RISKY})
    for finding in assess(pipeline).findings:
        assert reverse("reference:rule", args=[finding.rule.code]) in links
    for failure in assess(pipeline).failures:
        assert reverse("reference:failure", args=[failure.event.name]) in links
    assert reverse("reference:setting", args=["topic", "replication.factor"]) in links


def test_a_failure_depends_on_the_settings_that_change_it() -> None:
    by_acks = {event.name for event in events_depending_on((Component.PRODUCER, "acks"))}
    assert {"leader-killed-followers-behind", "broker-disk-lost"} <= by_acks
    assert not {"spark-speculation", "all-replicas-lose-power"} & by_acks
    dependences = {event.name: dependence(event) for event in all_events()}
    topic = {
        name for part, name in dependences["broker-disk-lost"].settings if part is Component.TOPIC
    }
    assert topic == {"replication.factor", "min.insync.replicas", "remote.storage.enable"}
    assert dependences["spark-checkpoint-lost"].settings == {
        (Component.APPLICATION, "checkpoint"), (Component.CONSUMER, "startingOffsets"),
    }  # fmt: skip
    assert set(dependences["spark-restarted"].anomalies) == {Family.SPARK}
    anomalies = dependences["leader-killed-followers-behind"].anomalies
    assert all(Anomaly.LOST_WRITE in anomalies[family] for family in Family)


def test_a_removed_setting_is_found_and_marked(client: Client) -> None:
    [entry] = reference.search("offsets.commit.required.acks")
    assert entry.summary.startswith(reference.GONE)
    assert not entry.modelled
    html = page(client, entry.url)
    rows = re.findall(r"<tr><th scope=\"row\">.*?</th><td[^>]*>(.*?)</td>(.*?)</tr>", html)
    assert {where.strip(): "no such setting" in answer for where, answer in rows} == {
        "Kafka 4.0 to 4.3": True, "Kafka 2.8 to 3.9": False,
    }  # fmt: skip
    assert not [item for item in reference.entries() if item.modelled and item.summary.startswith(
        reference.GONE)]  # fmt: skip


def test_defaults_of_brokers_cover_older_versions() -> None:
    [java, *_] = reference.by_family(Component.BROKER, "min.insync.replicas")
    assert [span.versions for span in java.spans] == ["2.8 to 4.3"]


def test_a_setting_that_only_changes_durations_or_amounts_says_so(
    client: Client,
) -> None:
    for part, name, decides, measures in (
        (Component.TOPIC, "retention.ms", "retention-overtakes-reader", ""),
        (Component.BROKER, "offsets.retention.minutes", "group-offsets-expired", ""),
        (Component.PRODUCER, "request.timeout.ms", "followers-slow", ""),
        (Component.STREAMS, "topic.min.insync.replicas", "streams-internal-topics-lost", ""),
        (Component.STREAMS, "production.exception.handler", "delivery-error-ignored", ""),
        (Component.CONSUMER, "max.poll.interval.ms", "", "rebalance-during-processing"),
        (Component.PRODUCER, "partitioner", "order-given-up", "keys-moved"),
        (Component.PRODUCER, "batch.size", "record-too-large", ""),
        (Component.BROKER, "group.min.session.timeout.ms", "", ""),
    ):
        dependent, measured = events_depending_on((part, name)), events_measured_by((part, name))
        assert {decides} - {""} <= {event.name for event in dependent}, name
        assert {measures} - {""} <= {event.name for event in measured}, name
        assert not {*dependent} & {*measured}
        html = html_of(client, reverse("reference:setting", args=[part, name]))
        assert ("None in our list" in html) == (not decides and not measures), name
        for event in (*dependent, *measured):
            assert reverse("reference:failure", args=[event.name]) in html
        assert ("decides how long or how much" in html) == bool(measured)


@pytest.mark.parametrize(
    ("address", "section"),
    [("reference:index", "Reference"), ("advisories:index", "Reference"),
     ("concepts:index", "Reference"), ("labs:scenarios", "Experiments"),
     ("advisor:start", "Check settings"), ("labs:sign-in", "Learn"), ("labs:sign-up", "Learn")],
)  # fmt: skip
def test_the_navigation_marks_the_current_section(
    client: Client, address: str, section: str
) -> None:
    page = client.get(reverse(address), follow=True).content.decode()
    assert re.findall(r'aria-current="page">([^<]+)</a></li>', page) == [section]
