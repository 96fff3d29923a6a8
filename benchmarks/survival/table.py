"""Kills every part in every phase, one after the other."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.stack.house import house
from tests.stack.victims import ALL, strike
from tests.stack.visitor import Visitor

START = "/experiments/start/"


def main(only: Sequence[str] | None, phases: Sequence[str]) -> int:
    """Prints a line for each; returns 1 if a run neither continued nor named its interruption."""
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="survival-") as scratch, house(Path(scratch)) as up:
        up.wait_until_ready()
        visitor = Visitor(up)
        # Phase by phase, because the house gives up on a part that dies four times in five minutes.
        for phase in phases:
            for victim in ALL:
                if phase in victim.phases and victim.name in (only or [victim.name]):
                    outcome = strike(up, visitor, visitor.post(START), victim, phase)
                    wrong += outcome not in ("interrupted", "went on")
                    print(f"{victim.name:8} {phase:10} {outcome}", flush=True)
    return 1 if wrong else 0
