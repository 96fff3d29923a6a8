"""Plays of incidents from the web: started, limited, shown in each state, and never judged."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from labs.engine.base import slots
from labs.engine.distributions import download
from labs.engine.distributions.download import DownloadFailed
from labs.engine.run.events import Emitter
from labs.incidents import Exhibit, Moment, Outcome, find, runner
from labs.incidents.runner import PlaySpec
from labs.models import Experiment, Run, State
from labs.pages import selectors
from labs.pages.incidents.moments import lanes
from labs.runs import lifecycle, plays, queue, worker
from labs.runs.planning import Refused
from labs.runs.recording import Recorder
from tests.labs import make

INCIDENT = find("KAFKA-13598")
HOSTILE = "<script>alert(1)</script>"
HARMED = Outcome(
    5, 5, (Exhibit("The batches", f"producerId: -1 {HOSTILE}"),),
    (Moment(0.0, "broker 1: serving"), Moment(7.25, f"5 of 5 {HOSTILE}")),
)  # fmt: skip
CLEAN = Outcome(
    0, 5, (Exhibit("The batches", "producerId: 7"),),
    (Moment(0.0, "broker 1: serving"), Moment(14.5, "0 of 5")),
)  # fmt: skip


@pytest.fixture(autouse=True)
def no_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sends nothing to the queue: a worker of this machine would take it."""
    monkeypatch.setattr(queue, "nudge", lambda slug, attempt: True)


def events(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, play: Callable[..., Outcome],
    sides: tuple[str, ...] = ("affected", "fixed"),
) -> tuple[int, list[dict[str, Any]]]:  # fmt: skip
    """The exit code and the events of a play with these steps."""
    monkeypatch.setenv("LAB_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(runner, "play", play)
    stream = io.StringIO()
    code = runner.run(PlaySpec(INCIDENT.slug, sides), tmp_path / "run", Emitter(stream))
    return code, [json.loads(line) for line in stream.getvalue().splitlines()]


def outcome_by_release(
    _: object, release: str, report: Any, enter_phase: Any, home: Path
) -> Outcome:
    enter_phase("fetching")
    report("downloading kafka-clients.jar (1 of 5)")
    enter_phase("playing")
    assert home.is_dir()
    return HARMED if release == INCIDENT.affected else CLEAN


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Experiment:
    """A play of two sides as its worker records it, before it has ended."""
    play = plays.start(INCIDENT, ["affected", "fixed"])
    claimed = lifecycle.claim(play.slug, play.attempt, "us")
    assert claimed
    recorder = Recorder(claimed, "us")
    for event in events(monkeypatch, tmp_path, outcome_by_release)[1]:
        recorder.take(event)
    assert not recorder.error
    return claimed


def page_of(client: Client, play: Experiment) -> str:
    response = client.get(play.get_absolute_url())
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.django_db
def test_the_button_queues_the_chosen_sides_for_its_visitor(client: Client) -> None:
    page = client.get(reverse("labs:incident", args=[INCIDENT.slug])).content.decode()
    assert page.count('name="side"') == len(INCIDENT.releases)
    started = client.post(
        reverse("labs:incident-start", args=[INCIDENT.slug]), {"side": ["fixed", "affected"]}
    )
    [play] = Experiment.objects.all()
    assert started["Location"] == play.get_absolute_url()
    assert (play.is_incident, play.state) == (True, State.QUEUED)
    assert play.visitor == client.session.session_key
    assert play.play() == PlaySpec(INCIDENT.slug, ("affected", "fixed"))
    assert [run.name for run in play.runs.all()] == ["affected", "fixed"]
    assert play.get_absolute_url() in client.get(
        reverse("labs:incident", args=[INCIDENT.slug])
    ).content.decode()  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize("sides", [[], ["yesterday"], ["affected", HOSTILE]])
def test_an_empty_or_unknown_choice_is_refused_and_queues_nothing(
    client: Client, sides: list[str]
) -> None:
    refused = client.post(reverse("labs:incident-start", args=[INCIDENT.slug]), {"side": sides})
    assert refused.status_code == 400
    page = refused.content.decode()
    assert f"Choose at least one release to play: affected ({INCIDENT.affected})" in page
    assert HOSTILE not in page
    assert not Experiment.objects.exists()


@pytest.mark.django_db
def test_a_side_that_is_not_played_cannot_be_chosen(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_today = replace(find("KAFKA-9254"), not_today="its steps need what is gone")
    monkeypatch.setattr("labs.incidents.all_incidents", lambda: (without_today,))
    assert 'value="today"' not in client.get(
        reverse("labs:incident", args=[without_today.slug])
    ).content.decode()  # fmt: skip
    with pytest.raises(Refused, match="Choose at least one"):
        plays.start(without_today, ["today"])
    with pytest.raises(ValueError, match="is run on one or more of affected, fixed"):
        PlaySpec(without_today.slug, ("today",))


@pytest.mark.django_db
def test_plays_and_experiments_share_the_places_of_the_queue(
    client: Client, settings: LazySettings
) -> None:
    settings.LAB_QUEUE = {"all": 2, "visitor": 10, "address": 10}
    make.experiment()
    address = reverse("labs:incident-start", args=[INCIDENT.slug])
    assert client.post(address, {"side": "affected"}).status_code == 302
    full = client.post(address, {"side": "affected"})
    assert full.status_code == 400
    assert "2 experiments already wait" in full.content.decode()
    assert Experiment.objects.count() == 2


@pytest.mark.django_db
def test_only_who_started_it_may_cancel_it(client: Client) -> None:
    client.post(reverse("labs:incident-start", args=[INCIDENT.slug]), {"side": "affected"})
    [play] = Experiment.objects.all()
    assert "Cancel this play" in page_of(client, play)
    assert "Cancel this play" not in page_of(Client(), play)
    Client().post(reverse("labs:cancel", args=[play.slug]))
    play.refresh_from_db()
    assert play.state == State.QUEUED
    assert client.post(reverse("labs:cancel", args=[play.slug]))["Location"] == (
        play.get_absolute_url()
    )
    page = page_of(client, play)
    assert "Cancelled by a visitor." in page
    assert "Nothing was counted on this release." in page


@pytest.mark.django_db
def test_while_it_runs_the_page_shows_the_phase_and_the_download(client: Client) -> None:
    play = plays.start(INCIDENT, ["affected"])
    assert "next in the queue" in page_of(client, play)
    claimed = lifecycle.claim(play.slug, play.attempt, "us")
    assert claimed
    recorder = Recorder(claimed, "us")
    recorder.take({"event": "phase", "arm": "affected", "phase": "waiting", "place": 2, "at_s": 0})
    assert "number 2 in the queue" in page_of(client, play)
    recorder.take({
        "event": "phase", "arm": "affected", "phase": "fetching", "at_s": 1,
        "detail": "downloading kafka-clients-3.1.0.jar (3 of 5)",
    })  # fmt: skip
    page = page_of(client, play)
    assert "downloading kafka-clients-3.1.0.jar (3 of 5)" in page
    assert 'class="is-now" aria-current="step">Fetching the release' in page
    assert "every 1s" in page
    live = reverse("labs:incident-live", args=[INCIDENT.slug, play.slug])
    assert client.get(live).status_code == 200
    lifecycle.finish(play.slug, "us", State.INTERRUPTED, "The worker was stopped.")
    assert client.get(live).status_code == 286


@pytest.mark.django_db
def test_counts_are_shown_and_exhibits_are_escaped(client: Client, played: Experiment) -> None:
    assert "Broker logs and dumped segments are shown when all releases are done" in page_of(
        client, played
    )
    lifecycle.finish(played.slug, "us", State.DONE)
    page = page_of(client, played)
    assert "<dd>5 of 5</dd>" in page
    assert "<dd>0 of 5</dd>" in page
    assert "The bug was seen again on 3.1.0" in page
    assert "The bug was not seen on 3.1.1 in this run." in page
    assert "producerId: -1 &lt;script&gt;" in page
    assert HOSTILE not in page
    assert "7.3 s" in page
    assert page.count("track-gone") == 1  # only where harm was counted
    assert 'class="track-gone" x="49.50%"' in page  # both releases share one scale
    row = client.get(reverse("labs:incident", args=[INCIDENT.slug])).content.decode()
    assert "3.1.0: 5 of 5. 3.1.1: 0 of 5." in row


@pytest.mark.django_db
@pytest.mark.parametrize(("side", "harmed", "message"), [
    ("affected", 0, "says nothing against it"),
    ("fixed", 3, "contradicts this page"),
    ("today", 1, "contradicts this page"),
])  # fmt: skip
def test_an_unexpected_result_is_reported(
    client: Client, side: str, harmed: int, message: str
) -> None:
    play = plays.start(INCIDENT, [side])
    assert lifecycle.claim(play.slug, play.attempt, "us")
    play.runs.update(
        phase="done",
        result={"release": INCIDENT.releases[side], "harmed": harmed, "of": 5, "exhibits": []},
    )
    lifecycle.finish(play.slug, "us", State.DONE)
    assert message in page_of(client, play)


@pytest.mark.django_db
def test_a_play_has_no_verdict_and_no_page_of_experiments_shows_it(
    client: Client, played: Experiment
) -> None:
    lifecycle.finish(played.slug, "us", State.DONE)
    assert {run.verdict for run in Run.objects.all()} == {""}
    assert not any(run.judged for run in Run.objects.all())
    assert not selectors.recent().exists()
    for name in ("experiment", "live", "offline", "report", "compare", "replay", "picture"):
        assert client.get(reverse(f"labs:{name}", args=[played.slug])).status_code == 404
    for name in ("again", "repeat"):
        assert client.post(reverse(f"labs:{name}", args=[played.slug])).status_code == 404
    for name in ("ledger", "ledger-lines", "message"):
        assert client.get(reverse(f"labs:{name}", args=[played.slug, "fixed"])).status_code == 404


@pytest.mark.django_db
def test_a_play_is_found_under_its_own_incident_alone(client: Client, played: Experiment) -> None:
    for name, slug in (("kafka-14055", played.slug), (INCIDENT.slug, make.experiment().slug)):
        assert client.get(reverse("labs:incident-play", args=[name, slug])).status_code == 404
    assert client.post(reverse("labs:incident-start", args=["kafka-1"])).status_code == 404


def test_each_side_reports_its_phases_and_result_and_its_folder_is_removed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    code, rows = events(monkeypatch, tmp_path, outcome_by_release)
    assert code == runner.FINISHED
    phases = [(row["arm"], row["phase"]) for row in rows if row["event"] == "phase"]
    assert [phase for side, phase in phases if side == "affected"] == [
        "waiting", "fetching", "fetching", "playing",
    ]  # fmt: skip
    assert [row["harmed"] for row in rows[-1]["experiment"]["arms"]] == [5, 0]
    assert not list((tmp_path / "run").glob("*/cluster"))


@pytest.mark.parametrize(("problem", "message"), [
    (DownloadFailed("Ivy says:\nServer access error at url http://repo.intern:81/a.jar",
                    "the repository cannot be reached (Connection refused)"),
     "3.1.0 could not be downloaded: the repository cannot be reached (Connection refused)."),
    (DownloadFailed("The jars of past-3.1.0 have 151 MB, and a release may have 150 MB at most"),
     "The jars of past-3.1.0 have 151 MB"),
    (download.NoRoom("Nothing was downloaded: the disk for downloads has 3 MB left"),
     "the disk for downloads has 3 MB left"),
    (ChildProcessError("broker 1 ended by itself"), "broker 1 ended by itself"),
])  # fmt: skip
def test_a_side_that_cannot_be_played_says_why_and_the_other_one_is_played(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, problem: Exception, message: str
) -> None:
    def play(incident: Any, release: str, *rest: Any) -> Outcome:
        if release == INCIDENT.affected:
            raise problem
        return outcome_by_release(incident, release, *rest)

    code, rows = events(monkeypatch, tmp_path, play)
    assert code == runner.SIDE_FAILED
    [error] = [row for row in rows if row["event"] == "error"]
    assert message in error["message"]
    assert "repo.intern" not in error["message"]
    assert [row["name"] for row in rows[-1]["experiment"]["arms"]] == ["fixed"]


def test_a_full_disk_is_reported_before_any_download(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    download.ensure_room(tmp_path / "jars" / "past-3.1.0")
    monkeypatch.setattr(download, "ROOM_MB", 10**9)
    with pytest.raises(download.NoRoom, match="1000000000 MB are needed"):
        download.ensure_room(tmp_path / "jars" / "past-3.1.0")


@pytest.mark.process
@pytest.mark.django_db(transaction=True)  # the heartbeat thread writes, too
def test_a_play_of_a_removed_incident_fails_and_says_so() -> None:
    play = plays.start(INCIDENT, ["affected"])
    play.spec["incident"] = "kafka-1"
    play.save()
    worker.run(play.slug, play.attempt)
    play.refresh_from_db()
    assert play.state == State.FAILED
    assert "kafka-1" in play.reason
    assert not play.folder.exists()


@pytest.mark.process
@pytest.mark.django_db(transaction=True)  # the heartbeat thread writes, too
def test_a_play_waits_for_a_free_cluster_and_ends_when_it_is_cancelled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LAB_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("LAB_CLUSTERS_AT_ONCE", "1")
    monkeypatch.setattr(lifecycle, "HEARTBEAT_S", 0.1)
    play = plays.start(INCIDENT, ["affected"])
    claimed = lifecycle.claim(play.slug, play.attempt, "us")
    assert claimed
    take = Recorder.take

    def cancel(self: Recorder, event: Any) -> None:
        take(self, event)
        if event.get("place"):
            lifecycle.cancel(play.slug, "a visitor")

    monkeypatch.setattr(Recorder, "take", cancel)
    with slots.slot():
        worker.carry_out(claimed, tmp_path / "judge.sock")
    play.refresh_from_db()
    assert (play.state, play.reason) == (State.CANCELLED, "Cancelled by a visitor.")
    assert not play.folder.exists()


@pytest.mark.django_db
def test_a_cancelled_play_keeps_its_counts(client: Client, played: Experiment) -> None:
    played.runs.filter(name="fixed").update(result={}, phase="playing")
    lifecycle.cancel(played.slug, "a visitor")
    Experiment.objects.update(ended_at=timezone.now() - timedelta(seconds=1))
    lifecycle.remove_leftovers()
    page = page_of(client, played)
    assert "<dd>5 of 5</dd>" in page
    assert "Nothing was counted on this release." in page


def test_counts_of_a_step_are_grouped_and_values_are_as_written() -> None:
    words = ("40000 messages acknowledged", "6000 of 51000 offsets at which replicas differ",
             "offset 1150 is handed out again", "log.retention.ms is 500000000")  # fmt: skip
    moments = [Moment(1.0, text) for text in words]
    [lane] = lanes([("1.0.0", "with the bug", moments, 0)], lambda _: None)
    assert [step.words for step in lane.steps] == [
        "40,000 messages acknowledged", "6,000 of 51,000 offsets at which replicas differ",
        *words[2:],
    ]  # fmt: skip
