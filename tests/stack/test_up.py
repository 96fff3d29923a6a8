"""`manage.py up` with real processes, a real port and real signals."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from functools import partial

import pytest

from config.places import socket_path
from labs.engine.base.wait import until
from tests.stack.house import ROOT, house, processes_of

pytestmark = pytest.mark.timeout(240)

SESSION = """
import pathlib, signal, sys
from tests.stack.house import house
with house(pathlib.Path(sys.argv[1])) as up:
    up.wait_until_ready()
    print("ready", flush=True)
    signal.pause()
"""
"""A test session with a house, in a process that can be killed."""


def open_to_others(data):
    """The files in a data folder that other users of this machine could read or write.

    Execute permission on files is ignored: Spark sets it on its copies of jars.
    """
    paths = [data, *data.rglob("*")]
    assert {"lab.db", "secret-key", "web.log", "worker.log"} <= {path.name for path in paths}
    return [
        str(path) for path in paths if path.lstat().st_mode & (0o077 if path.is_dir() else 0o066)
    ]


@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.thorough)],
    ids=["ctrl-c", "sigterm"],
)
def test_it_answers_and_leaves_no_process_after_a_signal(tmp_path, number):
    with house(tmp_path / "data") as up:
        up.wait_until_ready()
        status, page = up.get()
        assert status == 200
        assert "Delivery Lab" in page
        assert open_to_others(up.data) == []

        up.process.send_signal(number)
        assert up.process.wait(60) == 0, up.output()

        ended = [line for line in up.output().splitlines() if line.startswith("Ending")]
        assert ended == ["Ending the web server", "Ending the worker", "Ending the queue (Redis)"]
        up.nothing_left(60)


def test_kill_9_leaves_no_process(tmp_path):
    with house(tmp_path / "data") as up:
        up.wait_until_ready()
        os.kill(up.process.pid, signal.SIGKILL)
        up.process.wait(60)
        up.nothing_left(60)


@pytest.mark.thorough  # `make test` kills the house itself
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["sigterm", "kill -9"])
def test_a_house_ends_when_its_test_session_is_killed(tmp_path, number):
    data = tmp_path / "data"
    owner = subprocess.Popen(
        [sys.executable, "-c", SESSION, data], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    assert owner.stdout.readline() == "ready\n"
    owner.send_signal(number)
    assert owner.wait(60) == -number
    until(lambda: not processes_of(data), 60, "processes of the house are left")


def test_a_signal_during_the_start_ends_it_and_removes_its_sockets(tmp_path):
    """The data folder's path is too long for sockets, so they are in another folder."""
    with house(tmp_path / ("d" * 90) / "data") as up:
        until((up.data / "logs" / "redis.log").exists, 60, "Redis was not started")
        sockets = socket_path(up.data, "redis.sock").parent
        assert sockets != up.data
        up.process.send_signal(signal.SIGINT)
        assert up.process.wait(60) == 0, up.output()
        up.nothing_left(60)
        assert not sockets.exists()


def test_a_taken_port_is_reported_and_nothing_is_started(tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with house(tmp_path / "data", port) as up:
            assert up.process.wait(60) == 2
            assert f"Port {port} of 127.0.0.1 cannot be used" in up.output()
            assert not (up.data / "logs").exists()


def test_a_second_one_on_a_folder_is_refused_and_dead_children_are_restarted(tmp_path):
    with house(tmp_path / "data") as up:
        up.wait_until_ready()
        with house(tmp_path / "data") as second:
            assert second.process.wait(60) == 2
            assert f"already runs on {up.data} (process {up.process.pid})" in second.output()
            second.data = tmp_path / "nobody"  # the remaining processes belong to the first one

        for name, part in [("worker", "celery"), ("queue (Redis)", "redis.sock")]:
            pid = up.pid_of(part)
            assert pid, f"no {name} runs"
            os.kill(pid, signal.SIGKILL)
            text = f"The {name} ended by signal 9: starting it again (1 of 3)"
            until(partial(up.says, text), 60, f"not said: {text}")
            until(partial(up.replaced, part, pid), 60, f"no other {name} was started")
        assert up.get()[0] == 200
