"""Whoever is killed or stopped behind a run's back, on real brokers: the run is `unknown`.

`python -m benchmarks.kills` tries each victim in each phase.
"""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from benchmarks.kills import VICTIMS, strike

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]


@pytest.mark.parametrize(
    ("name", "phase", "number", "how"),
    [
        ("broker", "judging", signal.SIGKILL, "was killed, and not by this run"),
        pytest.param(
            "broker", "reading", signal.SIGSTOP, "not by this run",
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            "java consumer", "producing", signal.SIGTERM, "was killed (SIGTERM), and not by",
            marks=pytest.mark.thorough,
        ),
        *(
            pytest.param(
                name, "producing", signal.SIGKILL, "was killed, and not by this run",
                marks=pytest.mark.thorough,
            )
            for name in ("java producer", "transformer", "streams")
        ),
    ],
)  # fmt: skip
def test_the_arm_ends_at_once_and_says_who_it_was(
    tmp_path: Path, name: str, phase: str, number: signal.Signals, how: str
) -> None:
    victim = next(victim for victim in VICTIMS if victim.name == name)
    became = strike(victim, phase, number, tmp_path / "run")
    assert became.right(victim), became
    assert how in became.reason
