"""The keeper of one experiment: starts it, and cleans up however it ends.

`python -m labs.engine.run.keeper SPEC.json --folder DIR [--judge-socket PATH]` prints events, one
JSON object per line. `--module NAME` starts that module in the same way, instead of
`labs.engine.run.experiment`. The keeper ends everything when its owner dies, which closes its
standard input: the folder is then removed, except for arms whose ledger is sealed, because their
verdict may be recorded already. It also ends everything on SIGTERM or SIGINT, and then removes
only the clusters' folders.

`python -m labs.engine.run.keeper SHAPES.json --ahead HOME [--judge-socket PATH]` starts a runner
ahead of its run (`labs.engine.run.ahead`). Standard input is forwarded to it; the folder that is
named there is then kept like that of any run. HOME is always removed at the end.

The keeper is a separate process because a process that was killed cannot clean up. The experiment
runs in a child. Whatever that child starts dies with it (`processes.spawn`), is then adopted by the
keeper as the nearest subreaper (prctl(2), PR_SET_CHILD_SUBREAPER), and is waited for before a
folder is removed. If the keeper itself is killed, so is the child, and only the folder is left.

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
    target = parser.add_mutually_exclusive_group(required=True)
    target.add_argument("--folder", type=Path)
    target.add_argument("--ahead", type=Path)
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
    """Runs the command until it ends or is no longer wanted; returns the exit code."""
    signals = _signals_as_bytes()
    _adopt_orphans()
    child = processes.spawn(
        command, log=folder / "experiment.log", stdout=sys.stdout.buffer,
        stdin=subprocess.PIPE if ahead else None,
    )  # fmt: skip
    code, named_folder = _watch(child, signals)
    child.kill()  # has no effect on a child that has ended
    child_code = child.wait()
    _end_all_children()
    folder = Path(os.fsdecode(named_folder[:-1])) if named_folder else folder
    for cluster in folder.glob("*/cluster"):
        shutil.rmtree(cluster)
    # The owner knows which of the sealed ledgers were judged; its sweep removes the others.
    if code == ORPHANED:
        remove_all_but(folder, {seal.parents[1].name for seal in folder.glob(_SEALED)})
    return code or (child_code if child_code >= 0 else KILLED)


def _signals_as_bytes() -> int:
    """A file descriptor from which each handled signal can be read as one byte."""
    readable, writable = os.pipe()
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
        signal.signal(number, lambda _number, _frame: None)
    return readable


def _watch(child: subprocess.Popen[bytes], signals: int) -> tuple[int, bytes]:
    """Waits for the child's end (0), a signal (STOPPED) or the owner's death (ORPHANED).

    Also returns the bytes that the owner sent meanwhile, which were forwarded to the child.
    """
    stdin, forwarded = sys.stdin.fileno(), b""
    while True:
        ready, _, _ = select.select([signals, stdin], [], [])
        if stdin in ready:
            received = os.read(stdin, 4096)
            if not received:
                return ORPHANED, forwarded
            forwarded += received
            _forward(received, child)
        if signals in ready:
            numbers = os.read(signals, 4096)
            if signal.SIGTERM in numbers or signal.SIGINT in numbers:
                return STOPPED, forwarded
            if child.poll() is not None:
                return 0, forwarded


def _forward(received: bytes, child: subprocess.Popen[bytes]) -> None:
    if child.stdin:
        with suppress(BrokenPipeError):  # the child is dead, which SIGCHLD reports
            child.stdin.write(received)
            child.stdin.flush()


def _adopt_orphans() -> None:
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")
    # Otherwise the owner's death would kill this process before it could clean up. From here on,
    # the end of standard input reports that death.
    prctl(_PR_SET_PDEATHSIG, 0, 0, 0, 0)


def _end_all_children() -> None:
    """Kills and reaps until no child is left, adopted children included."""
    while True:
        for pid in _children():
            os.kill(pid, signal.SIGKILL)
        try:
            os.wait()
        except ChildProcessError:
            return


def _children() -> list[int]:
    """The direct children (the fourth field of /proc/PID/stat is the parent's id: proc(5))."""
    children = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = stat.read_text(errors="replace").rpartition(")")[2].split()[1]
        except (FileNotFoundError, ProcessLookupError, IndexError):
            continue
        if int(parent) == os.getpid():
            children.append(int(stat.parent.name))
    return children


if __name__ == "__main__":
    sys.exit(main(sys.argv))
