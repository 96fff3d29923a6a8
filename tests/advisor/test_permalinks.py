"""A permanent link keeps its answer when the rules change."""

from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from advisor import services
from advisor.catalog import Component
from advisor.pages import rules_changelog
from advisor.reasoning.answer import answer
from advisor.reasoning.guarantees import Boundary
from advisor.reasoning.serial import to_data
from labs.runs import services as labs
from tests.advisor.answers import RISKY, get, older, page_text, saved
from tests.advisor.pipelines import described


def archive_files(client: Client, slug: str) -> dict[str, str]:
    response = get(client, "archive", slug)
    assert response.status_code == 200
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        return {name.partition("/")[2]: archive.read(name).decode() for name in archive.namelist()}


@pytest.mark.django_db
def test_a_link_of_the_current_rules_shows_the_saved_answer_without_a_notice(
    client: Client,
) -> None:
    pipeline = described(RISKY)
    description = services.save(pipeline)
    description.refresh_from_db()
    assert services.find(description.slug).is_kept
    assert services.find(description.slug).answer == answer(pipeline)
    page = page_text(client, "advice", description.slug)
    for words in ("Newer advice", "was not kept", "give the same answer"):
        assert words not in page
    assert f"rules {services.RULES_VERSION}" in page


@pytest.mark.django_db
def test_an_old_link_keeps_its_answer_and_mentions_newer_advice(client: Client) -> None:
    today = answer(described(RISKY))
    before = older(today)
    slug = saved(RISKY, before)
    for name in ("advice", "report"):
        page = page_text(client, name, slug)
        assert "Newer rules exist" in page
        assert "by rules 1" in page
        assert "See the difference" in page
    assert "Newer advice exists" in page_text(client, "compared", slug)
    page = page_text(client, "advice", slug)
    broken = sum(failure.breaks for failure in before.judgement.failures)
    assert f"with these settings {broken} of" in page
    removed_finding, *_ = today.judgement.findings
    assert removed_finding.message not in page


@pytest.mark.django_db
def test_a_page_does_not_compute_the_answer_of_the_current_rules(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    slug = saved(RISKY, older(answer(described(RISKY))))
    monkeypatch.delattr("advisor.permalinks.answer")
    for name in ("advice", "report", "archive"):
        assert get(client, name, slug).status_code == 200, name
    with pytest.raises(NameError):
        get(client, "compared", slug)


@pytest.mark.django_db
def test_the_difference_names_every_part_and_the_changes_of_the_rules(client: Client) -> None:
    today = answer(described(RISKY))
    before = older(today)
    page = page_text(client, "newer", saved(RISKY, before))
    worse = next(failure for failure in today.judgement.failures if failure.breaks)
    for words in (
        "The guarantee", "What failures may do", worse.title, "Things to know",
        today.judgement.findings[0].message, "Changes for at least once",
        f"Rules {services.RULES_VERSION}", "44 failure events instead of 17",
    ):  # fmt: skip
        assert words in page, words
    assert "17 failure events, 16 findings" not in page, "that came with rules 1 already"
    for words in ("What is possible", "Settings in force", "What is assumed"):
        assert words not in page, words


@pytest.mark.django_db
def test_downloads_of_an_old_link_match_its_answer(client: Client) -> None:
    before = older(answer(described(RISKY)))
    old_slug, new_slug = saved(RISKY, before), services.save(described(RISKY)).slug
    for slug, rules in ((old_slug, "1"), (new_slug, services.RULES_VERSION)):
        files = archive_files(client, slug)
        for name in ("producer.properties", "topic.sh", "advice.txt"):
            assert f"rules {rules}," in files[name], name
        url = reverse("advisor:export", args=[slug, "java-producer"])
        assert client.get(url).content.decode() == files["producer.properties"]
        assert "producer.acks: 1 -> all" in files["advice.txt"]
        assert ("min.insync.replicas: 1 -> 2" in files["advice.txt"]) == (slug == new_slug)
        assert ("min.insync.replicas=2" in files["topic.sh"]) == (slug == new_slug)
    assert json.loads(archive_files(client, old_slug)["advice.json"]) == services.to_json(before)


@pytest.mark.django_db
def test_an_experiment_from_an_old_link_runs_its_recommendation() -> None:
    slug = saved(RISKY, older(answer(described(RISKY))))
    arms = {run.name: run for run in labs.start(slug, labs.FIRST_SCENARIO).runs.all()}
    assert arms["recommended"].settings["producer"]["acks"] == "all"
    assert arms["recommended"].settings["topic"]["min.insync.replicas"] == 1
    today = services.assess(services.find(slug).recommended())
    assert arms["recommended"].guarantee == today.guarantees[Boundary.END_TO_END]


@pytest.mark.django_db
def test_a_link_can_be_renewed_and_the_old_one_does_not_change(client: Client) -> None:
    slug = saved(RISKY, older(answer(described(RISKY))))
    before = get(client, "advice", slug).content
    response = client.post(reverse("advisor:renew", args=[slug]))
    assert response.status_code == 302
    new = response.headers["Location"].rstrip("/").rpartition("/")[2]
    assert new != slug
    assert services.find(new).answer == answer(described(RISKY))
    assert services.find(new).rules_version == services.RULES_VERSION
    token = re.compile(rb"csrf[^>]*>|x-csrftoken[^>]*>")
    assert token.sub(b"", get(client, "advice", slug).content) == token.sub(b"", before)


@pytest.mark.django_db
def test_the_same_answer_by_older_rules_is_mentioned_without_a_warning(client: Client) -> None:
    slug = saved(RISKY)
    page = page_text(client, "compared", slug)
    assert f"by rules 1. Today’s rules {services.RULES_VERSION} give the same answer" in page
    assert "Newer advice" not in page
    assert "give the same answer" in page_text(client, "newer", slug)


@pytest.mark.django_db
def test_unknown_rules_are_not_called_older(client: Client) -> None:
    slug = saved(RISKY, older(answer(described(RISKY))), rules="99")
    assert "This installation has other rules" in page_text(client, "advice", slug)
    page = page_text(client, "compared", slug)
    assert "Newer advice" not in page
    assert "The rules of this installation give a different answer" in page
    assert "does not include rules 99" in page_text(client, "newer", slug)


@pytest.mark.django_db
def test_an_answer_with_an_unsupported_version_can_be_read_and_not_used(client: Client) -> None:
    before = answer(described(RISKY))
    pipeline = before.judgement.pipeline
    unknown = replace(pipeline, version="1.1")
    keep = replace(before, judgement=replace(before.judgement, pipeline=unknown))
    slug = saved(RISKY, keep, data=to_data(unknown))
    for name in ("advice", "report"):
        page = page_text(client, name, slug)
        assert "This answer can be read, but no longer used" in page
        assert "version was saved as 1.1" in " ".join(page.split())
        assert "Prove it" not in page
    for url in (
        reverse("advisor:archive", args=[slug]),
        reverse("advisor:newer", args=[slug]),
        reverse("advisor:export", args=[slug, "java-producer"]),
    ):
        response = client.get(url)
        assert response.status_code == 410
        assert f'href="{reverse("advisor:advice", args=[slug])}"' in response.content.decode()
    assert client.post(reverse("advisor:renew", args=[slug])).status_code == 410


@pytest.mark.django_db
def test_an_answer_with_an_invalid_setting_that_a_change_corrects_is_not_used(
    client: Client,
) -> None:
    before = answer(described(RISKY))
    pipeline = before.judgement.pipeline.with_setting(Component.PRODUCER, "acks", "2")
    keep = replace(before, judgement=replace(before.judgement, pipeline=pipeline))
    slug = saved(RISKY, keep, services.RULES_VERSION, data=to_data(pipeline))
    assert services.find(slug).recommended().value(Component.PRODUCER, "acks") == "all"
    assert "producer.acks was saved as 2" in " ".join(page_text(client, "advice", slug).split())


@pytest.mark.django_db
def test_an_invalid_recommendation_is_shown_and_not_exported(
    client: Client,
) -> None:
    before = answer(described(RISKY))
    columns = tuple(
        replace(column, changes=tuple(replace(change, after="-7") for change in column.changes))
        for column in before.columns
    )
    slug = saved(RISKY, replace(before, columns=columns))
    page = page_text(client, "advice", slug)
    assert "no longer used" in page
    assert "See the difference" in page
    assert get(client, "archive", slug).status_code == 410


@pytest.mark.django_db
def test_a_pipeline_without_a_required_guarantee_has_an_answer(client: Client) -> None:
    slug = services.save(described(RISKY | {"need.guarantee": "none"})).slug
    assert "You need no guarantee" in page_text(client, "advice", slug)


def test_the_newest_rules_in_the_changelog_are_the_current_ones() -> None:
    releases = rules_changelog.releases()
    assert releases[0].version == services.RULES_VERSION
    assert all(release.changes for release in releases)
    assert rules_changelog.since(services.RULES_VERSION) == ()
    later = [release.version for release in rules_changelog.since("1") or ()]
    assert later == [str(number) for number in range(int(services.RULES_VERSION), 1, -1)]
    assert not any("](" in change for release in releases for change in release.changes)
    assert rules_changelog.since("0") is None
