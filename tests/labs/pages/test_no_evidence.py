"""A disturbed or failed run is not evidence on any page, whatever its counts."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from advisor import services as advisor
from advisor.reasoning.guarantees import Anomaly
from benchmarks.scenarios import Line, Record, rates, table
from labs.calibration.cases import CASES
from labs.calibration.record import Record as Explorations
from labs.calibration.shrink import Staged
from labs.engine.run.result import JUDGED
from labs.evidence import exploring, trials
from labs.lessons import Symptom
from labs.models import Experiment, Run, State, Trial
from labs.pages import selectors
from labs.pages.experiments import comparison, presentation
from tests.engine.arms import PIPELINES
from tests.labs import make
from tests.labs.calibration.test_explore import drawn

COUNTED = 985
"""The counts of each run in this module: these many messages are lost."""


@pytest.fixture(
    params=[(State.DONE, "unknown"), (State.FAILED, "broken"), (State.INTERRUPTED, "broken")],
    ids=lambda data: "-".join(data),
)
def inconclusive(request: pytest.FixtureRequest, db: None) -> Experiment:
    """A disturbed or failed experiment: its arms have counts but no verdict."""
    state, verdict = request.param
    experiment = make.experiment(state, verdict, verdict)
    for run in experiment.runs.all():
        run.result["counts"] |= {"ok": 10_000, "lost_write": COUNTED, "effect_missing": COUNTED}
        run.save()
    return experiment


def first(experiment: Experiment) -> Run:
    return experiment.runs.all()[0]


def test_the_home_page_does_not_show_it(inconclusive: Experiment, client: Client) -> None:
    assert selectors.latest_loss() is None
    page = client.get("/").content.decode()
    assert "No loss has been recorded on this installation yet" in page
    assert "Seen on this installation" not in page


def test_it_counts_neither_as_a_repetition_nor_as_evidence(
    inconclusive: Experiment, client: Client
) -> None:
    run = first(inconclusive)
    assert not selectors.repetitions(run).exists()
    assert selectors.evidence(run).runs == 0
    assert all(arm.evidence == "" for arm in presentation.arms(inconclusive, {}))
    assert all(repetition.runs == () for repetition in comparison.repetitions(inconclusive))


def test_it_does_not_count_as_a_trial(inconclusive: Experiment) -> None:
    pipelines = {name: advisor.to_data(pipeline) for name, pipeline in PIPELINES.items()}
    trial = Trial.objects.create(
        experiment=inconclusive, event="leader-lost-followers-behind", component="producer",
        setting="acks", pipelines=pipelines,
    )  # fmt: skip
    assert trials.observed() == []
    assert trials.unjudged([trial])[0][0] == inconclusive


def test_the_evidence_page_does_not_link_it(inconclusive: Experiment, client: Client) -> None:
    assert inconclusive.slug not in client.get(reverse("labs:evidence")).content.decode()


def test_a_comparison_and_the_list_show_no_count_of_an_unknown_arm(
    db: None, client: Client
) -> None:
    experiment = make.experiment(State.DONE, "unknown", "holds")
    run = first(experiment)
    run.result["counts"] |= {"ok": 10_000, "lost_write": COUNTED}
    run.save()
    data = comparison.compare(experiment, experiment)
    assert all(values[0] is None for values in (row.values for row in data.counts))
    page = client.get(reverse("labs:experiments")).content.decode()
    assert f"{COUNTED} lost" not in page
    assert "0 lost" in page, "the other arm was judged"


def test_a_lesson_draws_no_conclusion_from_it(db: None) -> None:
    experiment = make.experiment(State.DONE, "unknown", "holds")
    run = first(experiment)
    run.result["counts"]["lost_write"] = COUNTED
    run.save()
    outcomes = presentation.outcomes(experiment)
    symptom = Symptom("described", "lost_write", "gone", "None is lost", "Some are lost")
    assert (outcomes["described"].answer(symptom), outcomes["described"].counts) == (None, {})
    assert outcomes["recommended"].answer(symptom) == "none"


def test_exploring_records_the_run_without_its_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = {"verdict": "unknown", "reason": "broker 3 was killed", "counts": {"lost_write": 9}}
    monkeypatch.setattr(exploring, "arm_result", lambda *_: (data, 1.0))
    record = Explorations(tmp_path / "runs.jsonl")
    at = exploring.Workspace(record, tmp_path, tmp_path / "judge", lambda _: None)
    run = exploring.run_candidate(at, 1, 1, "drawn", Staged(drawn()))
    assert (run.judged, run.seen, exploring.refuted(run)) == (False, [], frozenset())


def test_the_rate_of_a_scenario_excludes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = next(case for case in CASES if case.name == "behind")
    record = Record(tmp_path / "lines.jsonl")
    for seed, verdict in ((1, "broken"), (2, "unknown")):
        lines = (case.name, seed, "bad", verdict, case.counted, COUNTED, verdict == "broken", "why")
        record.add(Line(*lines, "4.3.1", case.scenario, "2026-11-23"))
    (rate,) = rates(record)[case.scenario]
    assert (rate.shown, rate.runs, str(rate.anomaly)) == (1, 1, Anomaly.LOST_WRITE)
    assert not table([case], [1, 2], ["bad"], record), "one of two was not judged"
    assert "shown 1 of 1" in capsys.readouterr().out
    added = Record(tmp_path / "lines.jsonl")
    assert [line.seed for line in added.lines.values()] == [1], "it is run again"


def test_only_holds_and_broken_are_conclusive() -> None:
    assert JUDGED == ("holds", "broken")
