"""Child processes that cannot outlive us, whatever kills us, `kill -9` included."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[3]
"""The folder of our packages, and the working folder of processes that run our modules."""

_LISTENING = "0A"  # TCP_LISTEN (include/net/tcp_states.h)
_PR_SET_PDEATHSIG = 1  # linux/prctl.h
# Looked up here, because in the forked child only async-signal-safe calls are safe.
_libc = ctypes.CDLL(None, use_errno=True)
_prctl = _libc.prctl


def _new_spawner() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="spawner")


# prctl(2): the "parent" of PR_SET_PDEATHSIG is the *thread* that forked. A child of the thread of a
# request or a task would die with that thread. So one thread, which lives as long as the
# interpreter, forks every child of this process.
_spawner = _new_spawner()


def _replace_spawner() -> None:
    global _spawner  # a forked copy of this process has the pool but not its thread
    _spawner = _new_spawner()


os.register_at_fork(after_in_child=_replace_spawner)


def spawn(
    argv: Sequence[str | Path],
    *,
    log: Path | None,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: int | IO[bytes] | None = None,
    stdout: int | IO[bytes] | None = None,
) -> subprocess.Popen[bytes]:
    """Starts a child in its own session, which the kernel kills when this process dies.

    `log` receives (appended) standard error, and standard output too unless `stdout` is given;
    without a log both are inherited. Standard input is empty unless `stdin` is given.
    Works on Linux (`PR_SET_PDEATHSIG`, prctl(2)); the signal is SIGKILL, which reaches a child
    that is stopped by SIGSTOP as well. It is not inherited by the child's own children.

    Raises `OSError` when the program cannot be started.
    """
    errors = log.open("ab") if log else None
    try:
        return _spawner.submit(
            subprocess.Popen,
            [os.fspath(part) for part in argv],
            cwd=cwd,
            env=None if env is None else dict(env),
            stdin=subprocess.DEVNULL if stdin is None else stdin,
            stdout=errors if stdout is None else stdout,
            stderr=errors,
            start_new_session=True,
            preexec_fn=partial(_begin, os.getpid()),
        ).result()
    finally:
        if errors:
            errors.close()


def _begin(owner: int) -> None:
    """Runs in a child between fork and exec: only system calls, because another thread of the
    parent may have held a lock at the time of the fork."""
    if _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        os._exit(126)
    # The owner may have died between fork and prctl; then the kernel would never send the signal.
    if os.getppid() != owner:
        os._exit(126)


def state(pid: int) -> str | None:
    """Returns the kernel's state of a process (`R`, `S`, `T`, `Z` …; proc(5)); None if gone."""
    return _state(Path(f"/proc/{pid}/stat"))


def thread_states(pid: int) -> list[str]:
    """Returns the states of all threads of a process; empty if it is gone."""
    states = (_state(thread / "stat") for thread in _threads(pid))
    return [state_letter for state_letter in states if state_letter]


def listening_ports(pid: int) -> set[int]:
    """Returns the TCP listening ports in the network namespace of a process (proc(5))."""
    ports = set()
    for table in ("tcp", "tcp6"):
        with suppress(FileNotFoundError, ProcessLookupError):
            rows = Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]
            ports |= {int(row.split()[1].rpartition(":")[2], 16) for row in rows
                      if row.split()[3] == _LISTENING}  # fmt: skip
    return ports


def process_tree(pid: int) -> list[int]:
    """Returns a process and its descendants, parents first; empty if it is gone."""
    numbers = [pid] if state(pid) else []
    for number in numbers:  # grows during the loop
        for thread in _threads(number):
            with suppress(FileNotFoundError, ProcessLookupError):
                numbers += map(int, (thread / "children").read_text().split())
    return numbers


def _threads(pid: int) -> list[Path]:
    """Returns the folders of the threads of a process (proc(5)); empty if it is gone."""
    # Not glob(): it checks whether the folder exists, and fails if it is deleted after that.
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except (FileNotFoundError, ProcessLookupError):
        return []


def _state(stat: Path) -> str | None:
    try:
        # The name in parentheses may contain spaces and parentheses: split at the last one.
        return stat.read_text(errors="replace").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError, IndexError):
        return None


def describe_exit(code: int) -> str:
    """Describes how a process ended, by its return code (negative: the signal).

    A JVM that ends upon a signal exits with 128 plus the signal's number.
    """
    number = -code if code < 0 else code - 128
    if number == signal.SIGKILL:
        return "was killed"
    if number in signal.valid_signals():
        return f"was killed ({signal.Signals(number).name})"
    return f"ended with code {code}"


def ended_by_signal(code: int) -> bool:
    """Whether a return code means an end by a signal, including the JVM's codes (128 + signal)."""
    return code < 0 or code - 128 in signal.valid_signals()


def end(process: subprocess.Popen[bytes], grace_s: float) -> int:
    """Ends a child: SIGTERM (after SIGCONT if it is paused), `grace_s` seconds, then SIGKILL.

    The remaining processes in the child's process group are killed as well: otherwise the JVM of a
    booting Spark would survive until it noticed. Returns the return code (negative: the signal). A
    child that has already ended is left alone.
    """
    if process.poll() is not None:
        return process.returncode
    code = _end(process, grace_s)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    return code


def _end(process: subprocess.Popen[bytes], grace_s: float) -> int:
    if grace_s > 0:
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        try:
            return process.wait(grace_s)
        except subprocess.TimeoutExpired:
            pass
    process.kill()
    return process.wait()
