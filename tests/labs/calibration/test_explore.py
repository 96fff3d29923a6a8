"""What is drawn for exploring, how it is recorded, and how a refutation is shrunk."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from advisor import services as advisor
from advisor.catalog import Component
from advisor.reasoning.failures import all_events
from advisor.reasoning.guarantees import Anomaly
from labs.calibration.draw import Drawn, across_lines, as_run, draws, lines
from labs.calibration.edges import UNTRIED
from labs.calibration.fingerprint import fingerprint
from labs.calibration.record import Explored, Record, RecordError
from labs.calibration.shrink import Staged, shrunk
from labs.calibration.table import compare, refutable
from labs.engine.base.processes import ROOT
from labs.engine.scenarios import find
from labs.engine.scenarios.model import Topology
from labs.evidence import exploring, trials
from spark_jobs.verdict import WITHOUT_WANT
from tests.engine.arms import pipeline

pytestmark = [pytest.mark.django_db, pytest.mark.wide]

EVENTS = {event.name: event for event in all_events()}
SAFE = advisor.to_data(pipeline(producer__acks="all", topic__min_insync_replicas=2))
BEHIND = "leader-killed-followers-behind"


def drawn(event: str = BEHIND, **stated: Any) -> Drawn:
    return Drawn(EVENTS[event], pipeline(**stated), 5, 0.0)


def explored(**changed: Any) -> Explored:
    run = Explored(
        1, 1, "drawn", "2026-11-23", BEHIND, BEHIND, 5, {}, "librdkafka", SAFE, {"kafka": "4.3.1"},
        "broken", "", ["lost_write"],
    )  # fmt: skip
    return replace(run, **changed)


def test_the_same_seed_and_number_draw_the_same_pipeline() -> None:
    first, again, other = (
        [draw.pipeline for draw in islice(draws(seed, 1), 5)] for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_drawn_pipelines_are_valid_and_vary_only_settings_that_a_run_applies() -> None:
    drawings = [next(draws(3, number)) for number in range(1, 200)]
    assert not any(draw.pipeline.problems() for draw in drawings)
    preset = {"broker.session.timeout.ms", "request.timeout.ms", "transactional.id"}
    preset |= {"racks", "outage.ms", "topic.min.insync.replicas"}  # stated in every drawn pipeline
    names = {name for draw in drawings for part in draw.pipeline.settings.values() for name in part}
    assert not names & (UNTRIED.keys() - preset)
    assert {draw.pipeline.kafka for draw in drawings} == set(lines())
    assert {draw.pipeline.family for draw in drawings} == set(advisor_families())
    assert len({draw.event.name for draw in drawings}) > 25


@pytest.mark.parametrize("name", ["transaction-log-lost", "aborted-input-not-read-again"])
def test_a_single_named_event_gets_pipelines_that_can_be_staged(name: str) -> None:
    drawings = [next(draws(3, number, [EVENTS[name]])) for number in range(1, 20)]
    assert {draw.event.name for draw in drawings} == {name}
    assert any(draw.pipeline.settings != drawings[0].pipeline.settings for draw in drawings)
    assert sum(map(exploring.can_be_staged, drawings)) > 9


def advisor_families() -> set[Any]:
    return {family for event in all_events() for family in event.families}


def test_lines_of_brokers_on_both_sides_of_a_boundary_are_drawn() -> None:
    pairs = [
        (draw, drawn_across)
        for draw in (next(draws(3, number)) for number in range(1, 150))
        if (drawn_across := across_lines(draw))
    ]
    assert pairs
    for drawn_here, drawn_across in pairs:
        assert (
            replace(drawn_here.pipeline, kafka=drawn_across.pipeline.kafka) == drawn_across.pipeline
        )
        refutable_here, refutable_across = (
            refutable(draw.event, draw.pipeline) for draw in (drawn_here, drawn_across)
        )
        assert refutable_here != refutable_across


@pytest.mark.parametrize(("kafka", "copies", "is_staged"), [("3.6", 1, False), ("3.7", 1, True),
                                                      ("3.6", 3, True)])  # fmt: skip
def test_settings_that_let_no_message_through_are_not_run(
    kafka: str, copies: int, is_staged: bool
) -> None:
    candidate = drawn(
        kafka=kafka, producer__acks="all", topic__replication_factor=copies,
        topic__min_insync_replicas=2,
    )  # fmt: skip
    assert exploring.can_be_staged(candidate) is is_staged


def test_the_prediction_is_made_for_the_settings_that_ran() -> None:
    three_copies = drawn(topic__replication_factor=3, topic__min_insync_replicas=2)
    as_staged = as_run(three_copies, advisor.in_force(three_copies.pipeline), Topology(1, 1))
    assert as_staged.stated(Component.TOPIC) == {"replication.factor": 1, "min.insync.replicas": 1}
    assert as_staged.stated(Component.BROKER)["broker.session.timeout.ms"] == 4000
    lost_disk = drawn("isr-shrunk-leader-lost")
    as_staged = as_run(lost_disk, advisor.in_force(lost_disk.pipeline), Topology(3, 3))
    assert as_staged.stated(Component.APPLICATION)["disk.lost"] == "returns-empty"


def test_an_observed_anomaly_that_is_called_impossible_is_a_refutation() -> None:
    assert exploring.refuted(explored()) == {"lost_write"}
    assert exploring.refuted(explored(seen=["phantom"])) == {"phantom"}


@pytest.mark.parametrize(
    "changed",
    [
        {"verdict": "unknown"}, {"seen": []}, {"seen": ["unavailable", "poll_skip"]},
        {"pipeline": SAFE | {"settings": {"producer": {"acks": "2"}}}},
        {"pipeline": advisor.to_data(pipeline(producer__acks="1"))},
    ],
)  # fmt: skip
def test_runs_that_do_not_contradict_the_advice_are_no_refutation(changed: dict[str, Any]) -> None:
    assert not exploring.refuted(explored(**changed))


def test_a_record_continues_after_its_last_number(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    Record(file).add(explored(number=1))
    Record(file).add(explored(number=3))
    Record(file).add(explored(seed=2, number=2))
    with file.open("a") as out:
        out.write('{"seed": 1, "num')  # as if the machine had stopped here
    reopened = Record(file)
    assert [reopened.has(1, number, "drawn") for number in (1, 2, 3, 4)] == [
        True,
        False,
        True,
        False,
    ]
    reopened.add(explored(number=2))
    assert [json.loads(line)["number"] for line in file.read_text().splitlines()] == [1, 3, 2, 2]


def test_an_interrupted_number_is_completed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    record, numbers_and_steps = Record(tmp_path / "runs.jsonl"), []

    def run(at: exploring.Workspace, seed: int, number: int, step: str, staged: Staged) -> Explored:
        numbers_and_steps.append((number, step))
        record.add(explored(number=number, step=step, verdict="holds", seen=[]))
        return record.runs[-1]

    monkeypatch.setattr(exploring, "run_candidate", run)
    monkeypatch.setattr(exploring, "first_runnable", lambda *_: drawn())
    monkeypatch.setattr(exploring, "across_lines", lambda first: first)
    record.add(explored(number=1))  # interrupted before the run on the other line
    record.add(explored(number=2))
    record.add(explored(number=2, step="line"))
    at = exploring.Workspace(record, tmp_path, tmp_path, print)
    assert list(islice(exploring.explore(at, 1, 60), 3))
    assert numbers_and_steps == [(1, "line"), (3, "drawn"), (3, "line")]
    numbers_and_steps.clear()
    # The time is up as soon as something has run.
    monkeypatch.setattr(
        "labs.evidence.exploring.time.monotonic", lambda: 99.0 * len(numbers_and_steps)
    )
    assert list(exploring.explore(at, 1, 2))
    assert numbers_and_steps == [(4, "drawn"), (4, "line")]


@pytest.mark.parametrize("bad", ["nonsense", "[]", '{"seed": 1}', json.dumps({"a": 1})])
def test_an_invalid_line_of_the_record_is_named(tmp_path: Path, bad: str) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text(json.dumps(asdict(explored())) + f"\n{bad}\n")
    with pytest.raises(RecordError, match="line 2"):
        Record(file)


def test_a_refutation_is_shrunk_to_the_settings_that_show_it() -> None:
    first = drawn(
        producer__acks="1", producer__retries=0, consumer__auto_offset_reset="earliest",
        topic__min_insync_replicas=2,
    )  # fmt: skip
    runs: list[Staged] = []

    def is_refuted(candidate: Staged) -> bool:
        runs.append(candidate)
        return candidate.drawn.pipeline.stated(Component.PRODUCER).get("acks") == "1"

    small = shrunk(Staged(first), is_refuted)
    stated = {k: dict(v) for k, v in small.drawn.pipeline.settings.items() if v}
    assert stated == {Component.PRODUCER: {"acks": "1"}}
    shortest = {name: least for name, (least, _) in find(BEHIND).durations.items()}
    assert small.durations == shortest
    assert len(runs) <= 30


def test_a_refutation_that_cannot_be_shrunk_stays_and_attempts_are_limited() -> None:
    runs: list[Staged] = []

    def is_refuted(candidate: Staged) -> bool:
        runs.append(candidate)
        return False

    first = Staged(drawn(producer__acks="1", producer__retries=0))
    assert shrunk(first, is_refuted, most=3) == first
    assert len(runs) == 3


@pytest.mark.parametrize(
    "options",
    [
        {"minutes": 0}, {"minutes": -1}, {"minutes": float("nan")}, {"minutes": float("inf")},
        {"list": True}, {"recorded": True, "minutes": 1.0}, {"recorded": True, "event": [BEHIND]},
        {"event": ["no-such"]}, {"most": 1},
    ],
)  # fmt: skip
def test_options_that_conflict_with_exploring_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(CommandError) as refused:
        call_command("calibrate", explore=True, **options)
    assert refused.value.returncode == 2


def test_a_file_that_is_not_a_record_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text("nonsense\n")
    with pytest.raises(CommandError, match="line 1") as refused:
        call_command("calibrate", explore=True, record=file)
    assert refused.value.returncode == 2


@pytest.mark.parametrize(("seen", "code"), [([], 0), (["lost_write"], 1)])
def test_a_record_reports_its_hours_and_its_unknown_runs(
    capsys: pytest.CaptureFixture[str], seen: list[str], code: int
) -> None:
    record = Record(settings.LAB_RECORD)
    record.add(explored(seen=seen, seconds=5400.0))
    record.add(explored(number=2, seen=[], verdict="unknown", reason="A disk.", seconds=180.0))
    if code:
        with pytest.raises(CommandError) as refuted:
            call_command("calibrate", explore=True, recorded=True)
        assert refuted.value.returncode == code
    else:
        call_command("calibrate", explore=True, recorded=True)
    output = capsys.readouterr().out
    assert "2 runs, 1 of them unknown" in output
    assert "the record: 2 runs in 1.6 hours" in output
    assert f"unknown: seed 1, 2 drawn: {BEHIND} on 4.3: A disk." in output
    assert output.count("refuted: lost_write") == code


def test_seconds_are_counted_from_the_start_of_the_brokers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    now = [0.0]
    rows = [(0, "waiting"), (900, "booting"), (905, "booting"), (910, "ready")]

    def launched(*_: Any) -> Any:
        def events() -> Any:
            for seconds, phase in rows:
                now[0] = float(seconds)
                yield {"event": "phase", "phase": phase}
            now[0] = 960.0
            yield {"event": "result", "experiment": {"arms": [{"verdict": "holds"}]}}

        return nullcontext(events())

    monkeypatch.setattr(exploring, "Launch", launched)
    monkeypatch.setattr("labs.evidence.exploring.time.monotonic", lambda: now[0])
    spec = exploring.experiment_spec(Staged(drawn()))
    assert exploring.arm_result(spec, tmp_path, tmp_path) == ({"verdict": "holds"}, 60.0)


def test_minutes_without_exploring_are_refused() -> None:
    with pytest.raises(CommandError, match="--explore"):
        call_command("calibrate", minutes=1.0)


def test_runs_that_ship_with_the_release_are_evidence(client: Client) -> None:
    record = Record(settings.LAB_RECORD)
    record.add(explored(seen=[], verdict="holds"))
    record.add(explored(seen=[], verdict="unknown"))
    record.add(explored(seen=[], verdict="holds", event="no-such-event"))
    record.add(explored(seen=[], verdict="holds", code=dict(fingerprint(BEHIND))))
    old, new = trials.shipped(settings.LAB_RECORD)
    assert (old.older, new.older) == (True, False)
    page = client.get(reverse("labs:evidence")).content.decode()
    assert ">seen in 0 of 2</a>: below 77.7% with 95% confidence" in page
    runs = client.get(reverse("labs:evidence-failure", args=[BEHIND])).content.decode()
    assert "2026-11-23, Kafka 4.3.1, librdkafka, came with this release" in runs
    assert runs.count("older than the code") == runs.count("came with this release; <em>") > 0
    call_command("calibrate", "--recorded")


def test_a_refutation_in_the_shipped_record_fails_the_build(client: Client) -> None:
    Record(settings.LAB_RECORD).add(explored())
    with pytest.raises(CommandError, match="2026-11-23, Kafka 4") as failed:
        call_command("calibrate", "--recorded")
    assert failed.value.returncode == 1
    assert "Called impossible, and seen" in client.get(reverse("labs:evidence")).content.decode()


def test_every_anomaly_that_breaks_a_run_without_needs_can_refute() -> None:
    assert {anomaly.value for anomaly in Anomaly} >= WITHOUT_WANT


def test_the_shipped_record_has_no_anomaly_that_is_called_impossible() -> None:
    runs = Record(ROOT / "labs" / "calibration" / "record" / "explore.jsonl").runs
    assert sum(run.judged for run in runs)
    assert not [run for run in runs if exploring.refuted(run)]


def test_the_evidence_page_counts_the_same_runs_as_the_record() -> None:
    record = ROOT / "labs" / "calibration" / "record" / "explore.jsonl"
    assert compare(trials.shipped(record)).contradictions == ()
