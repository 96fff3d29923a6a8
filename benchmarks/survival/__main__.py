"""How experiments survive the death of processes: `python -m benchmarks.survival [--only client]`.

For each phase (`--phase booting`) and each victim it runs an experiment in a house, and kills the
victim with SIGKILL while an arm is in that phase, according to the database. Prints the result on
the page when the run is over. Exit code 1 if a run neither continued to its verdicts nor was
interrupted with the reason. The whole table takes about half an hour on two cores.

`--random N --seed S` draws N runs, and for each a blow, its target and its moment
(`benchmarks.survival.draw`): one or two parts are killed, or stopped for a while, or everything is
stopped, a process may open no more files, or the disk is full. Each run is a line of `--out`, by
default `benchmarks/survival.jsonl`. Runs with a line are not run again; with `--again` those that
were wrong are. So N can be split up: with `--minutes M` no run is started later. Most of the time a
run waits, mainly for Spark: `--houses K` distributes the runs to K houses in parallel, each with
its own disk, and each run is checked as if it were alone. Exit code 1 if a run of these N left a
process (which also holds its ports) or a folder, did not end, ended because a part died that only
serves it, or has the verdict "holds" although `manage.py verify` disagrees or one of its parts was
killed; 2 for bad arguments. Missing runs are only reported.

The disk is a small one for the house, mounted in a namespace of its own. Where that is not allowed,
the disk is never full, and the line says that nobody was struck. The clock of the machine is never
set.
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
from benchmarks.survival.record import RECORD_FILE, Record
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
    parser.add_argument("--out", type=Path, default=RECORD_FILE)
    options = parser.parse_args()
    if options.random is None:
        return table.main(options.only, options.phase or PHASES)
    if options.random < 1:
        parser.error(f"--random {options.random}: how many runs, 1 or more")
    unwind_once()
    if options.houses < 1:
        parser.error(f"--houses {options.houses}: how many in parallel, 1 or more")
    if scratch := os.environ.get(_INSIDE):
        return at_random(options, Path(scratch) / _DATA, int(os.environ[_SHARE]))
    in_houses(options.houses)
    return 0 if summary(Record(options.out), options.seed, options.random) else 1


def unwind_once() -> None:
    """Makes SIGTERM unwind like Ctrl-C, and ignores all signals after the first.

    `timeout` sends two, to its child and to its group. The second would cut off the last batch,
    whose ledgers are judged again during the unwinding.
    """

    def unwind(*_: object) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)  # not SIG_IGN, which our children would inherit
        raise KeyboardInterrupt

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, unwind)


def in_houses(count: int) -> None:
    """Runs this program once for each house, and waits until all have ended."""
    with tempfile.TemporaryDirectory(prefix="survival-") as folder, ExitStack() as ending:
        processes = []
        for share in range(count):
            scratch = Path(folder) / str(share)
            processes.append(_start_with_own_disk(scratch, share))
            ending.callback(end, processes[-1], _GRACE_S)
        failed = [process.args for process in processes if process.wait()]
        if failed:
            raise SystemExit(f"{len(failed)} of {count} houses failed")


def _start_with_own_disk(scratch: Path, share: int) -> Popen[bytes]:
    """Starts this program in a mount namespace with its own disk, if that is allowed.

    Processes whose command names the disk belong to the house, so this one must not.
    """
    (scratch / _DATA).mkdir(parents=True)
    mount = f'mount -t tmpfs -o size={_DISK} none "$0/{_DATA}" && exec "$@"'
    alone = ["unshare", "--mount", "sh", "-c"]
    can_mount = shutil.which("unshare") and not subprocess.call(
        [*alone, mount, scratch, "true"], stderr=subprocess.DEVNULL
    )
    program = [sys.executable, "-m", "benchmarks.survival", *sys.argv[1:]]
    command = [*alone, mount, str(scratch), *program] if can_mount else program
    if not can_mount:
        print("no disk of its own can be mounted here: no disk will be full", flush=True)
    env = {**os.environ, _INSIDE: str(scratch), _SHARE: str(share)}
    return spawn(command, log=None, env=env)


def at_random(options: argparse.Namespace, data: Path, share: int) -> int:
    """Runs this house's share of the missing runs; returns the exit code."""
    os.environ |= {"LAB_DATA_DIR": str(data), "DJANGO_SETTINGS_MODULE": "config.settings"}
    os.environ.setdefault("LAB_CLUSTERS_AT_ONCE", str(2 * options.houses))  # no house waits
    for variable in ("DATABASE_URL", "REDIS_URL"):
        os.environ.pop(variable, None)
    django.setup()
    from benchmarks.survival.pieces import Piece  # it imports models, which need the settings

    record, numbers = Record(options.out), range(1, options.random + 1)
    done = {
        line.number
        for line in record.select(options.seed, numbers)
        if not (options.again and line.wrong)
    }
    mine = [number for number in numbers if number % options.houses == share]
    blows = [draw(options.seed, number) for number in mine if number not in done]
    with Piece(data, options.seed) as piece:
        piece.run(blows, record, time.monotonic() + 60 * options.minutes)
    return 0


def summary(record: Record, seed: int, number: int) -> bool:
    """Prints the recorded runs of a seed; returns whether none was wrong."""
    lines = record.select(seed, range(1, number + 1))
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
