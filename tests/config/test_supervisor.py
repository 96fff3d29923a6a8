"""Starting, restarting and ending services, with small real processes."""

from __future__ import annotations

import os
import signal
import sys
import threading
from dataclasses import replace
from functools import partial

import pytest

from config import logs
from config import supervisor as supervising
from config.supervisor import RESTARTS, Service, ServiceFailed, Stopped, Supervisor
from labs.engine.base.wait import until

pytestmark = pytest.mark.process

WAITS_FOREVER = "import signal; print('here', flush=True); signal.pause()"


def service(tmp_path, name="thing", code=WAITS_FOREVER, answers=lambda: True, limit_s=60.0):
    return Service(
        name=name,
        argv=[sys.executable, "-c", code],
        log=tmp_path / "logs" / f"{name}.log",
        answers=answers,
        limit_s=limit_s,
        grace_s=5,
        env=os.environ,
    )


def pids(supervisor):
    return [running.process.pid for running in supervisor.running]


def has_started(log):
    return log.read_text() == "here\n"


def test_services_end_in_the_reverse_order(tmp_path):
    lines: list[str] = []
    supervisor = Supervisor(lines.append)
    for name in ("first", "second"):
        supervisor.start(service(tmp_path, name))
    supervisor.wait()
    supervisor.stop()
    assert lines == ["Ending the second", "Ending the first"]


def test_a_service_that_ends_immediately_shows_the_end_of_its_log(tmp_path):
    supervisor = Supervisor(print)
    code = "raise SystemExit('no such table')"
    supervisor.start(service(tmp_path, code=code, answers=lambda: False))
    with pytest.raises(ServiceFailed, match=r"ended with exit code 1(.|\n)*no such table"):
        supervisor.wait()


def test_a_service_that_never_answers_is_reported_with_the_limit(tmp_path):
    supervisor = Supervisor(print)
    supervisor.start(service(tmp_path, answers=lambda: False, limit_s=0.5))
    with pytest.raises(ServiceFailed, match=r"does not answer \(waited 0.5 s\)"):
        supervisor.wait()
    supervisor.stop()


def test_a_request_to_stop_interrupts_the_wait(tmp_path):
    supervisor = Supervisor(print)
    supervisor.start(service(tmp_path, answers=lambda: False, limit_s=60))
    threading.Timer(0.2, supervisor.stopping.set).start()
    with pytest.raises(Stopped):
        supervisor.wait()
    supervisor.stop()


def test_a_service_that_dies_is_restarted_and_then_given_up(tmp_path):
    lines: list[str] = []
    supervisor = Supervisor(lines.append)
    supervisor.start(service(tmp_path))
    outcome = []

    def watch():
        try:
            supervisor.watch()
        except ServiceFailed as failed:
            outcome.append(str(failed))

    def replaced_or_given_up(pid):
        return outcome or pids(supervisor) != [pid]

    thread = threading.Thread(target=watch)
    thread.start()
    for death in range(1, RESTARTS + 2):
        pid = pids(supervisor)[0]
        os.kill(pid, signal.SIGKILL)
        until(partial(replaced_or_given_up, pid), 60, f"no answer to death {death}")
    thread.join(60)
    assert lines == [
        f"The thing ended by signal 9: starting it again ({n} of 3)" for n in (1, 2, 3)
    ]
    assert "too often" in outcome[0]
    supervisor.stop()


def test_an_optional_service_that_dies_too_often_is_restarted_later(tmp_path, monkeypatch):
    monkeypatch.setattr(supervising, "PAUSE_S", 1.0)
    lines: list[str] = []
    supervisor = Supervisor(lines.append)
    supervisor.start(service(tmp_path, "rest"))
    supervisor.start(replace(service(tmp_path), vital=False))
    rest = pids(supervisor)[0]
    thread = threading.Thread(target=supervisor.watch)
    thread.start()

    def replaced_or_paused(pid):
        return pids(supervisor)[1] != pid or len(lines) > RESTARTS

    for death in range(1, RESTARTS + 2):
        pid = pids(supervisor)[1]
        os.kill(pid, signal.SIGKILL)
        until(partial(replaced_or_paused, pid), 60, f"no answer to death {death}")
    assert "too often: the rest stays up" in lines[RESTARTS]
    until(lambda: lines[-1] == "Starting the thing again", 60, "it was not tried again")
    assert pids(supervisor)[0] == rest
    assert thread.is_alive()
    supervisor.stopping.set()
    thread.join(60)
    supervisor.stop()


def test_the_log_of_the_previous_start_is_kept(tmp_path):
    for _ in range(2):
        supervisor = Supervisor(print)
        supervisor.start(service(tmp_path))
        log = tmp_path / "logs" / "thing.log"
        until(partial(has_started, log), 60, "it wrote nothing")
        supervisor.stop()
    assert (tmp_path / "logs" / "thing.log").read_text() == "here\n"
    assert (tmp_path / "logs" / "thing.log.before").read_text() == "here\n"


LOGS_A_LOT = "import time\nwhile True: print('x' * 99, flush=True); time.sleep(0.001)"


def test_a_growing_log_is_truncated_while_its_writer_continues(tmp_path, monkeypatch):
    monkeypatch.setattr(supervising, "LOGS_EVERY_S", 0.0)
    monkeypatch.setattr(logs.bound, "__defaults__", (20_000,))
    supervisor = Supervisor(print)
    supervisor.start(service(tmp_path, code=LOGS_A_LOT))
    log = tmp_path / "logs" / "thing.log"
    watcher = threading.Thread(target=supervisor.watch)
    watcher.start()
    try:
        until(logs.before(log).exists, 60, "the log was not bounded")
        first = logs.before(log).stat().st_mtime_ns
        until(lambda: logs.before(log).stat().st_mtime_ns != first, 60, "nor was it again")
    finally:
        supervisor.stopping.set()
        watcher.join(60)
        supervisor.stop()
    assert set(log.read_text().split()) <= {"x" * 99}, "no hole of zeros where it was cut"
    assert set(logs.before(log).read_text().split()) == {"x" * 99}


def test_a_log_that_cannot_be_copied_loses_its_older_part(tmp_path):
    log = tmp_path / "web.log"
    log.write_bytes(b"x" * 100)
    logs.before(log).mkdir()  # a copy cannot be written there
    assert not logs.bound(log, 50)
    assert log.stat().st_size == 100
    assert not logs.bound(tmp_path / "none.log", 50)
