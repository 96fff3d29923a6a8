"""What survives whose death: `python -m benchmarks.survival [--only client] [--phase booting]`.

Starts a house of its own, and for each phase and each victim an experiment in which that one is
killed by SIGKILL while an arm is in that phase, as the database has it. Prints what the page said
when the run was over. Exit code 1 if a run neither went on to its verdicts nor was interrupted
with the reason. The whole table takes about half an hour on two cores.

`--random N --seed S` draws N runs, and for each what is done to whom at which moment
(`benchmarks.survival.draw`): one part or two are killed, or stopped for a while, or everything at
once is, a process may open no more files, the disk is full. Each run is a line of `--out`, which is
`benchmarks/survival.jsonl` unless it is given; what has a line there is not run again, but with
`--again` those that were wrong are. So N can be taken in pieces: `--minutes M` starts no run later.
Most of a run is waiting, for Spark above all: `--houses K` deals the runs out to K houses at once,
each with its own disk, and each run is looked at as if it were alone.
Exit code 1 if of these N a run left a process (its ports live as long) or a folder, did not end,
ended for want of what only serves it, or says "holds" of a ledger of which `manage.py verify` does
not, or although a part of it was killed; 2 for bad arguments. A run that is missing is only told.

The disk is a small one of the house's own, mounted in a namespace of ours; where that is not
allowed, no disk is full and the line says that nobody was struck. The clock is the machine's: it
is never set.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from subprocess import Popen

import django

from benchmarks.survival import table
from benchmarks.survival.draw import draw
from benchmarks.survival.record import KEPT, Record
from labs.engine.base.processes import end, spawn
from tests.stack.victims import ALL, PHASES

_DISK, _DATA = "3g", "disk"
_INSIDE, _SHARE = "SURVIVAL_SCRATCH", "SURVIVAL_SHARE"
_GRACE_S = 180


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.survival", description=__doc__)
    parser.add_argument("--only", choices=[victim.name for victim in ALL], action="append")
    parser.add_argument("--phase", choices=PHASES, action="append")
    parser.add_argument("--random", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=24 * 60.0)
    parser.add_argument("--houses", type=int, default=1, metavar="K")
    parser.add_argument("--again", action="store_true", help="run again what was wrong")
    parser.add_argument("--out", type=Path, default=KEPT)
    options = parser.parse_args()
    if options.random is None:
        return table.main(options.only, options.phase or PHASES)
    if options.random < 1:
        parser.error(f"--random {options.random}: how many runs, 1 or more")
    unwind_once()
    if options.houses < 1:
        parser.error(f"--houses {options.houses}: how many at once, 1 or more")
    if scratch := os.environ.get(_INSIDE):
        return at_random(options, Path(scratch) / _DATA, int(os.environ[_SHARE]))
    in_houses(options.houses)
    return 0 if summary(Record(options.out), options.seed, options.random) else 1


def unwind_once() -> None:
    """From now on SIGTERM unwinds as Ctrl-C does, and signals after the first are ignored.

    `timeout` sends two, to its child and to its group: the second cut off the last batch, whose
    ledgers are judged again while we unwind.
    """

    def unwind(*_: object) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)  # not SIG_IGN, which our children would inherit
        raise KeyboardInterrupt

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, unwind)


def in_houses(count: int) -> None:
    """This program again, once for each house, until all of them have ended."""
    with tempfile.TemporaryDirectory(prefix="survival-") as made, ExitStack() as ending:
        processes = []
        for share in range(count):
            scratch = Path(made) / str(share)
            processes.append(_on_a_disk_of_its_own(scratch, share))
            ending.callback(end, processes[-1], _GRACE_S)
        failed = [process.args for process in processes if process.wait()]
        if failed:
            raise SystemExit(f"{len(failed)} of {count} houses did not come to their end")


def _on_a_disk_of_its_own(scratch: Path, share: int) -> Popen[bytes]:
    """In a mount namespace that ends with it, if that can be had.

    No process of ours may name the disk: whoever does belongs to the house.
    """
    (scratch / _DATA).mkdir(parents=True)
    mount = f'mount -t tmpfs -o size={_DISK} none "$0/{_DATA}" && exec "$@"'
    alone = ["unshare", "--mount", "sh", "-c"]
    can = shutil.which("unshare") and not subprocess.call(
        [*alone, mount, scratch, "true"], stderr=subprocess.DEVNULL
    )
    ourselves = [sys.executable, "-m", "benchmarks.survival", *sys.argv[1:]]
    command = [*alone, mount, str(scratch), *ourselves] if can else ourselves
    if not can:
        print("no disk of its own can be mounted here: no disk will be full", flush=True)
    env = {**os.environ, _INSIDE: str(scratch), _SHARE: str(share)}
    return spawn(command, log=None, env=env)


def at_random(options: argparse.Namespace, data: Path, share: int) -> int:
    """Those of the missing runs that fall to this house."""
    os.environ |= {"LAB_DATA_DIR": str(data), "DJANGO_SETTINGS_MODULE": "config.settings"}
    os.environ.setdefault("LAB_CLUSTERS_AT_ONCE", str(2 * options.houses))  # no house waits
    for elsewhere in ("DATABASE_URL", "REDIS_URL"):
        os.environ.pop(elsewhere, None)
    django.setup()
    from benchmarks.survival.pieces import Piece  # it has models, which need the settings

    record, numbers = Record(options.out), range(1, options.random + 1)
    done = {
        line.number
        for line in record.of(options.seed, numbers)
        if not (options.again and line.wrong)
    }
    mine = [number for number in numbers if number % options.houses == share]
    blows = [draw(options.seed, number) for number in mine if number not in done]
    with Piece(data, options.seed) as piece:
        piece.run(blows, record, time.monotonic() + 60 * options.minutes)
    return 0


def summary(record: Record, seed: int, number: int) -> bool:
    """Prints what is known of the runs of a seed; whether nothing was wrong."""
    lines = record.of(seed, range(1, number + 1))
    wrong = [line for line in lines if line.wrong]
    for line in wrong:
        print(f"  {line}")
    states = {line.state for line in lines}
    counts = (f"{sum(line.state == state for line in lines)} {state}" for state in sorted(states))
    struck = sum(bool(line.struck) for line in lines)
    print(
        f"{len(lines)} of {number} runs, {struck} struck: {', '.join(counts)}; {len(wrong)} wrong"
    )
    return not wrong


if __name__ == "__main__":
    sys.exit(main())
