from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from labs.engine.base import processes
from labs.engine.base.wait import until

pytestmark = pytest.mark.process

OWNER = """
import sys
from labs.engine.base.processes import spawn
children = [spawn([sys.executable, "-c", "import time; time.sleep(600)"], log=None)
            for _ in range(2)]
print(*(child.pid for child in children), flush=True)
sys.stdin.read()
"""
ECHO = [sys.executable, "-uc", "import sys\nfor line in sys.stdin: print(line, end='')"]
DEAF = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("deaf", flush=True)
time.sleep(600)
"""


def has_ended(pid: int) -> bool:
    return processes.state(pid) in (None, "Z", "X")


def owner_with_children() -> tuple[subprocess.Popen[str], list[int]]:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    return owner, [int(pid) for pid in owner.stdout.readline().split()]


def test_children_end_when_their_owner_is_killed_even_if_they_are_paused():
    owner, pids = owner_with_children()
    os.kill(pids[0], signal.SIGSTOP)
    until(lambda: processes.state(pids[0]) == "T", 60, "the child did not pause")
    assert not any(has_ended(pid) for pid in pids)
    owner.kill()
    owner.wait()
    until(lambda: all(has_ended(pid) for pid in pids), 60, "children outlived their owner")


def test_children_end_when_their_owner_exits_normally():
    owner, pids = owner_with_children()
    owner.communicate(timeout=60)  # closing its standard input ends it
    until(lambda: all(has_ended(pid) for pid in pids), 60, "children outlived their owner")


def test_a_child_outlives_the_thread_that_spawned_it():
    children: list[subprocess.Popen[bytes]] = []

    def spawn_child() -> None:
        children.append(
            processes.spawn(ECHO, log=None, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        )

    thread = threading.Thread(target=spawn_child)
    thread.start()
    thread.join()
    (child,) = children
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(b"still here\n")
    child.stdin.flush()
    assert child.stdout.readline() == b"still here\n"
    child.stdin.close()
    assert child.wait(60) == 0


def test_a_child_has_its_own_session_and_its_output_is_logged(tmp_path):
    log = tmp_path / "child.log"
    code = "import os, sys; print(os.getsid(0)); print('trouble', file=sys.stderr)"
    child = processes.spawn([sys.executable, "-c", code], log=log)
    assert child.wait(60) == 0
    session, error = sorted(log.read_text().split())
    assert (int(session), error) == (child.pid, "trouble")
    assert int(session) != os.getsid(0)


def test_spawning_a_missing_program_raises_file_not_found(tmp_path):
    with pytest.raises(FileNotFoundError):
        processes.spawn([tmp_path / "no-such-program"], log=None)


def test_end_terminates_a_paused_child_with_sigterm():
    child = processes.spawn(ECHO, log=None, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    os.kill(child.pid, signal.SIGSTOP)
    until(lambda: processes.state(child.pid) == "T", 60, "the child did not pause")
    assert processes.end(child, grace_s=60) == -signal.SIGTERM
    assert has_ended(child.pid)


def test_end_kills_a_child_that_ignores_sigterm():
    child = processes.spawn([sys.executable, "-c", DEAF], log=None, stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"deaf\n"
    assert processes.end(child, grace_s=0.1) == -signal.SIGKILL
    assert processes.end(child, grace_s=0.1) == -signal.SIGKILL  # a second call changes nothing


def test_end_also_ends_the_process_group_of_the_child():
    program = "import subprocess as s; print(s.Popen(['sleep', '600']).pid, flush=True); input()"
    child = processes.spawn(
        [sys.executable, "-c", program], log=None, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    grandchild = int(child.stdout.readline())
    processes.end(child, grace_s=60)
    until(lambda: has_ended(grandchild), 60, f"{grandchild} outlived its parent")


def test_spawn_works_after_a_fork():
    reader, writer = os.pipe()
    processes.spawn([sys.executable, "-c", ""], log=None).wait(60)
    pid = os.fork()
    if pid == 0:
        code = processes.spawn([sys.executable, "-c", "raise SystemExit(7)"], log=None).wait(60)
        os.write(writer, bytes([code]))
        os._exit(0)
    os.close(writer)
    assert os.read(reader, 1) == b"\x07"
    os.close(reader)
    os.waitpid(pid, 0)


def test_a_process_that_does_not_exist_has_no_state():
    assert processes.state(2**22 + 1) is None
    assert processes.thread_states(2**22 + 1) == []
    assert processes.thread_states(os.getpid())


def test_a_process_may_end_while_its_state_is_read():
    for _ in range(200):
        process = subprocess.Popen(["true"])
        reaper = threading.Thread(target=process.wait)
        reaper.start()
        while processes.process_tree(process.pid) or processes.thread_states(process.pid):
            pass
        reaper.join()
