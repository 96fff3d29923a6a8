"""What each scenario showed, in the record that ships with the release and on its page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from benchmarks.scenarios import RECORD_FILE
from labs.calibration.bound import at_most, bound_in_words, runs_for
from labs.calibration.fingerprint import fingerprint
from labs.calibration.staged import staged
from labs.engine.scenarios import all_scenarios
from labs.models import Run, State
from tests.labs import make

SCENARIO = "leader-killed"


def line(arm: str, count: int | None, **more: object) -> dict[str, object]:
    """A line of the record. A count above 0 is expected in a bad arm, 0 in a good one."""
    right = bool(count) is (arm == "bad")
    return {
        "case": "acks-0", "seed": 1, "arm": arm, "verdict": "broken" if count else "holds",
        "anomaly": "lost_write", "count": count, "right": right, "reason": "", "kafka": "4.3.1",
        "scenario": SCENARIO, "date": "2026-11-23",
    } | more  # fmt: skip


def write(record: Path, *lines: dict[str, object]) -> Path:
    record.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"cut', "utf-8")
    return record


def test_runs_that_permit_harm_and_runs_that_prevent_it_are_counted_separately(
    tmp_path: Path,
) -> None:
    now = dict(fingerprint(SCENARIO))
    record = write(
        tmp_path / "record.jsonl",
        line("bad", 7, date=""), line("bad", 0), line("good", 0, code=now), line("good", 0),
        line("good", 3), line("good", 2, right=True),  # not even safe settings prevent it
        line("bad", None, verdict="unknown"), line("bad", 1, scenario="gone"),
    )  # fmt: skip
    (run,) = staged(record)
    assert (run.permitting.shown, len(run.permitting.runs)) == (1, 2)
    assert (run.preventing.shown, len(run.preventing.runs)) == (1, 3)
    assert (run.permitting.bound, run.preventing.bound) == ("", "")
    assert [(batch.runs, batch.older) for batch in run.batches] == [
        (1, False),
        (3, True),
        (1, True),
    ]
    assert run.batches[-1].date == "before 2026-11-23"
    assert not run.older


def test_an_outage_is_counted_as_its_case_defines_it(tmp_path: Path) -> None:
    outage = {"anomaly": "blocked_ms"}
    record = write(tmp_path / "record.jsonl", line("bad", 9000, **outage),
                   line("good", 700, right=True, **outage),
                   line("good", 9000, right=False, **outage))  # fmt: skip
    (run,) = staged(record)
    assert (run.harm, run.permitting.shown, run.preventing.shown) == ("blocked", 1, 1)


def test_without_a_record_there_are_no_counts(tmp_path: Path) -> None:
    assert staged(tmp_path / "none.jsonl") == []


def test_the_shipped_record_has_runs_of_every_scenario() -> None:
    runs = staged(RECORD_FILE)
    assert {run.scenario.name for run in runs} == {scenario.name for scenario in all_scenarios()}
    assert all(run.permitting.shown for run in runs)


@pytest.mark.django_db
def test_a_new_installation_shows_shipped_runs_and_own_runs_are_added(client: Client) -> None:
    runs = [line("good", 0, seed=seed) for seed in range(59)]
    write(Path(settings.LAB_STAGED_RECORD), line("bad", 7), *runs)
    page = client.get(reverse("labs:evidence")).content.decode()
    assert "seen in 1 of 1" in page
    assert "seen in 0 of 59: below 5% with 95% confidence" in page
    assert "older than the code" in page
    assert "not run" in page
    experiment = make.experiment(State.DONE)
    type(experiment).objects.filter(pk=experiment.pk).update(scenario=SCENARIO)
    Run.objects.filter(experiment=experiment).update(verdict="holds", result=make.result("holds"))
    assert ">seen in 0 of 2</td>" in client.get(reverse("labs:evidence")).content.decode()


@pytest.mark.parametrize(("runs", "percent"), [(1, 95.0), (59, 4.95), (299, 1.0)])
def test_runs_without_an_anomaly_bound_its_probability(runs: int, percent: float) -> None:
    assert at_most(runs) * 100 == pytest.approx(percent, abs=0.01)
    assert runs_for(at_most(runs) + 1e-9) == runs
    assert bound_in_words(0) == ""
