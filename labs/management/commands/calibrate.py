"""`manage.py calibrate`: checks the advisor's claims on real brokers, one by one."""

from __future__ import annotations

import json
import math
import signal
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from advisor.management.exact import INTERRUPTED, NOT_RUN, ExactCommand, bad_input
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.failures import all_events
from labs.calibration.claims import Claims
from labs.calibration.edges import Edge, edges, permitted
from labs.calibration.record import Explored, Record, RecordError
from labs.calibration.table import Observed, Section, Side, compare
from labs.evidence import exploring, trials
from labs.evidence.bench import bench
from labs.models import Trial

CONTRADICTED = 1
LONGEST_MIN = 100_000
MOST_INCONCLUSIVE = 10
"""The number of successive inconclusive runs that ends the search for a bound."""


class Command(ExactCommand):
    """Exit codes: 0 nothing impossible was seen, 1 something was, 2 bad input, 3 a run failed."""

    help = (
        "Draws settings on both sides of every boundary of the failure model that can be staged, "
        "runs each pair on disposable brokers, and compares what the advisor said with what was "
        "seen. The runs are kept and shown at /evidence/. Exit code 1 if anything was seen that "
        "the advisor calls impossible."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--event",
            action="append",
            default=[],
            metavar="NAME",
            help="a failure event, also with --explore; can be repeated; default all",
        )
        parser.add_argument(
            "--seed", type=int, default=1, help="the seed for settings and schedules"
        )
        parser.add_argument("--most", type=int, metavar="N", help="at most this many pairs")
        parser.add_argument(
            "--list", action="store_true", help="list what would be run, without running it"
        )
        parser.add_argument(
            "--recorded",
            action="store_true",
            help="run nothing, and compare today's advisor with every stored run; with --explore: "
            "only with the record, whose hours and unknown runs are printed",
        )
        parser.add_argument("--json", action="store_true", help="the table as data")
        parser.add_argument(
            "--explore",
            action="store_true",
            help="run settings drawn at random, on every line of brokers, and keep them in a "
            "record; continues where it stopped",
        )
        _add_limits(parser)

    def handle(self, *args: object, **options: Any) -> None:
        if options["explore"]:
            self._explore(options)
            return
        _check(options)
        chosen = _chosen(options)
        if options["list"]:
            self.stdout.write("\n".join(_drawn(edge) for edge in chosen))
            return
        claims = _claims(options, chosen)
        ran = None if options["recorded"] else self._run(_upcoming(options, chosen, claims), claims)
        recorded = [] if ran is not None else trials.shipped(settings.LAB_RECORD)
        table = compare([*trials.observed(ran), *recorded])
        self.stdout.write(
            json.dumps([_data(section) for section in table.sections], indent=2)
            if options["json"]
            else "\n".join(line for section in table.sections for line in _summary(section))
        )
        if against := table.contradictions:
            text = "; ".join(
                f"{contradiction.anomaly} with {_at(contradiction.run)}"
                for contradiction in against
            )
            raise CommandError(f"seen, though no event permits it: {text}", returncode=CONTRADICTED)
        if claims is not None:
            if claims.open:
                raise CommandError(_unbounded(claims), returncode=NOT_RUN)
        elif ran is not None and (inconclusive := trials.unjudged(ran)):
            text = "; ".join(f"{experiment}: {why}" for experiment, why in inconclusive)
            raise CommandError(f"runs that say nothing: {text}", returncode=NOT_RUN)

    def _explore(self, options: dict[str, Any]) -> None:
        minutes, events = _minutes(options), _events(options)
        if options["recorded"]:
            self._report_recorded(options)
            return
        # A supervisor ends us by SIGTERM: unwind as for Ctrl-C, so that the brokers end first.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        record = _record(options)
        ran: list[Explored] = []
        interrupted = False
        try:
            with bench("explore-") as (_, judge):
                folder = Path(settings.LAB_RUNS_DIR) / "explored"
                workspace = exploring.Workspace(record, folder, judge, self.stderr.write)
                for run in exploring.explore(workspace, options["seed"], minutes * 60, events):
                    ran.append(run)
        except KeyboardInterrupt:
            interrupted = True
        self._report_explored(ran, record, as_data=options["json"])
        if any(exploring.refuted(run) for run in ran):
            raise CommandError("seen, though no event permits it", returncode=CONTRADICTED)
        if interrupted:
            raise CommandError("interrupted: everything was ended", returncode=INTERRUPTED)
        if not any(run.judged for run in ran):
            raise CommandError("no run says anything", returncode=NOT_RUN)

    def _report_recorded(self, options: dict[str, Any]) -> None:
        record = _record(options)
        self._report_explored(record.runs, record, as_data=options["json"])
        if not options["json"]:
            for run in (run for run in record.runs if not run.judged):
                self.stdout.write(f"unknown: seed {run.seed}, {_line(run)}: {run.reason}")
        if any(exploring.refuted(run) for run in record.runs):
            raise CommandError("seen, though no event permits it", returncode=CONTRADICTED)

    def _report_explored(self, ran: list[Explored], record: Record, *, as_data: bool) -> None:
        against = [
            {**asdict(run), "impossible": sorted(anomalies)}
            for run in ran
            if (anomalies := exploring.refuted(run))
        ]
        unknown = sum(not run.judged for run in ran)
        record_size = {"runs": len(record.runs), "hours": round(record.hours, 2)}
        if as_data:
            summary = {
                "runs": len(ran),
                "unknown": unknown,
                "refutations": against,
                "record": record_size,
            }
            self.stdout.write(json.dumps(summary, indent=2))
            return
        self.stdout.write(f"{len(ran)} runs, {unknown} of them unknown, which say nothing")
        self.stdout.write(f"the record: {len(record.runs)} runs in {record.hours:.1f} hours")
        for row in against:
            self.stdout.write(f"refuted: {', '.join(row['impossible'])}: {json.dumps(row)}")

    def _run(self, upcoming: Iterable[tuple[Edge, int]], claims: Claims | None) -> list[Trial]:
        ran: list[Trial] = []
        inconclusive = 0
        with bench("calibrate-") as (_, judge):
            for number, (edge, seed) in enumerate(upcoming, start=1):
                self.stderr.write(f"{number}  {_drawn(edge)}")
                both = trials.carry_out(edge, seed, judge)
                ran += both
                observed = trials.observed(both)
                for run in observed:
                    self.stderr.write(f"    {run.name}: saw {_words(run.seen)}")
                if claims is not None:
                    claims.take(observed)
                    inconclusive = 0 if observed else inconclusive + 1
                    if compare(observed).contradictions or inconclusive == MOST_INCONCLUSIVE:
                        break
        return ran


def _add_limits(parser: CommandParser) -> None:
    parser.add_argument(
        "--until-bound",
        type=float,
        metavar="SHARE",
        help="continue with other schedules until each claim that something is impossible was "
        "tried often enough to bound its share with 95 %% confidence (0.05: 59 runs). Stored runs "
        "count, unless they are older than the code",
    )
    parser.add_argument(
        "--minutes",
        type=float,
        metavar="N",
        help="with --explore: how long to run; default 10. With --until-bound: the limit",
    )
    parser.add_argument(
        "--record",
        type=Path,
        metavar="FILE",
        help="with --explore: the record; default the one that ships",
    )


def _check(options: dict[str, Any]) -> None:
    """Rejects combinations of options that are invalid without --explore."""
    share = options["until_bound"]
    if options["record"] is not None:
        raise bad_input("--record goes with --explore")
    if share is None and options["minutes"] is not None:
        raise bad_input("--minutes goes with --explore or --until-bound")
    if share is None:
        return
    if not 0 < share < 1:
        raise bad_input("--until-bound takes a share above 0 and below 1")
    _check_minutes(options["minutes"])
    if options["recorded"]:
        raise bad_input("--until-bound does not go with --recorded")


def _check_minutes(minutes: float | None) -> None:
    if minutes is not None and not 0 < minutes < LONGEST_MIN:
        raise bad_input(f"--minutes takes a number above 0 and below {LONGEST_MIN:,}")


def _claims(options: dict[str, Any], chosen: list[Edge]) -> Claims | None:
    if options["until_bound"] is None:
        return None
    observations = [*trials.observed(), *trials.shipped(settings.LAB_RECORD)]
    return Claims(chosen, options["until_bound"], observations)


def _upcoming(
    options: dict[str, Any], chosen: list[Edge], claims: Claims | None
) -> Iterator[tuple[Edge, int]]:
    """Yields the edges to run, with their seeds: each edge once, or until the bound holds."""
    if claims is None:
        yield from zip(chosen, count(options["seed"]), strict=False)
        return
    until = time.monotonic() + (options["minutes"] or math.inf) * 60
    # Schedules that were already run would add little.
    for edge, seed in zip(claims.draws(), count(options["seed"] + Trial.objects.count())):
        if time.monotonic() >= until:
            return
        yield edge, seed


def _unbounded(claims: Claims) -> str:
    text = "; ".join(f"{event}: {claim}: {n}" for (event, claim), n in claims.open.items())
    return (
        f"stopped before the bound holds: {len(claims.open)} of {len(claims.all)} claims were "
        f"tried fewer than {claims.needed} times: {text}"
    )


def _minutes(options: dict[str, Any]) -> float:
    for name in ("list", "most", "until_bound"):
        if options[name]:
            flag = name.replace("_", "-")
            raise bad_input(f"--{flag} does not go with --explore")
    if options["recorded"] and options["event"]:
        raise bad_input("--event does not go with --explore --recorded")
    if options["recorded"] and options["minutes"] is not None:
        raise bad_input("--minutes does not go with --recorded")
    minutes = 10.0 if options["minutes"] is None else float(options["minutes"])
    _check_minutes(minutes)
    return minutes


def _record(options: dict[str, Any]) -> Record:
    try:
        return Record(options["record"] or settings.LAB_RECORD)
    except RecordError as wrong:
        raise bad_input(str(wrong)) from wrong


def _line(run: Explored) -> str:
    return f"{run.number} {run.step}: {run.scenario} on {run.pipeline['kafka']}"


def _events(options: dict[str, Any]) -> list[FailureEvent]:
    """Returns the events of `--event`."""
    every = {event.name: event for event in all_events()}
    for name in options["event"]:
        if name not in every:
            raise bad_input(f"--event {name}: there is none; there are {', '.join(sorted(every))}")
    return [every[name] for name in options["event"]]


def _chosen(options: dict[str, Any]) -> list[Edge]:
    wanted = _events(options) or all_events()
    if options["most"] is not None and options["most"] < 1:
        raise bad_input("--most takes a whole number from 1 on")
    if options["recorded"] and not options["list"]:
        return []  # nothing is run, so nothing has to be drawn
    drawn = [edge for edge in edges(options["seed"]) if edge.event in wanted]
    return drawn[: options["most"]]


def _drawn(edge: Edge) -> str:
    sides = (
        f"{value} permits {_words(permitted(edge.event, side))}"
        for value, side in zip(edge.values(), edge.sides, strict=True)
    )
    return f"{edge.event.name}: {edge.key[0]} {edge.key[1]}: {'; '.join(sides)}"


def _summary(section: Section) -> list[str]:
    lines = [f"{section.event.name} ({section.runs} runs)"]
    for row in section.rows:
        never = f"  ({row.why_never})" if row.why_never and not row.possible.seen else ""
        lines.append(
            f"  {row.anomaly:<18} predicted possible: seen in {_share(row.possible)}   "
            f"predicted impossible: seen in {_share(row.impossible)}{never}"
        )
    return lines


def _share(side: Side) -> str:
    return f"{len(side.seen)} of {len(side.runs)}"


def _words(anomalies: frozenset[Any]) -> str:
    return ", ".join(sorted(anomalies)) or "nothing"


def _at(run: Observed) -> str:
    return f"{run.name} ({run.link or run.where})"


def _data(section: Section) -> dict[str, Any]:
    return {
        "event": section.event.name,
        "scenario": section.event.scenario,
        "rows": [
            {
                "anomaly": row.anomaly,
                "possible": _side(row.possible),
                "impossible": _side(row.impossible),
                "why_never": row.why_never,
            }
            for row in section.rows
        ],
    }


def _side(side: Side) -> dict[str, Any]:
    return {"runs": [_arm(run) for run in side.runs], "seen": [_arm(run) for run in side.seen]}


def _arm(run: Observed) -> dict[str, str]:
    return {"arm": run.name, "link": run.link} if run.link else {"arm": run.name, "run": run.where}
