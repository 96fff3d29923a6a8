"""`manage.py calibrate`: the advisor's claims held against real brokers, one by one."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from advisor.reasoning.failures import all_events
from labs import trials
from labs.calibration.edges import Edge, edges, permitted
from labs.calibration.table import Observed, Section, Side, held
from labs.engine.warm import WarmJudge
from labs.models import Trial

CONTRADICTED, BAD_INPUT, NOT_RUN = 1, 2, 3


class Command(BaseCommand):
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
            help="a failure event; may be given often; default all",
        )
        parser.add_argument("--seed", type=int, default=1, help="draws settings and schedules")
        parser.add_argument("--most", type=int, metavar="N", help="at most so many pairs")
        parser.add_argument(
            "--list", action="store_true", help="say what would be run; run nothing"
        )
        parser.add_argument(
            "--recorded",
            action="store_true",
            help="run nothing; hold today's advisor against every run that is kept",
        )
        parser.add_argument("--json", action="store_true", help="the table as data")

    def handle(self, *args: object, **options: Any) -> None:
        chosen = _chosen(options)
        if options["list"]:
            self.stdout.write("\n".join(_drawn(edge) for edge in chosen))
            return
        ran = None if options["recorded"] else self._run(chosen, options["seed"])
        found = held(trials.observed(ran))
        self.stdout.write(
            json.dumps([_data(each) for each in found.sections], indent=2)
            if options["json"]
            else "\n".join(line for each in found.sections for line in _told(each))
        )
        if against := found.contradictions:
            said = "; ".join(f"{each.anomaly} with {_at(each.run)}" for each in against)
            raise CommandError(f"seen, though no event permits it: {said}", returncode=CONTRADICTED)
        if ran is not None and (silent := trials.unjudged(ran)):
            said = "; ".join(f"{experiment}: {why}" for experiment, why in silent)
            raise CommandError(f"runs that say nothing: {said}", returncode=NOT_RUN)

    def _run(self, chosen: list[Edge], seed: int) -> list[Trial]:
        ran = []
        with tempfile.TemporaryDirectory(prefix="delivery-lab-") as scratch:
            judge = WarmJudge(Path(scratch) / "judge.sock")
            judge.start()
            try:
                for number, edge in enumerate(chosen, start=1):
                    self.stderr.write(f"{number} of {len(chosen)}  {_drawn(edge)}")
                    ran.append(trials.carry_out(edge, seed + number - 1, judge.socket))
                    for each in trials.observed(ran[-1:]):
                        self.stderr.write(f"    {each.name}: saw {_words(each.seen)}")
            finally:
                judge.stop()
        return ran


def _chosen(options: dict[str, Any]) -> list[Edge]:
    known = {event.name for event in all_events()}
    for name in options["event"]:
        if name not in known:
            message = f"--event {name}: there is none; there are {', '.join(sorted(known))}"
            raise CommandError(message, returncode=BAD_INPUT)
    if options["most"] is not None and options["most"] < 1:
        raise CommandError("--most takes a whole number from 1 on", returncode=BAD_INPUT)
    wanted = set(options["event"]) or known
    drawn = [edge for edge in edges(options["seed"]) if edge.event.name in wanted]
    return drawn[: options["most"]]


def _drawn(edge: Edge) -> str:
    sides = (
        f"{value} permits {_words(permitted(edge.event, side))}"
        for value, side in zip(edge.values(), edge.sides, strict=True)
    )
    return f"{edge.event.name}: {edge.key[0]} {edge.key[1]}: {'; '.join(sides)}"


def _told(section: Section) -> list[str]:
    lines = [f"{section.event.name} ({section.runs} runs)"]
    for row in section.rows:
        never = f"  ({row.why_never})" if row.why_never and not row.possible.seen else ""
        lines.append(
            f"  {row.anomaly:<18} predicted possible: seen in {_of(row.possible)}   "
            f"predicted impossible: seen in {_of(row.impossible)}{never}"
        )
    return lines


def _of(side: Side) -> str:
    return f"{len(side.seen)} of {len(side.runs)}"


def _words(anomalies: frozenset[Any]) -> str:
    return ", ".join(sorted(anomalies)) or "nothing"


def _at(run: Observed) -> str:
    return f"{run.name} ({run.link})"


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
    return {"arm": run.name, "link": run.link}
