"""How often each scenario shows its anomaly: `python -m benchmarks.scenarios [--seeds 10]`.

Every case of `labs.calibration.cases` is run under each seed. With `--out FILE` each arm is written
there as a line of JSON as soon as it is judged, and arms with a verdict in FILE are not run again,
so that hours of runs can be split up, also by `--only NAME` (repeatable), `--arms bad` and
`--first SEED`. With `--lines 3.3 3.4` (or `all`) the cases run on brokers of these lines, and
unexpected results are printed; `manage.py scenarios --lines` shows the table. Exit code 1 then
means that some runs are missing. `--zookeeper` selects brokers of these lines that use ZooKeeper.

`benchmarks/scenarios.jsonl` is such a FILE, collected over many days: the rates in the files of
scenarios (`Scenario.measured`) come from it.

For each case, a line says under how many seeds the bad settings showed the anomaly and were judged
as expected, and the good ones held without it. Then each scenario is listed with the rate that its
file should have as `measured`, and the one that it has. A verdict of `unknown` counts as neither,
and its reason is printed. The last lines compare what runs of the second quarter and of the last
left behind (`benchmarks.leftovers`). Exit code 1 unless every bad arm showed its anomaly, no good
arm did, and the runs left nothing that stays or grows.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from advisor.catalog import kafka_line
from advisor.reasoning.failures import all_events
from benchmarks.leftovers import Leftovers, count_leftovers, nothing_grew
from benchmarks.warm import warm_judge
from labs.calibration.bound import runs_for
from labs.calibration.cases import ARMS, CASES, Case
from labs.calibration.cases.case import NEWEST
from labs.calibration.fingerprint import fingerprint
from labs.calibration.table import possible
from labs.engine.base import json_lines
from labs.engine.distributions.distribution import (
    UnknownVersion,
    kafka_versions,
    release,
    zookeeper_versions,
)
from labs.engine.judge.warm import WarmJudge
from labs.engine.run.launch import Launch
from labs.engine.run.result import JUDGED
from labs.engine.scenarios import find
from labs.engine.scenarios.model import Rate
from tests.engine.arms import pipeline

UNKNOWN = "unknown"
MEASURED = range(1, 1_000)
"""The seeds that count for rates. Those of `make nightly` are dates."""
RECORD_FILE = Path(__file__).with_suffix(".jsonl")
Key = tuple[str, int, str, str, bool]


@dataclass(frozen=True, slots=True)
class Brokers:
    """A release of the brokers, in KRaft mode or with ZooKeeper."""

    release: str
    zookeeper: bool = False

    def can_run(self, case: Case) -> bool:
        """Whether a case can be run on these brokers."""
        return kafka_line(self.release) in (case.zookeeper_lines if self.zookeeper else case.lines)


@dataclass(frozen=True)
class Line:
    """One arm under one seed: its verdict, the count of the anomaly, and whether both are right."""

    case: str
    seed: int
    arm: str
    verdict: str
    anomaly: str
    count: int | None
    right: bool
    reason: str
    kafka: str = NEWEST
    scenario: str = ""
    date: str = ""
    code: dict[str, str] = field(default_factory=dict)
    zookeeper: bool = False

    @property
    def key(self) -> Key:
        return self.case, self.seed, self.arm, self.kafka, self.zookeeper

    def __str__(self) -> str:
        cluster = f"{self.kafka}{' with ZooKeeper' * self.zookeeper}"
        text = f"{self.case} {self.arm} on {cluster}, seed {self.seed}: {self.verdict}"
        return f"{text}, {self.anomaly} {self.count}" + ("" if self.right else f": {self.reason}")


class Record:
    """The verdicts in a file, and those that are added. An incomplete last line is ignored."""

    def __init__(self, file: Path) -> None:
        self._file = file
        recorded = json_lines.read(file, lambda _, text: Line(**json.loads(text)))
        self.lines: dict[Key, Line] = {
            line.key: line for line in recorded if line.verdict != UNKNOWN
        }

    def add(self, line: Line) -> None:
        self.lines[line.key] = line
        json_lines.append(self._file, line)

    def select(
        self, case: Case, seeds: Iterable[int], arm: str, cluster: Brokers = Brokers(NEWEST)
    ) -> list[Line]:
        """The recorded lines of an arm of a case under these seeds, on these brokers."""
        keys = ((case.name, seed, arm, cluster.release, cluster.zookeeper) for seed in seeds)
        return [self.lines[key] for key in keys if key in self.lines]


def preventable(case: Case, cluster: Brokers) -> bool:
    """Whether the advisor says that the good settings rule the anomaly out on these brokers.

    On brokers without eligible leader replicas some do not.
    """
    good = pipeline(**case.settings("good", cluster.release, zookeeper=cluster.zookeeper))
    event = next(event for event in all_events() if event.scenario == case.scenario)
    return case.anomaly not in possible(event, good)


def run(
    case: Case, seed: int, arms: Sequence[str], cluster: Brokers, folder: Path, judge: WarmJudge
) -> list[Line]:
    """Runs arms of a case in parallel under one seed; returns their lines."""
    experiment = case.experiment(seed, arms, cluster.release, zookeeper=cluster.zookeeper)
    with Launch(experiment, folder, judge.socket) as started:
        *_, last = started
    lines = []
    for arm in last["experiment"]["arms"]:
        count, verdict, name = arm["counts"].get(case.counted), arm["verdict"], arm["name"]
        acts = case.acts(cluster.release, zookeeper=cluster.zookeeper)
        right = case.right(name, verdict, count, acts=acts) or (
            name == "good" and verdict in JUDGED and not preventable(case, cluster)
        )
        lines.append(
            Line(
                case.name, seed, name, verdict, case.counted, count, right, arm["reason"],
                cluster.release, case.scenario, f"{datetime.now(UTC):%Y-%m-%d}",
                dict(fingerprint(case.scenario)), cluster.zookeeper,
            )
        )  # fmt: skip
    return lines


def measure(
    cases: Iterable[Case], seeds: Sequence[int], selected: Sequence[str], record: Record,
    brokers: Sequence[Brokers] = (Brokers(NEWEST),),
) -> list[Leftovers]:  # fmt: skip
    """Runs the arms that are not in the record, and prints their lines.

    Returns what was left after each run.
    """
    after: list[Leftovers] = []
    with tempfile.TemporaryDirectory(prefix="delivery-lab-") as place:
        scratch = Path(place)
        missing = [
            (case, seed, arms, cluster)
            for seed in seeds  # each case once, before any is run again
            for cluster in brokers
            for case in cases
            if cluster.can_run(case)
            and (
                arms := [
                    arm for arm in case.arms
                    if arm in selected and not record.select(case, [seed], arm, cluster)
                ]
            )
        ]  # fmt: skip
        if not missing:
            return after
        with warm_judge(scratch) as judge:
            for case, seed, arms, cluster in missing:
                folder = scratch / "runs" / f"{case.name}-{seed}-{cluster.release}"
                for line in run(case, seed, arms, cluster, folder, judge):
                    record.add(line)
                    print(f"  {line}", flush=True)
                after.append(count_leftovers(scratch, folder, judge))
                shutil.rmtree(folder)
    return after


def rates(record: Record) -> dict[str, tuple[Rate, ...]]:
    """By scenario, the rates at which bad arms showed the anomaly, over the seeds of `MEASURED`."""
    shown: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for case in CASES:
        for line in record.lines.values():
            if line.key != (case.name, line.seed, "bad", NEWEST, False):
                continue
            if line.seed in MEASURED and line.verdict != UNKNOWN:
                shown[case.scenario][str(case.anomaly)].append(line.right)
    return {
        name: tuple(Rate(anomaly, sum(row), len(row)) for anomaly, row in results.items())
        for name, results in shown.items()
    }


def table(
    cases: Sequence[Case], seeds: Sequence[int], selected: Sequence[str], record: Record
) -> bool:
    """Prints a line for each case, and the rate of each scenario with that of its file.

    Returns whether every selected arm was run and is right.
    """
    all_right = True
    total: Counter[str] = Counter()
    for case in cases:
        text = []
        for arm in (arm for arm in case.arms if arm in selected):
            lines = record.select(case, seeds, arm)
            right = sum(line.right for line in lines)
            judged = sum(line.verdict != UNKNOWN for line in lines)
            all_right = all_right and right == len(seeds)
            total.update({arm: right, f"{arm} runs": judged})
            text.append(f"{ARMS[arm]} {right} of {judged}")
        print(f"{case.name:<19} {case.scenario:<32} {case.anomaly:<18} {', '.join(text)}")
    message = (f"{ARMS[arm]} {total[arm]} of {total[f'{arm} runs']}" for arm in selected)
    print(f"all {len(cases)} cases: {', '.join(message)}\n")
    for name, measured in rates(record).items():
        if any(case.scenario == name for case in cases):
            print(f"{name}: measured={measured}\n  its file: {find(name).certainty}")
    return all_right


def brokers_of(lines: Sequence[str] | None, *, zookeeper: bool = False) -> tuple[Brokers, ...]:
    """The brokers of these lines. Raises `UnknownVersion`."""
    versions = zookeeper_versions() if zookeeper else kafka_versions()
    if not lines:
        return (Brokers(versions[0] if zookeeper else NEWEST, zookeeper),)
    releases = versions if lines == ["all"] else [release(line, versions) for line in lines]
    return tuple(Brokers(version, zookeeper) for version in dict.fromkeys(releases))


def by_line(
    cases: Sequence[Case], seeds: Sequence[int], selected: Sequence[str], record: Record,
    brokers: Sequence[Brokers],
) -> bool:  # fmt: skip
    """Prints the unexpected results on each line of brokers; returns whether all were run."""
    all_run = True
    for cluster in brokers:
        for case in filter(cluster.can_run, cases):
            for arm in (arm for arm in case.arms if arm in selected):
                lines = record.select(case, seeds, arm, cluster)
                all_run = all_run and len(lines) == len(seeds)
                for line in lines:
                    if not line.right:
                        print(f"  {line}")
    return all_run


def seeds_of(options: argparse.Namespace) -> range:
    """The seeds of `--seeds`, or as many as `--until-bound` needs."""
    number = options.seeds if options.until_bound is None else runs_for(options.until_bound)
    return range(options.first, options.first + number)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scenarios", description=__doc__)
    number = parser.add_mutually_exclusive_group()
    number.add_argument("--seeds", type=int, default=10)
    number.add_argument("--until-bound", type=float, metavar="SHARE",
                      help="as many seeds as bound a harm that is never seen")  # fmt: skip
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--only", action="append", choices=[case.name for case in CASES])
    parser.add_argument("--arms", choices=list(ARMS))
    parser.add_argument("--lines", nargs="+", metavar="LINE", help="of brokers, or `all`")
    parser.add_argument("--zookeeper", action="store_true", help="on brokers with ZooKeeper")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    cases = [case for case in CASES if not options.only or case.name in options.only]
    if options.until_bound is not None and not 0 < options.until_bound < 1:
        parser.error("--until-bound takes a share above 0 and below 1")
    seeds = seeds_of(options)
    selected = [options.arms] if options.arms else list(ARMS)
    try:
        brokers = brokers_of(options.lines, zookeeper=options.zookeeper)
    except UnknownVersion as unknown:
        parser.error(f"--lines: {unknown}")
    # `timeout` sends SIGTERM: unwind as for Ctrl-C, so that the brokers end first.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as folder:
        record = Record(options.out or Path(folder) / "lines.jsonl")
        after = measure(cases, seeds, selected, record, brokers)
        if options.lines or options.zookeeper:
            return 0 if by_line(cases, seeds, selected, record, brokers) else 1
        right = table(cases, seeds, selected, record)
        clean = not after or nothing_grew(after)
        return 0 if right and clean else 1


if __name__ == "__main__":
    sys.exit(main())
