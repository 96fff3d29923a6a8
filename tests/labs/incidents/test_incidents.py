"""Incidents: their folders, shipped counts, the command that plays them, and their pages."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils.html import escape
from packaging.version import Version

import labs.incidents
from advisor.advisories import advisories
from advisor.management.exact import BAD_INPUT
from advisor.reasoning.plural import counted
from labs.engine.distributions import distribution
from labs.incidents import (
    Exhibit,
    Incident,
    IncidentError,
    Moment,
    Outcome,
    all_incidents,
    find,
    record,
    wheels,
)
from labs.incidents.loading import load
from labs.incidents.timeline import Timeline
from labs.incidents.verify import Side
from labs.management.commands import incidents as command
from labs.management.proving import NOT_PROVEN
from labs.pages.incidents.moments import lanes
from tests.advisor.test_first_screen import MOST_WORDS, unfolded

PLACE = Path(labs.incidents.__file__).parent
LOCKS = {"broker": "past", "java-client": "past-clients", "streams": "past-streams"}
INCIDENTS = pytest.mark.parametrize("incident", all_incidents(), ids=lambda case: case.slug)


@INCIDENTS
def test_the_advisory_of_the_same_ticket_names_it_and_knows_both_releases(
    incident: Incident,
) -> None:
    [advisory] = [advisory for advisory in advisories() if advisory.id == incident.id]
    assert advisory.incident == incident.id
    affected, fixed = Version(incident.affected), Version(incident.fixed)
    assert any(affected in span for span in advisory.affected)
    assert not any(fixed in span for span in advisory.affected)


@pytest.mark.django_db
def test_an_advisory_without_an_incident_states_what_is_missing(client: Client) -> None:
    without_incident = [advisory for advisory in advisories() if advisory.not_played]
    assert {"SPARK-41375"} <= {advisory.id for advisory in without_incident}
    for advisory in without_incident:
        assert not advisory.incident
        page = client.get(reverse("advisories:page", args=[advisory.slug])).content.decode()
        assert f"Not run here. {escape(advisory.not_played)}" in page


def test_advisories_link_only_existing_incidents() -> None:
    linked = {advisory.incident for advisory in advisories() if advisory.incident}
    assert linked == {incident.id for incident in all_incidents()}


@INCIDENTS
def test_releases_are_locked_and_steps_can_be_played(incident: Incident) -> None:
    for side in ("affected", "fixed"):
        release = incident.releases[side]
        if incident.component == "librdkafka":
            assert wheels.locked(release)
        else:
            names = (f"{LOCKS[incident.component]}-{release}.txt", f"kafka-{release}.txt")
            own = next(path for name in names if (path := distribution.LOCKS / name).exists())
            assert distribution.parse_lock(own.read_text("utf-8"))
    steps = importlib.import_module(incident.module)
    assert callable(steps.play)
    if incident.component == "broker":
        assert steps.BROKERS in range(1, 4)


@INCIDENTS
def test_shipped_plays_show_harm_with_the_bug_and_none_without_it(
    incident: Incident,
) -> None:
    played = record.sides(incident.id)
    sides = {item.side: item.release for item in played}
    assert sides == incident.releases
    for play in played:
        assert play.is_proven
        assert (play.harmed > 0) == (play.side == "affected")
        assert play.times >= (1 if play.side == "today" else 5)
        titles = " ".join(exhibit.title for exhibit in play.exhibits)
        assert "The brokers' logs" in titles
        assert "The segments, as kafka-dump-log prints them" in titles
        assert all(exhibit.text.strip() for exhibit in play.exhibits)
        assert len(play.moments) >= 5
        assert play.moments[-1].words == f"{play.harmed} of {play.of} {incident.harm}"


@INCIDENTS
def test_the_moment_of_harm_is_marked_before_it_is_counted(incident: Incident) -> None:
    """With the bug one step is marked. Without it none is, although the steps are the same."""
    by_side = {play.side: play for play in record.sides(incident.id)}
    rows = [(play.release, side, play.moments, play.harmed) for side, play in by_side.items()]
    for lane in lanes(rows, incident.harm_in):
        marked = [step for step in lane.steps if step.is_harm]
        assert len(marked) == (lane.label == "affected")
        assert all(step is not lane.steps[-1] for step in marked)
        assert lane.steps[-1].is_count == (lane.label == "affected")


def test_each_moment_of_harm_is_searched_after_the_previous_one() -> None:
    """KAFKA-6361: the broker that returned earlier is not the one that keeps its records."""
    incident, moments = find("KAFKA-6361"), record.sides("KAFKA-6361")[0].moments
    at = incident.harm_in(moments)
    assert at is not None
    assert moments[at].words == "broker 2: serving"
    assert at > [moment.words for moment in moments].index("broker 2: serving")
    assert incident.harm_in(moments[:at]) is None


def test_the_four_remedies_of_a_report_were_each_run() -> None:
    """KAFKA-3919: truncation by epoch (the fix), a tolerant index, a flushing topic, a new copy."""
    affected, fixed, _ = (
        {exhibit.title: exhibit.text for exhibit in play.exhibits}
        for play in record.sides("KAFKA-3919")
    )
    [refused] = [text for title, text in affected.items() if title.endswith("is started again")]
    assert "InvalidOffsetException" in refused
    by_index = affected["The same, with an index that leaves the place out"]
    assert "it starts and serves" in by_index
    assert sum(map(int, re.findall(r"differ from broker .*: (\d+)", by_index))) > 0
    by_copy = affected["The same, with its log deleted"]
    assert "it starts and serves" in by_copy
    assert ", the leader: 0" in by_copy
    for side in (affected, fixed):
        lines = side["What is there afterwards"].splitlines()
        assert lines[1] == "with flush.messages=1: acknowledged 500, not in the log: 0"
        assert not lines[0].endswith("in the leader's log: 0"), "acks=1 loses on every release"
    assert all(
        ": 0 offsets differ" in line for line in fixed["What is there afterwards"].splitlines()[2:]
    )


def test_lost_task_state_is_shown_by_log_counts_and_changelog() -> None:
    """KAFKA-7672: counts that decrease, a log that shows no restoration, and a changelog."""
    affected = {exhibit.title: exhibit.text for exhibit in record.sides("KAFKA-7672")[0].exhibits}
    counts, log = affected["The counts"], affected["The application's log, last lines on restoring"]
    assert "alone again" in counts
    assert "No checkpoint found" in log
    assert "to RUNNING" in log
    [changelog] = [text for title, text in affected.items() if "end of the changelog" in title]
    assert "payload: 1" in changelog
    assert "`completedRestorers`" in (PLACE / "kafka_7672" / "mechanism.md").read_text("utf-8")


def test_the_set_that_is_never_cleared_is_shown_next_to_the_fixed_one() -> None:
    """KAFKA-7672: `completedRestorers` at each stage, read from its thread."""
    [title] = [e.title for e in record.sides("KAFKA-7672")[0].exhibits if "completed" in e.title]
    affected, fixed, today = (
        next(e.text for e in play.exhibits if e.title == title)
        for play in record.sides("KAFKA-7672")
    )
    both_tasks = "[counts-store-changelog-0, counts-store-changelog-1]"
    assert [line.partition(": ")[2] for line in affected.splitlines()] == [both_tasks] * 3
    started, shared, alone = (line.partition(": ")[2] for line in fixed.splitlines())
    assert started == both_tasks
    assert both_tasks not in (shared, alone)
    assert "no such set" in today


@INCIDENTS
def test_the_mechanism_has_a_drawing(incident: Incident) -> None:
    assert re.search(
        r'role="img" aria-label="Step by step: [^"]{60,}"><svg', incident.texts["mechanism"].plain()
    )


@pytest.mark.parametrize(("file", "old", "new", "message"), [
    ("incident.toml", 'affected = "3.1.0"', 'affected = "3.1"', "affected: has to be a release"),
    ("incident.toml", 'component = "java-client"', 'component = "go"', "component"),
    ("incident.toml", "minutes = 1", "minutes = 1\nhours = 1", "hours"),
    ("incident.toml", "minutes = 1", "", "minutes"),
    ("report.md", None, "", "report.md: is empty"),
    ("mechanism.md", "(no-number.svg)", "(gone.svg)", "mechanism.md: there is no drawing"),
    ("mechanism.md", "](no-number.svg)", "]", "no-number.svg: is shown in no text"),
    ("no-number.svg", "</svg>", "<script/></svg>", "<script> is not allowed"),
    ("workaround.md", None, None, "workaround.md: is missing"),
    ("steps.py", None, None, "steps.py: is missing"),
    ("incident.toml", "minutes", 'brokers = "old"\nminutes', "brokers: has to be a release"),
])  # fmt: skip
def test_an_invalid_folder_is_refused_by_file_and_key(
    tmp_path: Path, file: str, old: str | None, new: str | None, message: str
) -> None:
    folder = shutil.copytree(PLACE / "kafka_13598", tmp_path / "kafka_13598")
    if new is None:
        (folder / file).unlink()
    else:
        text = (folder / file).read_text("utf-8")
        assert old is None or old in text
        (folder / file).write_text(text.replace(old, new) if old else new, "utf-8")
    with pytest.raises(IncidentError, match=message):
        load(folder)


def test_a_folder_is_named_after_its_ticket(tmp_path: Path) -> None:
    folder = shutil.copytree(PLACE / "kafka_13598", tmp_path / "idempotence")
    with pytest.raises(IncidentError, match="named like kafka_14055"):
        load(folder)


@pytest.mark.parametrize(("options", "message"), [
    (["--verify", "KAFKA-1"], "no incident KAFKA-1; there are KAFKA-3919"),
    (["--verify", "--times", "0"], "from 1 to 100"),
    (["--keep", "x.json"], "--keep is for --verify"),
    (["--add"], "--add is for --keep"),
    (["--on", "fixed"], "--on is for --verify"),
])  # fmt: skip
def test_bad_input_is_refused_before_anything_is_started(
    monkeypatch: pytest.MonkeyPatch, options: list[str], message: str
) -> None:
    monkeypatch.setattr(command, "verify", None)
    with pytest.raises(CommandError, match=message) as refused:
        call_command("incidents", *options)
    assert refused.value.returncode == BAD_INPUT


@pytest.fixture
def incident_without_today(monkeypatch: pytest.MonkeyPatch) -> Incident:
    """An incident that is not played on today's release. No shipped incident is like that."""
    changed = replace(find("KAFKA-9254"), not_today="its steps need <what> is gone")
    all_ = tuple(changed if incident.id == changed.id else incident for incident in all_incidents())
    monkeypatch.setattr("labs.incidents.all_incidents", lambda: all_)
    return changed


def test_every_incident_is_played_on_todays_release_too() -> None:
    assert [incident.id for incident in all_incidents() if incident.not_today] == []


@pytest.mark.usefixtures("incident_without_today")
def test_a_side_that_is_not_played_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with pytest.raises(CommandError, match="KAFKA-9254 is not run there") as refused:
        call_command("incidents", "--verify", "KAFKA-9254", "--on", "today")
    assert refused.value.returncode == BAD_INPUT


@pytest.mark.parametrize(("affected", "fixed", "proven"), [
    ((1, 1), (0, 0), True), ((1, 0), (0, 0), False), ((1, 1), (0, 1), False),
])  # fmt: skip
def test_an_incident_is_proven_only_if_every_run_with_the_bug_shows_harm_and_none_without(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path,
    affected: tuple[int, ...], fixed: tuple[int, ...], proven: bool,
) -> None:  # fmt: skip
    def verify(incident: Incident, *_: Any) -> list[Side]:
        counts = {"affected": affected, "fixed": fixed, "today": (0, 0)}
        seen = (Exhibit("log", "offset: 0"),)
        return [
            Side(incident.id, side, release, tuple(Outcome(n, 5, seen) for n in counts[side]))
            for side, release in incident.releases.items()
        ]

    monkeypatch.setattr(command, "verify", verify)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    file = tmp_path / "record.json"
    file.write_text("[]", "utf-8")
    options = ["--verify", "kafka-13598", "--times", "2", "--keep", str(file)]
    if proven:
        call_command("incidents", *options)
    else:
        with pytest.raises(CommandError, match="not proven: KAFKA-13598") as refused:
            call_command("incidents", *options)
        assert refused.value.returncode == NOT_PROVEN
    assert f"{sum(affected)} of 2 on 3.1.0" in capsys.readouterr().out
    rows = json.loads(file.read_text("utf-8"))
    assert [(row["side"], row["shown"]) for row in rows] == [
        ("affected", sum(affected)), ("fixed", sum(fixed)), ("today", 0),
    ]  # fmt: skip


def test_the_list_prints_shipped_counts_of_every_incident_and_runs_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "verify", None)
    call_command("incidents", "--kept")
    lines = {line.split("  ")[0]: line for line in capsys.readouterr().out.splitlines()}
    assert lines.keys() >= {incident.id for incident in all_incidents()}
    [times] = {play.times for play in record.sides("KAFKA-14055")}
    assert f"{times} of {times} on 3.2.0" in lines["KAFKA-14055"]
    assert f"0 of {times} on 3.2.1" in lines["KAFKA-14055"]
    call_command("incidents", "--kept", "--json")
    rows = json.loads(capsys.readouterr().out)
    assert all(row["proven"] for row in rows)
    assert len(rows) == len(record.shipped())


def test_a_kept_play_that_shows_no_harm_with_the_bug_is_not_proven(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    short = record.played(Side("KAFKA-14055", "affected", "3.2.0", (Outcome(5, 5), Outcome(0, 5))))
    monkeypatch.setattr(record, "shipped", lambda: (short,))
    with pytest.raises(CommandError, match=r"not proven: KAFKA-14055 on 3\.2\.0") as refused:
        call_command("incidents", "--kept")
    assert refused.value.returncode == NOT_PROVEN


def test_steps_are_kept_with_their_times(tmp_path: Path) -> None:
    timeline = Timeline()
    timeline.add("broker 1: serving")
    timeline.add("1 of 1 gone")
    first, last = timeline.moments
    assert first == Moment(0.0, "broker 1: serving")
    assert last.at_s >= 0
    done = Side("KAFKA-1", "affected", "1.0.0", (Outcome(1, 1, moments=(first, last)),))
    record.keep([record.played(done)], tmp_path / "record.json")
    [kept] = record.read(tmp_path / "record.json")
    assert kept.moments == (first, last)


def test_added_plays_are_counted_with_older_plays_of_the_same_release(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    five = Side("KAFKA-1", "affected", "1.0.0", (Outcome(2, 9),) * 5)
    record.keep([record.played(five)], file)
    more = Side("KAFKA-1", "affected", "1.0.0", (Outcome(3, 9), Outcome(0, 9)))
    record.keep([record.played(more)], file, adding=True)
    [kept] = record.read(file)
    assert (kept.shown, kept.times, kept.harmed) == (6, 7, 0)
    later = Side("KAFKA-1", "affected", "1.0.1", (Outcome(1, 9),))
    record.keep([record.played(later)], file, adding=True)
    [kept] = record.read(file)
    assert (kept.shown, kept.times) == (1, 1)


def test_keeping_again_replaces_only_rows_of_the_same_side(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    old = Side("KAFKA-1", "fixed", "1.0.1", (Outcome(0, 1),))
    other = Side("KAFKA-2", "fixed", "1.0.1", (Outcome(0, 1),))
    record.keep(map(record.played, (old, other)), file)
    record.keep([record.played(Side("KAFKA-1", "fixed", "1.0.1", (Outcome(1, 1),)))], file)
    rows = json.loads(file.read_text("utf-8"))
    assert [(row["incident"], row["shown"]) for row in rows] == [("KAFKA-1", 1), ("KAFKA-2", 0)]


@pytest.mark.django_db
@INCIDENTS
def test_the_page_shows_the_shipped_counts(client: Client, incident: Incident) -> None:
    page = client.get(reverse("labs:incident", args=[incident.slug])).content.decode()
    assert escape(incident.title) in page
    for side in record.sides(incident.id):
        runs = counted(side.times, "run")
        assert f"{side.release}: seen in {side.shown} of {runs}" in page
        assert f"<dd>{side.harmed:,} of {side.of:,}</dd>" in page
    assert f"--verify {incident.slug} --times 1" in page
    assert find(incident.slug) == incident
    advisory = reverse("advisories:page", args=[incident.slug])
    assert advisory in page
    address = reverse("labs:incident", args=[incident.slug])
    assert address in client.get(advisory).content.decode()
    assert address in client.get(reverse("labs:incidents")).content.decode()
    assert len(unfolded(page)) <= MOST_WORDS


@pytest.mark.django_db
def test_an_incident_without_a_play_on_todays_release_says_why(
    client: Client, incident_without_today: Incident
) -> None:
    assert "today" not in incident_without_today.releases
    page = client.get(reverse("labs:incident", args=[incident_without_today.slug])).content.decode()
    assert escape(incident_without_today.not_today) in page
    assert "today" in find("KAFKA-3919").releases


@pytest.mark.django_db
def test_an_incident_that_was_never_played_says_so(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "shipped", tuple)
    page = client.get(reverse("labs:incident", args=["kafka-13598"])).content.decode()
    assert "has no recorded runs of this incident" in page
    assert "not run on this release" in client.get(reverse("labs:incidents")).content.decode()


@pytest.mark.django_db
def test_an_unknown_incident_is_not_found(client: Client) -> None:
    assert client.get(reverse("labs:incident", args=["kafka-1"])).status_code == 404
