"""An experiment is repeated until the probability of broken runs is bounded."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import CommandError, call_command

from labs.engine.plan.spec import ArmSpec, ExperimentSpec
from labs.runs import repeating

SPEC = ExperimentSpec("leader-killed", 7, (ArmSpec("weak", {}), ArmSpec("safe", {})), "4.3.1")


class Runs:
    """Replaces the brokers: an arm gets its verdicts in order, then repeats the last."""

    def __init__(self, **verdicts: list[str]) -> None:
        self.verdicts = verdicts
        self.specs: list[ExperimentSpec] = []

    def __call__(self, spec: ExperimentSpec) -> dict[str, Any]:
        self.specs.append(spec)
        arms = []
        for arm in spec.arms:
            left = self.verdicts[arm.name]
            arms.append({"name": arm.name, "verdict": left.pop(0) if len(left) > 1 else left[0]})
        return {"arms": arms}


def test_an_arm_is_run_until_it_is_broken_or_bounded() -> None:
    run = Runs(weak=["holds", "broken"], safe=["holds", "unknown", "holds"])
    weak, safe = repeating.until_bound(SPEC, 0.05, 1e9, run)
    assert str(weak) == "weak: broken in 1 of 2 runs"
    assert str(safe) == (
        "safe: broken in 0 of 59 runs: below 5% with 95% confidence; 1 unknown, which say nothing"
    )
    assert [spec.seed for spec in run.specs] == list(range(7, 67))
    assert [len(spec.arms) for spec in run.specs] == [2] * 2 + [1] * 58
    assert repeating.unbounded([weak, safe], 0.05) == []


def test_repeating_ends_when_time_is_up_or_no_run_has_a_verdict() -> None:
    run = Runs(weak=["holds"], safe=["unknown"])
    weak, safe = repeating.until_bound(SPEC, 0.5, 1e9, run)
    assert (weak.holds, safe.unknown) == (5, repeating.MOST_UNKNOWN)
    assert repeating.unbounded([weak, safe], 0.5) == [safe]
    for tally in repeating.until_bound(SPEC, 0.5, 0, run):
        assert str(tally) == f"{tally.name}: broken in 0 of 0 runs"


@pytest.mark.parametrize(
    "wrong", [{"until_bound": 0.0}, {"until_bound": 1.5}, {"minutes": 5.0},
              {"until_bound": 0.1, "minutes": 0.0}],
)  # fmt: skip
def test_an_impossible_bound_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(CommandError, match="takes") as failed:
        call_command("experiment", scenario="leader-killed", **wrong)
    assert failed.value.returncode == 2


def test_the_command_reports_bounded_and_unbounded_arms(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Runs(described=["broken"], recommended=["holds"])
    monkeypatch.setattr(
        "labs.management.commands.experiment.Command.run_once", lambda _, spec: run(spec)
    )
    call_command("experiment", scenario="leader-killed", until_bound=0.5)
    assert capsys.readouterr().out.splitlines() == [
        "described: broken in 1 of 1 run",
        "recommended: broken in 0 of 5 runs: below 45.1% with 95% confidence",
    ]
    run.verdicts["recommended"] = ["unknown"]
    with pytest.raises(CommandError, match=r"before the bound of 0\.5 holds: recom") as failed:
        call_command("experiment", scenario="leader-killed", until_bound=0.5)
    assert failed.value.returncode == 3
