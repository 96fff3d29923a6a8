"""`manage.py calibrate` and the page of its runs, with handwritten results."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from advisor import services as advisor
from advisor.catalog import kafka_line
from labs.calibration.edges import LINE, Edge, edges, permitted
from labs.calibration.fingerprint import fingerprint
from labs.engine.plan.spec import ArmSpec
from labs.evidence import trials
from labs.models import Experiment, Run, State, Trial
from tests.engine.arms import pipeline
from tests.labs import make

pytestmark = [pytest.mark.django_db, pytest.mark.wide]

EVENT = "leader-killed-followers-behind"
SIDES = {
    "one-side": pipeline(producer__acks="1"),
    "other-side": pipeline(producer__acks="all", topic__min_insync_replicas=2),
}


def trial(*seen: dict[str, int], state: State = State.DONE, verdict: str = "broken") -> Trial:
    """A trial whose sides have these counts."""
    experiment = make.experiment(state)
    experiment.runs.all().delete()
    for position, (name, counts) in enumerate(zip(SIDES, seen, strict=True)):
        arm = make.run(experiment, position, name, verdict, {})
        Run.objects.filter(pk=arm.pk).update(result=make.result("holds", **counts))
    return Trial.objects.create(
        experiment=experiment, event=EVENT, component="producer", setting="acks",
        pipelines={name: advisor.to_data(side) for name, side in SIDES.items()},
    )  # fmt: skip


def page(client: Client) -> str:
    response = client.get(reverse("labs:evidence"))
    assert response.status_code == 200
    return response.content.decode()


def test_the_table_shows_predictions_and_observations(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded_trial = trial({"lost_write": 9}, {"lost_write": 0})
    call_command("calibrate", "--recorded", "--json")
    (section,) = [s for s in json.loads(capsys.readouterr().out) if s["event"] == EVENT]
    (lost,) = [row for row in section["rows"] if row["anomaly"] == "lost_write"]
    arm = {"arm": "acks=1", "link": recorded_trial.experiment.get_absolute_url()}
    assert lost["possible"] == {"runs": [arm], "seen": [arm]}
    assert [len(lost["impossible"][name]) for name in ("runs", "seen")] == [1, 0]
    runs = reverse("labs:evidence-failure", args=[EVENT])
    assert f'href="{runs}#lost_write-possible">seen in 1 of 1</a>' in page(client)
    of_failure = client.get(runs).content.decode()
    assert recorded_trial.experiment.get_absolute_url() in of_failure
    assert 'id="lost_write-possible"' in of_failure
    assert of_failure.count("<strong>seen</strong>") == 1


def test_a_failure_without_runs_shows_the_command_and_an_unknown_one_is_404(
    client: Client,
) -> None:
    untried = client.get(reverse("labs:evidence-failure", args=[EVENT])).content.decode()
    assert f"manage.py calibrate --event {EVENT}" in untried
    assert client.get(reverse("labs:evidence-failure", args=["no-such"])).status_code == 404


def test_an_observed_anomaly_that_is_called_impossible_fails_the_build(client: Client) -> None:
    recorded_trial = trial({"lost_write": 9}, {"lost_write": 3})
    with pytest.raises(CommandError, match="seen, though no event permits it") as failed:
        call_command("calibrate", "--recorded")
    assert failed.value.returncode == 1
    assert recorded_trial.experiment.get_absolute_url() in str(failed.value)
    assert "Called impossible, and seen" in page(client)


@pytest.mark.parametrize(
    "outcome", [{"state": State.FAILED}, {"state": State.INTERRUPTED}, {"verdict": "unknown"}]
)
def test_a_run_without_a_verdict_is_not_counted(outcome: dict[str, Any]) -> None:
    recorded_trial = trial({"lost_write": 9}, {"lost_write": 3}, **outcome)
    assert trials.observed() == []
    assert [experiment for experiment, _ in trials.unjudged([recorded_trial])] == [
        recorded_trial.experiment
    ]


def test_a_pipeline_that_the_catalog_no_longer_accepts_is_skipped() -> None:
    recorded_trial = trial({"lost_write": 9}, {"lost_write": 0})
    recorded_trial.pipelines["one-side"]["settings"]["producer"]["acks"] = "2"
    recorded_trial.save()
    assert [run.name for run in trials.observed()] == ["acks=all"]


def test_without_any_run_the_page_shows_the_command_that_makes_one(client: Client) -> None:
    assert "manage.py calibrate" in page(client)


def test_the_page_of_a_trial_names_its_arms_by_their_setting(client: Client) -> None:
    recorded_trial = trial({"lost_write": 9}, {"lost_write": 0})
    page = client.get(recorded_trial.experiment.get_absolute_url()).content.decode()
    assert re.search(r"<h2[^>]*>acks=1</h2>", page)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--event", "kettle"], "there is none; there are"), (["--most", "0"], "from 1 on")],
)
def test_bad_input_is_named_and_exits_with_2(arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message) as refused:
        call_command("calibrate", *arguments)
    assert refused.value.returncode == 2
    assert not Experiment.objects.exists()


@pytest.mark.wide
def test_the_list_runs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("calibrate", "--list", "--event", EVENT)
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert {line.partition(":")[0] for line in lines} == {EVENT}
    assert not Experiment.objects.exists()


def test_arms_of_a_trial_require_no_guarantee_so_that_every_anomaly_counts() -> None:
    arm: ArmSpec = trials.arm("one-side", SIDES["one-side"])
    assert arm.want is None


def test_each_claim_of_the_advice_shows_what_its_runs_counted(client: Client) -> None:
    trial({"lost_write": 9}, {"lost_write": 0})
    saved = advisor.save(SIDES["one-side"])
    for address in (
        reverse("advisor:reasons", args=[saved.slug]),
        reverse("reference:failure", args=[EVENT]),
    ):
        page = client.get(address).content.decode()
        assert f'href="{reverse("labs:evidence")}#{EVENT}">2 runs saw 1 of ' in page


@pytest.fixture
def staged(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Replaces the brokers: each edge shows what it permits. Holds the edges and seeds that ran."""
    keys_and_seeds: list[tuple[str, int]] = []

    def carry_out(edge: Edge, seed: int, judge_socket: Path) -> list[Trial]:
        keys_and_seeds.append((edge.key[1], seed))
        recorded_trial = trial(*({anomaly.value: 1 for anomaly in permitted(edge.event, side)}
                       for side in edge.sides))  # fmt: skip
        recorded_trial.pipelines = dict(zip(SIDES, map(advisor.to_data, edge.sides), strict=True))
        recorded_trial.component, recorded_trial.setting, recorded_trial.event = (
            edge.key[0],
            edge.key[1],
            edge.event.name,
        )
        recorded_trial.code = dict(fingerprint(edge.event.scenario))
        recorded_trial.save()
        Experiment.objects.filter(pk=recorded_trial.experiment.pk).update(
            scenario=edge.event.scenario
        )
        return [recorded_trial]

    monkeypatch.setattr(trials, "carry_out", carry_out)
    judge = nullcontext((Path(), Path("judge.sock")))
    monkeypatch.setattr("labs.management.commands.calibrate.bench", lambda _: judge)
    return keys_and_seeds


def test_trials_continue_until_the_bound_is_reached(staged: list[tuple[str, int]]) -> None:
    command = ("calibrate", "--event", EVENT, "--most", "2", "--until-bound", "0.5")
    call_command(*command)
    first = len(staged)
    assert len({seed for _, seed in staged}) == first > 2, "no schedule is run twice"
    call_command(*command)
    assert len(staged) == first, "what is kept counts"
    Trial.objects.update(code={})
    call_command(*command)
    assert len(staged) == 2 * first, "but nothing that is older than the code"


def test_a_bound_that_is_not_reached_in_time_is_reported(
    staged: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = count()
    monkeypatch.setattr(
        "labs.management.commands.calibrate.time.monotonic", lambda: next(ticks) * 30
    )
    with pytest.raises(CommandError, match=r"tried fewer than 59 times: .*: 1") as failed:
        call_command(
            "calibrate", "--event", EVENT, "--most", "1", "--until-bound", "0.05", "--minutes", "1"
        )
    assert (failed.value.returncode, len(staged)) == (3, 1)


@pytest.mark.parametrize("wrong", [{"until_bound": 0.0}, {"until_bound": 1.0}, {"minutes": 1.0},
                                   {"until_bound": 0.1, "minutes": 0.0},
                                   {"until_bound": 0.1, "recorded": True},
                                   {"until_bound": 0.1, "explore": True}])  # fmt: skip
def test_an_impossible_bound_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(CommandError) as failed:
        call_command("calibrate", **wrong)
    assert failed.value.returncode == 2


@pytest.mark.wide
def test_sides_on_two_lines_of_brokers_are_separate_experiments(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, client: Client
) -> None:
    (edge, *_) = [edge for edge in edges(1) if edge.key == LINE]
    experiments: list[Experiment] = []

    def judged(experiment: Experiment, judge_socket: Path) -> None:
        experiments.append(experiment)
        result = make.result("holds", lost_write=0)
        experiment.runs.update(verdict="holds", result=result)
        Experiment.objects.filter(pk=experiment.pk).update(state=State.DONE, ended_at=now())

    monkeypatch.setattr("labs.runs.worker.carry_out", judged)
    trials_of_edge = trials.carry_out(edge, 1, tmp_path)
    assert [kafka_line(experiment.kafka) for experiment in experiments] == list(edge.values())
    rows = [(run.name, run.older) for run in trials.observed(trials_of_edge)]
    assert rows == [(f"Kafka {line}", False) for line in edge.values()]
    runs = client.get(reverse("labs:evidence-failure", args=[edge.event.name])).content.decode()
    assert f"Kafka {edge.values()[0]}</code>" in runs
