"""Incidents played by a worker on real brokers: their counts, and cancellation."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse

from labs.engine.base import processes
from labs.engine.base.wait import until
from labs.incidents import find
from labs.models import Experiment, State
from labs.runs import lifecycle, queue, worker
from labs.runs.recording import Recorder

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.timeout(300),
    pytest.mark.django_db(transaction=True),  # the heartbeat writes from its own thread
]


@pytest.fixture(autouse=True)
def no_redis(monkeypatch: pytest.MonkeyPatch, settings: LazySettings, data_dir: Path) -> None:
    """The test is the worker."""
    monkeypatch.setattr(queue, "nudge", lambda slug, attempt: True)


def start_play(client: Client, name: str, *sides: str) -> Experiment:
    """Starts a play on the page of an incident, as a visitor does."""
    address = reverse("labs:incident-start", args=[find(name).slug])
    assert client.post(address, {"side": sides}).status_code == 302
    return Experiment.objects.get()


def test_a_visitor_sees_the_bug_on_an_affected_release(client: Client) -> None:
    play = start_play(client, "KAFKA-13598", "affected")
    worker.run(play.slug, play.attempt)
    play.refresh_from_db()
    assert (play.state, play.reason) == (State.DONE, "")
    [side] = play.runs.all()
    assert (side.result["harmed"], side.result["of"], side.verdict) == (5, 5, "")
    page = client.get(play.get_absolute_url()).content.decode()
    assert "<dd>5 of 5</dd>" in page
    assert "producerId: -1" in page
    assert not list(play.folder.glob("*/cluster"))


@pytest.mark.thorough
def test_every_side_of_a_broker_incident_is_played(client: Client) -> None:
    incident = find("KAFKA-14055")
    play = start_play(client, incident.id, *incident.releases)
    worker.run(play.slug, play.attempt)
    play.refresh_from_db()
    assert (play.state, play.reason) == (State.DONE, "")
    harmed = {side.name: side.result["harmed"] > 0 for side in play.runs.all()}
    assert harmed == {side: side == "affected" for side in incident.releases}


@pytest.mark.thorough
def test_a_play_that_is_cancelled_while_brokers_run_leaves_nothing_behind(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = start_play(client, "KAFKA-14055", "affected", "fixed")
    playing, take = threading.Event(), Recorder.take

    def watch(self: Recorder, event: Any) -> None:
        take(self, event)
        if event.get("phase") == "playing":
            playing.set()

    monkeypatch.setattr(Recorder, "take", watch)
    before = {*processes.process_tree(own_pid())}
    thread = threading.Thread(target=worker.run, args=(play.slug, play.attempt))
    thread.start()
    try:
        assert playing.wait(120), "the steps did not begin"
        started_pids = {*processes.process_tree(own_pid())} - before
        assert len(started_pids) >= 3, "the keeper, the runner, and brokers"
        client.post(reverse("labs:cancel", args=[play.slug]))
        thread.join(60)
        assert not thread.is_alive()
    finally:
        lifecycle.cancel(play.slug, "the test")
        thread.join(60)
    play.refresh_from_db()
    assert (play.state, play.reason) == (State.CANCELLED, "Cancelled by a visitor.")
    until(lambda: all(processes.state(pid) in (None, "Z", "X") for pid in started_pids), 10,
          "the end of all that the play had started")  # fmt: skip
    assert not play.folder.exists()


def own_pid() -> int:
    """The id of this process."""
    return int(Path("/proc/self").resolve().name)
