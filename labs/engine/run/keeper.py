"""The keeper of one experiment: it starts it, and leaves nothing behind, however it ends.

`python -m labs.engine.run.keeper SPEC.json --folder DIR [--judge-socket PATH]` prints events, a
JSON object a line. With `--module NAME` the process that it keeps is that one, started in the same
way, in place of `labs.engine.run.experiment`. It ends everything when its owner dies (standard
input ends: the folder is removed, but for arms whose ledger is sealed, as their verdict may be
recorded already) and on SIGTERM or SIGINT (only the clusters' folders are).

`python -m labs.engine.run.keeper SHAPES.json --ahead HOME [--judge-socket PATH]` starts one ahead
of its run (`labs.engine.run.ahead`): its standard input is passed on, and the folder
that is named there is from then on kept as any run's. HOME is removed at the end, however it
ends.

It is a process of its own because a process that was killed cannot tidy up. The experiment
runs in a child; whatever that child starts dies with it (`processes.spawn`), is then ours as
the nearest subreaper (prctl(2), PR_SET_CHILD_SUBREAPER), and is waited for before a folder is
removed. If the keeper itself is killed, the child is too, and only the folder is left.

Exit codes: those of `labs.engine.run.experiment`; 3 stopped by a signal; 4 the owner died; 5 the
experiment's process was killed.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import select
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from labs.engine.base import processes
from labs.engine.base.folders import remove_all_but

STOPPED, ORPHANED, KILLED = 3, 4, 5
_SEALED = "*/ledger/seal.json"  # labs.engine.record.ledger, which would import much more
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m labs.engine.run.keeper", description=__doc__)
    parser.add_argument("spec", type=Path)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--folder", type=Path)
    where.add_argument("--ahead", type=Path)
    parser.add_argument("--judge-socket", type=Path)
    parser.add_argument("--module", default="labs.engine.run.experiment")
    options = parser.parse_args(argv[1:])
    folder: Path = (options.folder or options.ahead).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    socket = [options.judge_socket] if options.judge_socket else []
    module = "labs.engine.run.ahead" if options.ahead else options.module
    command = [sys.executable, "-m", module, options.spec.resolve(), folder, *socket]
    try:
        return keep(command, folder, ahead=bool(options.ahead))
    finally:
        if options.ahead:
            shutil.rmtree(folder, ignore_errors=True)


def keep(command: list[str | Path], folder: Path, *, ahead: bool = False) -> int:
    """Runs the command until it, or the wish for it, ends; returns the exit code."""
    signals = _signals_as_bytes()
    _adopt_orphans()
    child = processes.spawn(
        command, log=folder / "experiment.log", stdout=sys.stdout.buffer,
        stdin=subprocess.PIPE if ahead else None,
    )  # fmt: skip
    code, answer = _watch(child, signals)
    child.kill()  # nothing to a child that has ended
    ended = child.wait()
    _end_all_children()
    folder = Path(os.fsdecode(answer[:-1])) if answer else folder
    for cluster in folder.glob("*/cluster"):
        shutil.rmtree(cluster)
    # The owner knows which of the sealed were judged; its sweep removes the others.
    if code == ORPHANED:
        remove_all_but(folder, {seal.parents[1].name for seal in folder.glob(_SEALED)})
    return code or (ended if ended >= 0 else KILLED)


def _signals_as_bytes() -> int:
    """A file descriptor that gets a byte for each signal that matters to us."""
    readable, writable = os.pipe()
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
        signal.signal(number, lambda _number, _frame: None)
    return readable


def _watch(child: subprocess.Popen[bytes], signals: int) -> tuple[int, bytes]:
    """Waits for the child's end (0), a signal (STOPPED) or the owner's death (ORPHANED).

    Also returns what the owner sent meanwhile, which was passed on to the child.
    """
    stdin, answer = sys.stdin.fileno(), b""
    while True:
        ready, _, _ = select.select([signals, stdin], [], [])
        if stdin in ready:
            heard = os.read(stdin, 4096)
            if not heard:
                return ORPHANED, answer
            answer += heard
            _pass_on(heard, child)
        if signals in ready:
            numbers = os.read(signals, 4096)
            if signal.SIGTERM in numbers or signal.SIGINT in numbers:
                return STOPPED, answer
            if child.poll() is not None:
                return 0, answer


def _pass_on(heard: bytes, child: subprocess.Popen[bytes]) -> None:
    if child.stdin:
        with suppress(BrokenPipeError):  # one that is dead: SIGCHLD says so
            child.stdin.write(heard)
            child.stdin.flush()


def _adopt_orphans() -> None:
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")
    # Our owner's death would kill us before we could tidy up; from here on, the end of
    # standard input tells us of it.
    prctl(_PR_SET_PDEATHSIG, 0, 0, 0, 0)


def _end_all_children() -> None:
    """Kills and reaps until no child, ours or adopted, is left."""
    while True:
        for pid in _children():
            os.kill(pid, signal.SIGKILL)
        try:
            os.wait()
        except ChildProcessError:
            return


def _children() -> list[int]:
    """Our direct children (the fourth field of /proc/PID/stat names the parent: proc(5))."""
    results = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = stat.read_text(errors="replace").rpartition(")")[2].split()[1]
        except (FileNotFoundError, ProcessLookupError, IndexError):
            continue
        if int(parent) == os.getpid():
            results.append(int(stat.parent.name))
    return results


if __name__ == "__main__":
    sys.exit(main(sys.argv))
