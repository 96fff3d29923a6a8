"""How often each scenario shows what it can do: `python -m benchmarks.scenarios [--seeds 10]`.

Every pair of `tests.engine.cases` is run under each seed: a line a pair with the seeds under which
the bad settings showed the anomaly and were judged broken, and the good ones held without it. The
last line counts the good arms of all pairs. `--only NAME` (again for more) runs some pairs alone.
Exit code 1 unless every bad arm showed its anomaly and no good arm did; a verdict of `unknown`
counts as neither, and its reason is printed.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.warm import warm_judge
from labs.engine.launch import launch
from tests.engine.cases import CASES, Case


def right(case: Case, told: dict[str, Any]) -> bool:
    """Whether an arm was as it must be; says so in a line if it was not."""
    shown = told["counts"].get(case.anomaly)
    expected = ("broken", True) if told["name"] == "bad" else ("holds", False)
    if (told["verdict"], bool(shown)) == expected:
        return True
    print(f"  {told['name']}: {told['verdict']}, {case.anomaly} {shown}: {told['reason']}")
    return False


def counted(case: Case, seeds: Sequence[int], scratch: Path, socket: Path) -> Counter[str]:
    """Runs a pair under each seed; how many of its arms were right, by name. Prints its line."""
    found = Counter(bad=0, good=0)
    for seed in seeds:
        folder = scratch / f"{case.name}-{seed}"
        with launch(case.experiment(seed), folder, socket) as started:
            *_, last = started
        shutil.rmtree(folder)
        found.update(arm["name"] for arm in last["experiment"]["arms"] if right(case, arm))
    print(f"{case.name:<18} {case.scenario:<32} {case.anomaly:<18} {told(found, len(seeds))}",
          flush=True)  # fmt: skip
    return found


def told(found: Counter[str], runs: int) -> str:
    """`shown 10 of 10, prevented 10 of 10`."""
    return f"shown {found['bad']} of {runs}, prevented {found['good']} of {runs}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--only", action="append", choices=[case.name for case in CASES])
    asked = parser.parse_args()
    cases = [case for case in CASES if not asked.only or case.name in asked.only]
    seeds = range(asked.first, asked.first + asked.seeds)
    with tempfile.TemporaryDirectory(prefix="delivery-lab-") as folder:
        scratch = Path(folder)
        with warm_judge(scratch) as judge:
            counts = [counted(case, seeds, scratch, judge.socket) for case in cases]
    runs, found = len(cases) * len(seeds), sum(counts, Counter())
    print(f"all {len(cases)} pairs: {told(found, runs)}")
    return 0 if found["bad"] == found["good"] == runs else 1


if __name__ == "__main__":
    sys.exit(main())
