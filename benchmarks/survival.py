"""What survives a kill -9 of whom, and when: `python -m benchmarks.survival [--only client]`.

Starts a house of its own, and for each phase and each victim an experiment in which that one is
killed by SIGKILL while an arm is in that phase, as the database has it. Prints what the page said
when the run was over. Exit code 1 if a run neither went on to its verdicts nor was interrupted
with the reason. The whole table takes about half an hour on two cores.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.stack.house import house
from tests.stack.victims import ALL, PHASES, strike
from tests.stack.visitor import Visitor

START = "/experiments/start/"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.survival", description=__doc__)
    parser.add_argument("--only", choices=[each.name for each in ALL], action="append")
    parser.add_argument("--phase", choices=PHASES, action="append")
    told = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="survival-") as scratch, house(Path(scratch)) as up:
        up.wait_until_ready()
        visitor = Visitor(up)
        # Phase by phase: the house gives up on a part that dies four times in five minutes.
        for phase in told.phase or PHASES:
            for victim in ALL:
                if phase in victim.phases and victim.name in (told.only or [victim.name]):
                    became = strike(up, visitor, visitor.post(START), victim, phase)
                    wrong += became not in ("interrupted", "went on")
                    print(f"{victim.name:8} {phase:10} {became}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
