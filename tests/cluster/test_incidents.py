"""Incidents on real brokers: each shows its harm with the bug, and no harm with the fix."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from labs.engine.base import processes
from labs.engine.base.wait import until
from labs.incidents import Incident, all_incidents, find, record
from labs.incidents.verify import play, verify
from tests.house.files import ROOT

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]
CLIENT_BUG = find("KAFKA-13598")


def assert_proven(incident: Incident) -> None:
    for side in verify(incident, 1, lambda _: None):
        [outcome] = side.outcomes
        assert record.played(side).is_proven, (
            f"{side.release}: {outcome.harmed} of {outcome.of} {incident.harm}"
        )
        assert all(exhibit.text.strip() for exhibit in outcome.exhibits)


def test_a_client_bug_is_seen_before_its_fix_and_not_after() -> None:
    assert_proven(CLIENT_BUG)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "incident",
    [incident for incident in all_incidents() if incident != CLIENT_BUG],
    ids=lambda incident: incident.id,
)
def test_every_bug_is_seen_before_its_fix_and_not_after(incident: Incident) -> None:
    assert_proven(incident)


def folders() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob("delivery-lab-incident-*"))


@pytest.mark.thorough
def test_a_killed_play_with_zookeeper_leaves_no_process() -> None:
    """KAFKA-9254: two brokers of 2.4.0 with their ZooKeeper."""
    command = [sys.executable, "manage.py", "incidents", "--verify", "KAFKA-9254"]
    started = subprocess.Popen(
        command, cwd=ROOT, env=os.environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )

    def running() -> bool:
        commands = [Path(f"/proc/{pid}/cmdline") for pid in processes.process_tree(started.pid)]
        text = "\n".join(file.read_text() for file in commands if file.exists())
        return text.count("kafka.Kafka") == 2 and "QuorumPeerMain" in text

    try:
        until(running, 120, "two brokers and their ZooKeeper")
        started_pids = processes.process_tree(started.pid)[1:]
    finally:
        started.kill()
        started.wait(10)
    # A JVM holds its ports until its last thread has ended.
    until(lambda: all({*processes.thread_states(pid)} <= {"Z", "X"} for pid in started_pids), 10,
          "the end of all that the play had started")  # fmt: skip


def test_a_killed_play_leaves_no_process_and_the_next_one_removes_its_folder() -> None:
    before = folders()
    command = [sys.executable, "manage.py", "incidents", "--verify", CLIENT_BUG.id]
    started = subprocess.Popen(
        command, cwd=ROOT, env=os.environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        until(lambda: any((path / "cluster").exists() for path in folders() - before), 60,
              "a broker's folder")  # fmt: skip
        until(lambda: len(processes.process_tree(started.pid)) > 1, 60, "a broker")
        started_pids = processes.process_tree(started.pid)[1:]
    finally:
        started.kill()
        started.wait(10)
    until(lambda: all(processes.state(number) in (None, "Z", "X") for number in started_pids), 10,
          "the end of all that the play had started")  # fmt: skip
    folders_left = folders() - before
    assert folders_left
    play(CLIENT_BUG, CLIENT_BUG.fixed, lambda _: None)
    assert not folders_left & folders()
