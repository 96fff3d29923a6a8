"""How long visitors of a lab wait, and what the page says about it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from labs.evidence import lesson_record
from labs.evidence.lesson_proofs import Proof, new_proofs
from labs.evidence.waits import Wait, is_telling, wait
from labs.lessons import Lesson, all_lessons, find
from labs.pages import selectors
from tests.labs.pages.test_lesson_views import ANSWERS, NAME, page, started, url

LONGEST_S = 60.0
"""The longest time for which a page may show nothing new."""


def event(at_s: float, kind: str, **fields: Any) -> dict[str, Any]:
    return {"event": kind, "arm": "a", "at_s": at_s, **fields}


def test_the_longest_silence_is_measured_within_the_arm_and_before_its_verdict() -> None:
    events = [
        event(0, "phase", phase="waiting"),
        event(50, "phase", phase="booting"),  # time in the queue belongs to another arm
        event(58, "phase", phase="ready"),
        event(59, "sample", acked=1),
        event(60, "sample", acked=2),
        event(70, "sample", acked=2),  # unchanged numbers are no news
        event(71, "wait", awaits="for the brokers"),  # nor is a countdown
        {**event(72, "phase", phase="judging"), "arm": "b"},  # nor are events of another arm
        event(85, "fault", fault="kill"),
        event(84.5, "fault", fault="wipe"),  # its own time, reported a little later
        event(90, "arm"),
        event(300, "sample", acked=9),
    ]
    assert wait(events[:-1], "a") == Wait(verdict_s=40, news_s=25)
    assert wait(events, "nobody") == Wait()


def test_an_experiment_without_events_has_no_wait() -> None:
    assert wait([{"event": "result"}], "a") == Wait()


@pytest.mark.parametrize("lesson", all_lessons(), ids=lambda case: case.name)
def test_no_recorded_run_of_a_lab_was_silent_for_more_than_a_minute(lesson: Lesson) -> None:
    kept = lesson_record.read(settings.BASE_DIR / "labs" / "lessons" / "proofs.jsonl")
    seen = lesson_record.wait(lesson, kept)
    assert seen is None or seen.news_s <= LONGEST_S


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """A record in which an arm of the lab took 71 s and showed nothing new for 12 s."""
    monkeypatch.setattr(settings, "LAB_LESSON_RECORD", tmp_path / "proofs.jsonl")
    lesson = find(NAME)
    for seed, item in enumerate((Wait(70.2, 3.0), Wait(40.0, 11.4))):
        proof = Proof(lesson.name, "story", lesson.symptom.arm, shown=1, wait=item, seed=seed)
        others = [Proof(lesson.name, role, "x") for role in ("solution", "tempting")]
        lesson_record.add(settings.LAB_LESSON_RECORD, lesson, [proof, *others], "2026-11-24")


@pytest.mark.django_db
@pytest.mark.usefixtures("measured")
def test_the_page_states_the_duration_before_a_run_is_started(client: Client) -> None:
    client.post(url("predict"), ANSWERS)
    silence = "In recorded runs, the page showed something new at least every 12 s."
    rounds = -(-3 // settings.LAB_CLUSTERS_AT_ONCE)
    text = page(client, "run")
    assert f"about {-(-702 * rounds // 10)} s" in text
    assert silence in text
    turn = page(client, "your-turn")
    assert "One cluster of real brokers: about 71 s." in turn
    assert silence in turn


@pytest.mark.django_db
def test_there_is_something_to_read_while_it_runs(client: Client) -> None:
    assert "While it runs" not in page(client, "run")
    started(client)
    assert "While it runs" in page(client, "run")


@pytest.mark.django_db
def test_a_queued_experiment_of_a_lab_shows_the_time_of_its_proof(
    client: Client, measured: None
) -> None:
    experiment = started(client)
    rounds = math.ceil(len(experiment.spec["arms"]) / settings.LAB_CLUSTERS_AT_ONCE)
    assert selectors.time_to_run(experiment) == f"about {math.ceil(70.2 * rounds)} s once it starts"
    experiment.lesson = ""
    assert selectors.time_to_run(experiment) == f"about {math.ceil(45 * rounds)} s once it starts"


@pytest.mark.parametrize(
    ("load_a_core", "is_representative"), [(0.5, True), (4.0, True), (4.1, False)]
)
def test_waits_on_a_busy_machine_are_not_representative(
    monkeypatch: pytest.MonkeyPatch, load_a_core: float, is_representative: bool
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr("os.getloadavg", lambda: (2 * load_a_core, 0.0, 0.0))
    assert is_telling() is is_representative


def test_the_record_has_only_measured_times(tmp_path: Path) -> None:
    lesson, record = find(NAME), tmp_path / "proofs.jsonl"
    lesson_record.add(record, lesson, new_proofs(lesson), "2026-11-25")
    (kept,) = lesson_record.read(record)
    assert (kept.verdict_s, kept.news_s) == ({}, {})
    assert lesson_record.wait(lesson, [kept]) is None


@pytest.mark.django_db
@pytest.mark.parametrize("part", ["live", "your-turn/live"])
def test_a_page_whose_run_is_not_the_visitors_any_more_is_loaded_again(
    client: Client, part: str
) -> None:
    """After a reset in another tab it would ask every second, and show the run as it was."""
    address = f"/learn/{NAME}/{part}/"
    assert client.get(address).status_code == 404
    answer = client.get(address, headers={"HX-Request": "true"})
    assert answer["HX-Refresh"] == "true"
    page = client.get(f"/learn/{NAME}/run/").content.decode()
    assert page.count("in another tab the lab was started over") == 1
