"""A permanent link keeps the answer that was given, whatever the rules say later."""

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


def archived(client: Client, slug: str) -> dict[str, str]:
    response = get(client, "archive", slug)
    assert response.status_code == 200
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        return {name.partition("/")[2]: archive.read(name).decode() for name in archive.namelist()}


@pytest.mark.django_db
def test_a_link_of_todays_rules_shows_what_was_kept_and_no_notice(client: Client) -> None:
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
def test_an_old_link_keeps_its_answer_and_says_that_there_is_newer_advice(client: Client) -> None:
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
    gone, *_ = today.judgement.findings
    assert gone.message not in page


@pytest.mark.django_db
def test_a_page_does_not_wait_for_what_todays_rules_say(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    slug = saved(RISKY, older(answer(described(RISKY))))
    monkeypatch.delattr("advisor.permalinks.answer")
    for name in ("advice", "report", "archive"):
        assert get(client, name, slug).status_code == 200, name
    with pytest.raises(NameError):
        get(client, "compared", slug)


@pytest.mark.django_db
def test_the_difference_names_every_part_and_what_changed_in_the_rules(client: Client) -> None:
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
def test_what_is_taken_home_from_an_old_link_is_what_it_shows(client: Client) -> None:
    before = older(answer(described(RISKY)))
    kept, fresh = saved(RISKY, before), services.save(described(RISKY)).slug
    for slug, rules in ((kept, "1"), (fresh, services.RULES_VERSION)):
        files = archived(client, slug)
        for name in ("producer.properties", "topic.sh", "advice.txt"):
            assert f"rules {rules}," in files[name], name
        url = reverse("advisor:export", args=[slug, "java-producer"])
        assert client.get(url).content.decode() == files["producer.properties"]
        assert "producer.acks: 1 -> all" in files["advice.txt"]
        assert ("min.insync.replicas: 1 -> 2" in files["advice.txt"]) == (slug == fresh)
        assert ("min.insync.replicas=2" in files["topic.sh"]) == (slug == fresh)
    assert json.loads(archived(client, kept)["advice.json"]) == services.to_json(before)


@pytest.mark.django_db
def test_an_experiment_from_an_old_link_runs_what_it_recommends() -> None:
    slug = saved(RISKY, older(answer(described(RISKY))))
    arms = {run.name: run for run in labs.start(slug, labs.FIRST_SCENARIO).runs.all()}
    assert arms["recommended"].settings["producer"]["acks"] == "all"
    assert arms["recommended"].settings["topic"]["min.insync.replicas"] == 1
    today = services.assess(services.find(slug).recommended())
    assert arms["recommended"].guarantee == today.guarantees[Boundary.END_TO_END]


@pytest.mark.django_db
def test_todays_advice_can_be_taken_up_and_the_old_link_stays(client: Client) -> None:
    slug = saved(RISKY, older(answer(described(RISKY))))
    before = get(client, "advice", slug).content
    taken = client.post(reverse("advisor:renew", args=[slug]))
    assert taken.status_code == 302
    new = taken.headers["Location"].rstrip("/").rpartition("/")[2]
    assert new != slug
    assert services.find(new).answer == answer(described(RISKY))
    assert services.find(new).rules_version == services.RULES_VERSION
    token = re.compile(rb"csrf[^>]*>|x-csrftoken[^>]*>")
    assert token.sub(b"", get(client, "advice", slug).content) == token.sub(b"", before)


@pytest.mark.django_db
def test_the_same_answer_by_older_rules_is_told_quietly(client: Client) -> None:
    slug = saved(RISKY)
    page = page_text(client, "compared", slug)
    assert f"by rules 1. Today’s rules {services.RULES_VERSION} give the same answer" in page
    assert "Newer advice" not in page
    assert "give the same answer" in page_text(client, "newer", slug)


@pytest.mark.django_db
def test_rules_that_this_installation_does_not_know_are_not_called_older(client: Client) -> None:
    slug = saved(RISKY, older(answer(described(RISKY))), rules="99")
    assert "This installation has other rules" in page_text(client, "advice", slug)
    page = page_text(client, "compared", slug)
    assert "Newer advice" not in page
    assert "The rules of this installation give a different answer" in page
    assert "does not include rules 99" in page_text(client, "newer", slug)


@pytest.mark.django_db
def test_what_the_catalog_no_longer_takes_can_be_read_and_no_longer_used(client: Client) -> None:
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
def test_what_only_the_changes_would_make_right_is_not_used_either(client: Client) -> None:
    before = answer(described(RISKY))
    pipeline = before.judgement.pipeline.with_setting(Component.PRODUCER, "acks", "2")
    keep = replace(before, judgement=replace(before.judgement, pipeline=pipeline))
    slug = saved(RISKY, keep, services.RULES_VERSION, data=to_data(pipeline))
    assert services.find(slug).recommended().value(Component.PRODUCER, "acks") == "all"
    assert "producer.acks was saved as 2" in " ".join(page_text(client, "advice", slug).split())


@pytest.mark.django_db
def test_a_recommendation_that_the_catalog_no_longer_takes_is_shown_and_not_exported(
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
def test_a_pipeline_that_needs_nothing_has_an_answer_too(client: Client) -> None:
    slug = services.save(described(RISKY | {"need.guarantee": "none"})).slug
    assert "You need no guarantee" in page_text(client, "advice", slug)


def test_the_newest_rules_in_the_changelog_are_those_in_force() -> None:
    releases = rules_changelog.releases()
    assert releases[0].version == services.RULES_VERSION
    assert all(release.changes for release in releases)
    assert rules_changelog.since(services.RULES_VERSION) == ()
    later = [release.version for release in rules_changelog.since("1") or ()]
    assert later == [str(number) for number in range(int(services.RULES_VERSION), 1, -1)]
    assert not any("](" in change for release in releases for change in release.changes)
    assert rules_changelog.since("0") is None
