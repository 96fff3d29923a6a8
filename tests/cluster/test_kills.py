"""A process of a run is killed or stopped from outside, on real brokers: the run is `unknown`.

`python -m benchmarks.kills` tries each victim in each phase.
"""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from benchmarks.kills import VICTIMS, strike

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]


@pytest.mark.parametrize(
    ("name", "phase", "number", "message"),
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
def test_the_arm_ends_immediately_and_names_the_victim(
    tmp_path: Path, name: str, phase: str, number: signal.Signals, message: str
) -> None:
    victim = next(victim for victim in VICTIMS if victim.name == name)
    outcome = strike(victim, phase, number, tmp_path / "run")
    assert outcome.right(victim), outcome
    assert message in outcome.reason
