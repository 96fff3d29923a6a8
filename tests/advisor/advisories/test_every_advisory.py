"""Every advisory that a pipeline can match is ids, with its guarantee and its upgrade."""

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
"""Settings that give a pipeline a feature. No setting states that another one is absent."""
CLIENTS = {Part.PRODUCER, Part.CONSUMER, Part.STREAMS, Part.CONNECT}
TEXTS = {
    Product.LIBRDKAFKA: "librdkafka {}",
    Product.SPARK: "pyspark {}",
    Product.KAFKA: "kafka {}",
}


def affected_releases(advisory: Advisory) -> list[Version]:
    """The releases that have the bug, oldest first."""
    return [release for release in releases(advisory.product) if advisory.affects(release)]


def matching_pipeline(advisory: Advisory) -> Pipeline | None:
    """A pipeline that has the bug, on the newest affected release of the catalog; None if none."""
    needs_streams = any(need.component is Component.STREAMS for need in advisory.settings)
    family = Family.STREAMS if needs_streams else FAMILY[advisory.part]
    lines = kafka_versions() if advisory.part is Part.BROKER else versions(family)
    candidates = [release for release in affected_releases(advisory)
                  if f"{release.major}.{release.minor}" in lines]  # fmt: skip
    if not candidates:
        return None
    version_fields = {"kafka": str(candidates[-1])} if advisory.part is Part.BROKER else {
        "version": str(candidates[-1]), "kafka": kafka_versions()[0]}  # fmt: skip
    fields = {"family": family.value, **version_fields}
    if advisory.part is Part.CONNECT:
        fields["application.framework"] = "connect"
    for feature in advisory.features:
        fields |= NEEDED.get(feature, {})
    for need in advisory.settings:
        fields[f"{need.component}.{need.setting}"] = written(need.values[0])
    return described(fields)


MATCHED = [
    (advisory, pipeline) for advisory in advisories() if (pipeline := matching_pipeline(advisory))
]
UNMATCHED = [
    advisory for advisory in advisories() if advisory not in [matched for matched, _ in MATCHED]
]
EACH_MATCHED = pytest.mark.parametrize(
    ("advisory", "pipeline"), MATCHED, ids=[advisory.id for advisory, _ in MATCHED]
)


def test_only_advisories_of_releases_before_the_catalog_match_no_pipeline() -> None:
    assert len(MATCHED) >= 59
    for advisory in UNMATCHED:
        first = min(Version(line) for line in (
            kafka_versions() if advisory.part is Part.BROKER else versions(FAMILY[advisory.part])
        ))  # fmt: skip
        assert all(release < first for release in affected_releases(advisory)), advisory.id


@pytest.fixture(scope="module")
def answers() -> dict[str, Answer]:
    return {advisory.id: answer(pipeline) for advisory, pipeline in MATCHED}


@EACH_MATCHED
def test_the_bug_is_named_in_text_json_and_sarif(
    answers: dict[str, Answer], advisory: Advisory, pipeline: Pipeline
) -> None:
    outcome = answers[advisory.id]
    assert advisory.id in report(outcome)
    assert f"{advisory.id} " in report(outcome, verbose=True)
    data = services.to_json(outcome)
    [row] = [row for row in data["advisories"] if row["id"] == advisory.id]
    assert row["severity"] in ("high", "medium", "low")
    assert row["workaround"] == advisory.workaround
    assert row["anomalies"] == list(advisory.anomalies)
    [run] = sarif(outcome, Inputs())["runs"]
    assert advisory.id in [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert advisory.id in [result["ruleId"] for result in run["results"]]


@EACH_MATCHED
def test_json_states_the_guarantee_with_and_without_the_bug(
    answers: dict[str, Answer], advisory: Advisory, pipeline: Pipeline
) -> None:
    data = services.to_json(answers[advisory.id])
    [row] = [row for row in data["advisories"] if row["id"] == advisory.id]
    assert data["guarantee"].keys() == data["guarantee_with_advisories"]["possible"].keys()
    bugs = known_bugs(answers[advisory.id])
    guarantees = bugs.guarantees if row["certainty"] == "hit" else bugs.at_worst
    assert not FORBIDS[guarantees[Boundary.END_TO_END]] & {*advisory.anomalies}


@EACH_MATCHED
def test_the_upgrade_is_the_first_release_that_clears_the_bug_and_adds_none(
    answers: dict[str, Answer], advisory: Advisory, pipeline: Pipeline
) -> None:
    bugs = known_bugs(answers[advisory.id])
    [upgrade] = [item for item in bugs.upgrades if advisory.id in (*item.clears, *item.remain)]
    later = [
        release
        for release in releases(advisory.product)
        if release > affected_releases(advisory)[-1] or not advisory.affects(release)
    ]
    if advisory.id in upgrade.remain:
        running = Version(upgrade.running)
        assert not [release for release in later if release > running], "a release ends it"
        return
    target, running_version = Version(upgrade.target), Version(upgrade.running)
    assert running_version < target
    assert not advisory.affects(target)
    parts = {advisory.part}
    if parts < CLIENTS:  # all Java parts of an application run one release
        parts = CLIENTS & part_versions(pipeline).keys()
    cleared = [bug.advisory for bug in bugs.bugs if bug.advisory.id in upgrade.clears]
    ids = {*upgrade.clears, *upgrade.remain}
    others = [item for item in advisories() if item.part in parts and item.id not in ids]
    for release in releases(advisory.product):
        if running_version < release < target:
            assert any(item.affects(release) for item in cleared) or any(
                match(item, {item.part: str(release)}, pipeline) for item in others
            ), f"{release} would do"


@pytest.mark.django_db
@EACH_MATCHED
def test_the_advice_page_links_to_the_advisory(advisory: Advisory, pipeline: Pipeline) -> None:
    slug = services.save(pipeline).slug
    page = Client().get(reverse("advisor:advice", args=[slug])).content.decode()
    assert reverse("advisories:page", args=[advisory.slug]) in page


@pytest.mark.django_db
@pytest.mark.parametrize("advisory", advisories(), ids=lambda advisory: advisory.id)
def test_the_list_for_an_affected_release_names_the_bug(advisory: Advisory) -> None:
    text = TEXTS[advisory.product].format(affected_releases(advisory)[-1])
    page = Client().get(reverse("advisories:index"), {"version": text}).content.decode()
    assert reverse("advisories:page", args=[advisory.slug]) in page
    out = StringIO()
    call_command("advisories", "--json", "--version", text, stdout=out)
    assert advisory.id in [row["id"] for row in json.loads(out.getvalue())]


@pytest.mark.django_db
@pytest.mark.parametrize("advisory", advisories(), ids=lambda advisory: advisory.id)
def test_the_advisory_page_has_all_its_fields(advisory: Advisory) -> None:
    response = Client().get(reverse("advisories:page", args=[advisory.slug]))
    text = " ".join(unescape(re.sub(r"<[^>]*>", "", response.content.decode())).split())
    for words in (advisory.id, advisory.title, *advisory.mechanism, advisory.workaround):
        assert words.replace("`", "") in text
    for release in advisory.fixed:
        assert str(release) in text
    assert " ".join(advisory.checked.replace("`", "").split()) in text
