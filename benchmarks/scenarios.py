"""How often each scenario shows what it can do: `python -m benchmarks.scenarios [--seeds 10]`.

Every case of `tests.engine.cases` is run under each seed. With `--out FILE` each arm is a line of
JSON there as soon as it was judged, and what FILE has a verdict of is not run again: hours of it
can be taken in pieces, by `--only NAME` (again for more), `--arms bad` and `--first SEED`, too.

`benchmarks/scenarios.jsonl` is such a FILE, of many days: what scenarios say of themselves
(`Scenario.measured`) is its rates.

A line a case says under how many seeds the bad settings showed the anomaly and were judged as they
must be, and the good ones held without it. Below, each scenario stands with the rate that belongs
in its file, as `measured`, and what its file says; a verdict of `unknown` counts as neither, and
its reason is printed. Last comes what was there after the runs of the second quarter and of the
last (`benchmarks.left`). Exit code 1 unless every bad arm showed its anomaly, no good arm did, and
the runs left nothing that stays or grows.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.left import Left, left, nothing_grew
from benchmarks.warm import warm_judge
from labs.engine.launch import launch
from labs.engine.scenarios import find
from labs.engine.scenarios.model import Rate
from labs.engine.warm import WarmJudge
from tests.engine.cases import ARMS, CASES, Case

UNKNOWN = "unknown"
KEPT = Path(__file__).with_suffix(".jsonl")
Key = tuple[str, int, str]


@dataclass(frozen=True)
class Line:
    """One arm under one seed: its verdict, how much of the anomaly, and whether that is right."""

    case: str
    seed: int
    arm: str
    verdict: str
    anomaly: str
    count: int | None
    right: bool
    reason: str

    @property
    def key(self) -> Key:
        return self.case, self.seed, self.arm

    def __str__(self) -> str:
        told = f"{self.case} {self.arm}, seed {self.seed}: {self.verdict}, {self.anomaly}"
        return f"{told} {self.count}" + ("" if self.right else f": {self.reason}")


class Record:
    """The verdicts in a file, and those that are added; a line that was cut short is none."""

    def __init__(self, file: Path) -> None:
        text = file.read_text("utf-8") if file.exists() else ""
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            file.write_text(whole, "utf-8")
        self._file = file
        lines = (Line(**json.loads(line)) for line in whole.splitlines())
        self.lines: dict[Key, Line] = {line.key: line for line in lines if line.verdict != UNKNOWN}

    def add(self, line: Line) -> None:
        self.lines[line.key] = line
        with self._file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(asdict(line)) + "\n")

    def of(self, case: Case, seeds: Iterable[int], arm: str) -> list[Line]:
        """What is known of an arm of a case under these seeds."""
        keys = ((case.name, seed, arm) for seed in seeds)
        return [self.lines[key] for key in keys if key in self.lines]


def run(case: Case, seed: int, arms: Sequence[str], folder: Path, judge: WarmJudge) -> list[Line]:
    """Runs arms of a case side by side under one seed."""
    with launch(case.experiment(seed, arms), folder, judge.socket) as started:
        *_, last = started
    lines = []
    for told in last["experiment"]["arms"]:
        count, verdict, name = told["counts"].get(case.counted), told["verdict"], told["name"]
        right = case.right(name, verdict, count)
        lines.append(
            Line(case.name, seed, name, verdict, case.counted, count, right, told["reason"])
        )
    return lines


def measure(
    cases: Iterable[Case], seeds: Sequence[int], wanted: Sequence[str], record: Record
) -> list[Left]:
    """Runs what the record does not have; what was there after each.

    Of what was not as it must be, it prints why.
    """
    after: list[Left] = []
    with tempfile.TemporaryDirectory(prefix="delivery-lab-") as place:
        scratch = Path(place)
        missing = [
            (case, seed, arms)
            for seed in seeds  # each case once, before any is run again
            for case in cases
            if (arms := [a for a in case.arms if a in wanted and not record.of(case, [seed], a)])
        ]
        if not missing:
            return after
        with warm_judge(scratch) as judge:
            for case, seed, arms in missing:
                folder = scratch / "runs" / f"{case.name}-{seed}"
                for line in run(case, seed, arms, folder, judge):
                    record.add(line)
                    print(f"  {line}", flush=True)
                after.append(left(scratch, folder, judge))
                shutil.rmtree(folder)
    return after


def rates(record: Record) -> dict[str, tuple[Rate, ...]]:
    """By scenario, how often its bad arms showed their anomaly, over all seeds of a record."""
    shown: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for case in CASES:
        for line in record.lines.values():
            if (line.case, line.arm) == (case.name, "bad"):
                shown[case.scenario][str(case.anomaly)].append(line.right)
    return {
        name: tuple(Rate(anomaly, sum(each), len(each)) for anomaly, each in found.items())
        for name, found in shown.items()
    }


def table(
    cases: Sequence[Case], seeds: Sequence[int], wanted: Sequence[str], record: Record
) -> bool:
    """Prints a line a case, and each scenario's rate beside what its file says.

    Whether all that was wanted was run and right.
    """
    all_right = True
    total: Counter[str] = Counter()
    for case in cases:
        told = []
        for arm in (arm for arm in case.arms if arm in wanted):
            lines = record.of(case, seeds, arm)
            right = sum(line.right for line in lines)
            all_right = all_right and right == len(seeds)
            total.update({arm: right, f"{arm} runs": len(lines)})
            told.append(f"{ARMS[arm]} {right} of {len(lines)}")
        print(f"{case.name:<19} {case.scenario:<32} {case.anomaly:<18} {', '.join(told)}")
    said = (f"{ARMS[arm]} {total[arm]} of {total[f'{arm} runs']}" for arm in wanted)
    print(f"all {len(cases)} cases: {', '.join(said)}\n")
    for name, measured in rates(record).items():
        if any(case.scenario == name for case in cases):
            print(f"{name}: measured={measured}\n  its file: {find(name).certainty}")
    return all_right


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scenarios", description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--only", action="append", choices=[case.name for case in CASES])
    parser.add_argument("--arms", choices=list(ARMS))
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    cases = [case for case in CASES if not asked.only or case.name in asked.only]
    seeds = range(asked.first, asked.first + asked.seeds)
    wanted = [asked.arms] if asked.arms else list(ARMS)
    with tempfile.TemporaryDirectory() as folder:
        record = Record(asked.out or Path(folder) / "lines.jsonl")
        after = measure(cases, seeds, wanted, record)
        right = table(cases, seeds, wanted, record)
        clean = not after or nothing_grew(after)
        return 0 if right and clean else 1


if __name__ == "__main__":
    sys.exit(main())
