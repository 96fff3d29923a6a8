"""Reports of a runner are written to the database only while it still owns the run."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from labs.engine.run import result
from labs.models import Experiment, Run, State
from labs.runs import lifecycle
from labs.runs.recording import MOST_SAMPLES, Recorder
from tests.labs import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def claimed() -> Experiment:
    claimed = lifecycle.claim(make.experiment().slug, 1, "owner")
    assert claimed is not None
    return claimed


def sample(at_s: float, **fields: Any) -> dict[str, Any]:
    return {"event": "sample", "arm": "described", "at_s": at_s, "leader": 1, "isr": [1],
            "brokers": {"1": "running"}, "acknowledged": 5, "acknowledged_per_s": 10,
            **fields}  # fmt: skip


def phase(name: str) -> dict[str, Any]:
    return {"event": "phase", "arm": "described", "phase": name, "at_s": 0.5}


def described(experiment: Experiment) -> Run:
    return Run.objects.get(experiment=experiment, name="described")


def test_phases_are_written_immediately_and_samples_are_throttled(
    claimed: Experiment, django_assert_num_queries: Any
) -> None:
    recorder = Recorder(claimed, "owner")
    recorder.take(phase("booting"))
    assert described(claimed).phase == "booting"
    with django_assert_num_queries(0):
        for at in range(20):
            recorder.take(sample(at / 10))
    recorder.take(phase("producing"))
    assert len(described(claimed).samples) == 20


def test_the_picture_is_drawn_from_the_newest_sample(claimed: Experiment, client: Client) -> None:
    recorder = Recorder(claimed, "owner")
    recorder.take(phase("producing"))
    data = {"ends": {"1": 4321}, "high_watermark": 4000, "committed": 3000, "delivered": 3500}
    recorder.take(sample(1.0, **data))
    recorder.take(phase("faulting"))
    page = client.get(claimed.get_absolute_url()).content.decode()
    assert all(f"{number:,}" in page for number in (4321, 3000, 3500))


def test_the_wait_of_a_slow_boot_is_shown_until_the_next_phase(claimed: Experiment) -> None:
    recorder = Recorder(claimed, "owner")
    recorder.take({**phase("booting"), "detail": "downloading a.jar (1 of 57)"})
    assert described(claimed).live["detail"] == "downloading a.jar (1 of 57)"
    recorder.take(phase("ready"))
    assert described(claimed).live["detail"] is None


def test_the_page_names_what_an_arm_waits_for(claimed: Experiment, client: Client) -> None:
    recorder, address = Recorder(claimed, "owner"), claimed.get_absolute_url()
    recorder.take(phase("healing"))
    wait_event = {"event": "wait", "arm": "described", "at_s": 9.0}
    recorder.take({**wait_event, "awaits": "for broker 2 to come back", "left_s": 40})
    text = "Waiting for broker 2 to come back, for up to 40 s more."
    assert text in client.get(address).content.decode()
    recorder.take({**wait_event, "awaits": "", "left_s": 0})
    assert "Waits " not in client.get(address).content.decode()


def test_many_samples_are_thinned_and_the_newest_is_kept(claimed: Experiment) -> None:
    recorder = Recorder(claimed, "owner")
    for at in range(5 * MOST_SAMPLES):
        recorder.take(sample(at))
    recorder.take(phase("judging"))
    samples = described(claimed).samples
    assert len(samples) <= MOST_SAMPLES
    assert samples[0]["at_s"] == 0
    assert described(claimed).live["at_s"] == 5 * MOST_SAMPLES - 1


def test_a_dead_broker_is_not_shown_as_leader(claimed: Experiment) -> None:
    recorder = Recorder(claimed, "owner")
    recorder.take(sample(1.0, brokers={"1": "dead"}))
    recorder.take(phase("healing"))
    assert described(claimed).samples[-1]["leader"] is None


def test_results_are_written_with_the_arm_or_at_the_end(claimed: Experiment) -> None:
    recorder = Recorder(claimed, "owner")
    first = {"name": "described", **make.result("broken")}
    second = {"name": "recommended", **make.result("holds")}
    recorder.take({"event": "arm", "arm": "described", "result": first})
    recorder.take({"event": "result", "arm": None, "experiment": {"arms": [first, second]}})
    assert list(claimed.runs.values_list("verdict", flat=True)) == ["broken", "holds"]


def test_characters_that_postgresql_refuses_are_replaced(claimed: Experiment) -> None:
    recorder = Recorder(claimed, "owner")
    dump = {"exhibits": [{"text": "payload: \0\0\x01", "half \ud800": None}], "verdict": "holds"}
    recorder.take({"event": "arm", "arm": "described", "result": {**dump, "half": "\ud800!"}})
    written = described(claimed).result
    assert written["exhibits"][0]["text"] == "payload: ␀␀\x01"
    assert written["half"] == "?!"
    assert "half ?" in written["exhibits"][0]


def test_the_reason_why_an_arm_could_not_be_run_is_recorded(claimed: Experiment) -> None:
    recorder = Recorder(claimed, "owner")
    recorder.take({"event": "error", "arm": "described", "message": "No Java."})
    assert recorder.error == "described: No Java."


def test_a_run_with_another_owner_is_not_written(claimed: Experiment) -> None:
    recorder = Recorder(claimed, "owner")
    lifecycle.cancel(claimed.slug, "a visitor")
    lifecycle.requeue(claimed.slug, 1)
    lifecycle.claim(claimed.slug, 2, "another")
    recorder.take(phase("judging"))
    recorder.take({"event": "arm", "arm": "described", "result": make.result("broken")})
    assert (described(claimed).phase, described(claimed).verdict) == ("", "")
    claimed.refresh_from_db()
    assert claimed.state == State.RUNNING


def test_unknown_events_and_arms_are_skipped(claimed: Experiment) -> None:
    recorder = Recorder(claimed, "owner")
    recorder.take({"event": "weather", "arm": "described"})
    recorder.take({**phase("booting"), "arm": "third"})
    assert described(claimed).phase == ""


def test_a_killed_part_is_distinguished_from_one_that_could_not_be_run(claimed: Experiment) -> None:
    recorder = Recorder(claimed, "owner")
    recorder.take({"event": "error", "arm": "described", "message": "no disk", "killed": False})
    recorder.take({"event": "error", "arm": None, "message": "no scenario"})
    assert (recorder.error, recorder.killed) == ("described: no disk no scenario", False)
    recorder.take({"event": "error", "arm": "described", "message": "gone", "killed": True})
    recorder.take({"event": "error", "arm": "described", "message": "no disk", "killed": False})
    assert recorder.killed


def test_a_disturbed_arm_is_reported_while_the_other_one_continues(
    claimed: Experiment, client: Client
) -> None:
    recorder = Recorder(claimed, "owner")
    reason = "The run was disturbed: the consumer-1 was killed, and not by this run."
    context = {"name": "described", "axis_began_ns": 0, "fault_evidence": []}
    arm = {"arm": "described"}
    recorder.take({"event": "error", **arm, "message": reason, "killed": True})
    recorder.take({"event": "arm", **arm, "result": {**result.unjudged(reason), **context}})
    claimed.refresh_from_db()
    assert claimed.state == State.RUNNING
    assert reason in client.get(claimed.get_absolute_url()).content.decode()
