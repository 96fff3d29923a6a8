"""`manage.py calibrate` and the page of its runs, on runs written down by hand."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from advisor import services as advisor
from labs import trials
from labs.engine.spec import ArmSpec
from labs.models import Experiment, Run, State, Trial
from tests.engine.arms import pipeline
from tests.labs import make

pytestmark = pytest.mark.django_db

EVENT = "leader-killed-followers-behind"
SIDES = {
    "one-side": pipeline(producer__acks="1"),
    "other-side": pipeline(producer__acks="all", topic__min_insync_replicas=2),
}


def trial(*seen: dict[str, int], state: State = State.DONE, verdict: str = "broken") -> Trial:
    """A trial whose sides saw these counts."""
    made = make.experiment(state)
    made.runs.all().delete()
    for position, (name, counts) in enumerate(zip(SIDES, seen, strict=True)):
        ran = make.run(made, position, name, verdict, {})
        Run.objects.filter(pk=ran.pk).update(result=make.result("holds", **counts))
    return Trial.objects.create(
        experiment=made, event=EVENT, component="producer", setting="acks",
        pipelines={name: advisor.to_data(side) for name, side in SIDES.items()},
    )  # fmt: skip


def page(client: Client) -> str:
    response = client.get(reverse("labs:evidence"))
    assert response.status_code == 200
    return response.content.decode()


def test_what_was_predicted_and_seen_stands_in_the_table(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    made = trial({"lost_write": 9}, {"lost_write": 0})
    call_command("calibrate", "--recorded", "--json")
    (section,) = [s for s in json.loads(capsys.readouterr().out) if s["event"] == EVENT]
    (lost,) = [row for row in section["rows"] if row["anomaly"] == "lost_write"]
    arm = {"arm": "acks=1", "link": made.experiment.get_absolute_url()}
    assert lost["possible"] == {"runs": [arm], "seen": [arm]}
    assert [len(lost["impossible"][name]) for name in ("runs", "seen")] == [1, 0]
    assert "seen in 1 of 1" in page(client)
    assert made.experiment.get_absolute_url() in page(client)


def test_what_is_called_impossible_and_was_seen_fails_the_build(client: Client) -> None:
    made = trial({"lost_write": 9}, {"lost_write": 3})
    with pytest.raises(CommandError, match="seen, though no event permits it") as failed:
        call_command("calibrate", "--recorded")
    assert failed.value.returncode == 1
    assert made.experiment.get_absolute_url() in str(failed.value)
    assert "Called impossible, and seen" in page(client)


@pytest.mark.parametrize(
    "silent", [{"state": State.FAILED}, {"state": State.INTERRUPTED}, {"verdict": "unknown"}]
)
def test_a_run_that_says_nothing_counts_for_nothing(silent: dict[str, Any]) -> None:
    made = trial({"lost_write": 9}, {"lost_write": 3}, **silent)
    assert trials.observed() == []
    assert [each for each, _ in trials.unjudged([made])] == [made.experiment]


def test_a_pipeline_that_the_catalog_no_longer_takes_is_passed_over() -> None:
    made = trial({"lost_write": 9}, {"lost_write": 0})
    made.pipelines["one-side"]["settings"]["producer"]["acks"] = "2"
    made.save()
    assert [run.name for run in trials.observed()] == ["acks=all"]


def test_without_a_run_the_page_says_how_to_make_one(client: Client) -> None:
    assert "manage.py calibrate" in page(client)


def test_a_trial_s_page_calls_its_arms_by_their_setting(client: Client) -> None:
    made = trial({"lost_write": 9}, {"lost_write": 0})
    said = client.get(made.experiment.get_absolute_url()).content.decode()
    assert re.search(r"<h2[^>]*>acks=1</h2>", said)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["--event", "kettle"], "there is none; there are"), (["--most", "0"], "from 1 on")],
)
def test_bad_input_is_named_and_exits_with_2(arguments: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said) as refused:
        call_command("calibrate", *arguments)
    assert refused.value.returncode == 2
    assert not Experiment.objects.exists()


def test_the_list_runs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("calibrate", "--list", "--event", EVENT)
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert {line.partition(":")[0] for line in lines} == {EVENT}
    assert not Experiment.objects.exists()


def test_arms_want_nothing_so_that_nothing_is_excused() -> None:
    arm: ArmSpec = trials.arm("one-side", SIDES["one-side"])
    assert arm.want is None


def test_each_claim_of_the_advice_shows_what_runs_said_of_it(client: Client) -> None:
    trial({"lost_write": 9}, {"lost_write": 0})
    saved = advisor.save(SIDES["one-side"])
    for address in (
        reverse("advisor:advice", args=[saved.slug]),
        reverse("reference:failure", args=[EVENT]),
    ):
        said = client.get(address).content.decode()
        assert f'href="{reverse("labs:evidence")}#{EVENT}">2 runs: 1 of ' in said
