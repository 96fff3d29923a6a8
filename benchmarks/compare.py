"""Compares a benchmark at two commits: `python -m benchmarks.compare BEFORE AFTER NAME [OPTION…]`.

Each of `--rounds` (2) runs `python -m benchmarks.NAME OPTION…` in a tree of the first commit, then
in one of the second, with the packages of the Python that runs this program. All output is printed
with the commit before each line, so that the lines of one round are minutes apart. Options that
begin with `--rounds` belong to this program. Exit code 1 if one of the runs failed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.size import unpack


def main(argv: Sequence[str]) -> int:
    """Runs both in turn, each with its own data folder; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("name")
    parser.add_argument("--rounds", type=int, default=2)
    arguments, options = parser.parse_known_args(argv)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        trees = {
            commit: Path(folder) / str(n)
            for n, commit in enumerate((arguments.before, arguments.after))
        }
        for commit, tree in trees.items():
            tree.mkdir()
            unpack(commit, tree)
        for _ in range(arguments.rounds):
            for commit, tree in trees.items():
                failed |= bool(run(commit, tree, arguments.name, options))
    return int(failed)


def run(commit: str, tree: Path, name: str, options: Sequence[str]) -> int:
    """Runs a benchmark in a tree, prints its lines as they come, and returns its exit code."""
    command = [sys.executable, "-m", f"benchmarks.{name}", *options]
    environment = {**os.environ, "PYTHONPATH": str(tree), "LAB_DATA_DIR": str(tree / "var")}
    with subprocess.Popen(
        command, cwd=tree, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True,
    ) as process:  # fmt: skip
        for line in process.stdout or ():
            print(f"{commit}  {line}", end="", flush=True)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
