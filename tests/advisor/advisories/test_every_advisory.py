"""Every advisory that a description can meet is named, with what it leaves and what clears it."""

from __future__ import annotations

import json
import re
from html import unescape
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from packaging.version import Version

from advisor import services
from advisor.advisories import Advisory, Part, advisories, match, part_versions
from advisor.advisories.model import Product
from advisor.advisories.releases import releases
from advisor.catalog import Component, Family, kafka_versions, versions, written
from advisor.intake.inputs import Inputs
from advisor.known_bugs import known_bugs
from advisor.reasoning.answer import Answer, answer
from advisor.reasoning.guarantees import FORBIDS, Boundary
from advisor.reasoning.pipeline import Pipeline
from advisor.reports.sarif import sarif
from advisor.reports.text import report
from tests.advisor.pipelines import described

pytestmark = pytest.mark.wide

FAMILY = {
    Part.BROKER: Family.JAVA, Part.PRODUCER: Family.JAVA, Part.CONSUMER: Family.JAVA,
    Part.CONNECT: Family.JAVA, Part.STREAMS: Family.STREAMS, Part.SPARK: Family.SPARK,
    Part.LIBRDKAFKA: Family.LIBRDKAFKA,
}  # fmt: skip
NEEDED = {
    "transactions": {"producer.transactional.id": "orders"},
    "exactly-once-streams": {"streams.processing.guarantee": "exactly_once_v2"},
    "compaction": {"topic.cleanup.policy": "compact"},
    "static-members": {"consumer.group.instance.id": "one"},
    "offsets-in-transaction": {"application.commit": "in-transaction",
                               "producer.transactional.id": "orders",
                               "consumer.enable.auto.commit": "false"},
    "idempotent-in-flight": {"producer.enable.idempotence": "true"},
    "min-partitions": {"consumer.minPartitions": "10"},
    "size-retention": {"topic.retention.bytes": "1000000"},
    "state": {"application.state": "logged"},
    "last-in-sync-disk-lost": {"application.disk.lost": "returns-empty"},
    "batches-above-limit": {"topic.max.message.bytes": "2000"},
    "record-above-limit-then-tiny": {"topic.max.message.bytes": "2000"},
}  # fmt: skip
"""What a description states so that it has a feature. It cannot say that others are absent."""
CLIENTS = {Part.PRODUCER, Part.CONSUMER, Part.STREAMS, Part.CONNECT}
TEXTS = {
    Product.LIBRDKAFKA: "librdkafka {}",
    Product.SPARK: "pyspark {}",
    Product.KAFKA: "kafka {}",
}


def affected(advisory: Advisory) -> list[Version]:
    """The releases that have the bug, oldest first."""
    return [release for release in releases(advisory.product) if advisory.affects(release)]


def met_by(advisory: Advisory) -> Pipeline | None:
    """A pipeline on the newest release with the bug that the catalog takes, with all it needs."""
    of_streams = any(need.component is Component.STREAMS for need in advisory.settings)
    family = Family.STREAMS if of_streams else FAMILY[advisory.part]
    lines = kafka_versions() if advisory.part is Part.BROKER else versions(family)
    line = [release for release in affected(advisory)
            if f"{release.major}.{release.minor}" in lines]  # fmt: skip
    if not line:
        return None
    running = {"kafka": str(line[-1])} if advisory.part is Part.BROKER else {
        "version": str(line[-1]), "kafka": kafka_versions()[0]}  # fmt: skip
    fields = {"family": family.value, **running}
    if advisory.part is Part.CONNECT:
        fields["application.framework"] = "connect"
    for feature in advisory.features:
        fields |= NEEDED.get(feature, {})
    for need in advisory.settings:
        fields[f"{need.component}.{need.setting}"] = written(need.values[0])
    return described(fields)


MET = [(advisory, pipeline) for advisory in advisories() if (pipeline := met_by(advisory))]
OLDER = [advisory for advisory in advisories() if advisory not in [met for met, _ in MET]]
EVERY_MET = pytest.mark.parametrize(
    ("advisory", "pipeline"), MET, ids=[advisory.id for advisory, _ in MET]
)


def test_most_can_be_met_by_a_description_and_the_others_are_of_releases_before_the_catalog() -> (
    None
):
    assert len(MET) >= 59
    for advisory in OLDER:
        first = min(Version(line) for line in (
            kafka_versions() if advisory.part is Part.BROKER else versions(FAMILY[advisory.part])
        ))  # fmt: skip
        assert all(release < first for release in affected(advisory)), advisory.id


@pytest.fixture(scope="module")
def answers() -> dict[str, Answer]:
    return {advisory.id: answer(pipeline) for advisory, pipeline in MET}


@EVERY_MET
def test_it_is_named_in_text_json_and_sarif(
    answers: dict[str, Answer], advisory: Advisory, pipeline: Pipeline
) -> None:
    given = answers[advisory.id]
    assert advisory.id in report(given)
    assert f"{advisory.id} " in report(given, verbose=True)
    data = services.to_json(given)
    [row] = [row for row in data["advisories"] if row["id"] == advisory.id]
    assert row["severity"] in ("high", "medium", "low")
    assert row["workaround"] == advisory.workaround
    assert row["anomalies"] == list(advisory.anomalies)
    [run] = sarif(given, Inputs())["runs"]
    assert advisory.id in [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert advisory.id in [result["ruleId"] for result in run["results"]]


@EVERY_MET
def test_the_guarantee_is_stated_with_it_and_without(
    answers: dict[str, Answer], advisory: Advisory, pipeline: Pipeline
) -> None:
    data = services.to_json(answers[advisory.id])
    [row] = [row for row in data["advisories"] if row["id"] == advisory.id]
    assert data["guarantee"].keys() == data["guarantee_with_advisories"]["possible"].keys()
    bugs = known_bugs(answers[advisory.id])
    left = bugs.guarantees if row["certainty"] == "hit" else bugs.at_worst
    assert not FORBIDS[left[Boundary.END_TO_END]] & {*advisory.anomalies}


@EVERY_MET
def test_the_smallest_upgrade_clears_it_and_no_smaller_one_clears_all(
    answers: dict[str, Answer], advisory: Advisory, pipeline: Pipeline
) -> None:
    bugs = known_bugs(answers[advisory.id])
    [upgrade] = [one for one in bugs.upgrades if advisory.id in (*one.clears, *one.remain)]
    later = [release for release in releases(advisory.product)
             if release > affected(advisory)[-1] or not advisory.affects(release)]  # fmt: skip
    if advisory.id in upgrade.remain:
        running = Version(upgrade.running)
        assert not [release for release in later if release > running], "a release ends it"
        return
    target, here = Version(upgrade.target), Version(upgrade.running)
    assert here < target
    assert not advisory.affects(target)
    parts = {advisory.part}
    if parts < CLIENTS:  # one release of all that the application is made of
        parts = CLIENTS & part_versions(pipeline).keys()
    cleared = [bug.advisory for bug in bugs.bugs if bug.advisory.id in upgrade.clears]
    named = {*upgrade.clears, *upgrade.remain}
    others = [one for one in advisories() if one.part in parts and one.id not in named]
    for release in releases(advisory.product):
        if here < release < target:
            assert any(one.affects(release) for one in cleared) or any(
                match(one, {one.part: str(release)}, pipeline) for one in others
            ), f"{release} would do"


@pytest.mark.django_db
@EVERY_MET
def test_the_page_of_an_advice_names_it_with_a_link(advisory: Advisory, pipeline: Pipeline) -> None:
    slug = services.save(pipeline).slug
    page = Client().get(reverse("advisor:advice", args=[slug])).content.decode()
    assert reverse("advisories:page", args=[advisory.slug]) in page


@pytest.mark.django_db
@pytest.mark.parametrize("advisory", advisories(), ids=lambda advisory: advisory.id)
def test_the_list_names_it_for_a_release_that_has_it(advisory: Advisory) -> None:
    text = TEXTS[advisory.product].format(affected(advisory)[-1])
    page = Client().get(reverse("advisories:index"), {"version": text}).content.decode()
    assert reverse("advisories:page", args=[advisory.slug]) in page
    out = StringIO()
    call_command("advisories", "--json", "--version", text, stdout=out)
    assert advisory.id in [row["id"] for row in json.loads(out.getvalue())]


@pytest.mark.django_db
@pytest.mark.parametrize("advisory", advisories(), ids=lambda advisory: advisory.id)
def test_its_own_page_has_all_that_is_known_of_it(advisory: Advisory) -> None:
    answered = Client().get(reverse("advisories:page", args=[advisory.slug]))
    text = " ".join(unescape(re.sub(r"<[^>]*>", "", answered.content.decode())).split())
    for words in (advisory.id, advisory.title, *advisory.mechanism, advisory.workaround):
        assert words.replace("`", "") in text
    for release in advisory.fixed:
        assert str(release) in text
    assert " ".join(advisory.checked.replace("`", "").split()) in text
