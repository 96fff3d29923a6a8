"""How long the way from the click to the verdict of both arms takes, and whether it always tells.

`python -m benchmarks.experiment [--seeds 10] [--first 1]` runs the first scenario with acks=1
against acks=all and two in sync, a line a seed: seconds until the result, what each arm lost, and
its verdict. The peer is one arm alone, measured first in the same run: the last line says how much
longer two side by side take. The judge is warm before the first, as it is soon after `make up`.
Exit code 1 unless every seed was broken with a loss and held without one.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.warm import warm_judge
from labs.engine.launch import launch
from labs.engine.spec import ExperimentSpec
from tests.engine.arms import DESCRIBED, experiment


def timed(spec: ExperimentSpec, folder: Path, socket: Path) -> tuple[float, dict[str, Any]]:
    """Seconds from the click to the result, and the arms' results by name."""
    began = time.monotonic()
    with launch(spec, folder, socket) as started:
        *_, last = started
    seconds = time.monotonic() - began
    return seconds, {arm["name"]: arm for arm in last["experiment"]["arms"]}


def line(seed: int, seconds: float, arms: dict[str, Any]) -> bool:
    """Prints one seed's outcome; whether it was as it must be."""
    described, recommended = arms["described"], arms["recommended"]
    lost, kept = described["counts"]["lost_write"], recommended["counts"]["lost_write"]
    right = (described["verdict"], recommended["verdict"]) == ("broken", "holds")
    right = right and bool(lost) and kept == 0
    print(
        f"seed {seed:>3}  {seconds:5.1f} s  "
        f"described {described['verdict']}: {lost} of {described['counts']['ok']} lost  "
        f"recommended {recommended['verdict']}: {kept} of {recommended['counts']['ok']} lost"
        + ("" if right else f"  WRONG: {described['reason']} / {recommended['reason']}"),
        flush=True,
    )
    return right


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=1)
    told = parser.parse_args()
    seeds = range(told.first, told.first + told.seeds)
    with tempfile.TemporaryDirectory(prefix="delivery-lab-") as folder:
        scratch = Path(folder)
        with warm_judge(scratch) as judge:
            alone, _ = timed(experiment(DESCRIBED), scratch / "alone", judge.socket)
            print(f"one arm alone: {alone:.1f} s", flush=True)
            both, right = [], True
            for seed in seeds:
                spec = experiment(seed=seed)
                seconds, arms = timed(spec, scratch / f"seed-{seed}", judge.socket)
                both.append(seconds)
                right = line(seed, seconds, arms) and right
    middle = statistics.median(both)
    print(f"both arms: median {middle:.1f} s, worst {max(both):.1f} s; "
          f"{middle / alone:.2f} times one arm alone")  # fmt: skip
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
