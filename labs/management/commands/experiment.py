"""`manage.py experiment`: one experiment in the foreground, without worker, Redis or web."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from advisor.management.exact import NOT_RUN, ExactCommand, bad_input
from labs.calibration.fingerprint import fingerprint
from labs.engine.base.cache import cache_dir
from labs.engine.plan.spec import ExperimentSpec
from labs.engine.run.launch import Launch, RunnerDied
from labs.evidence.bench import bench
from labs.management import experiment_request as request
from labs.management.proving import brokers_end_first
from labs.pages import pace, sentences
from labs.runs import across
from labs.runs.repeating import unbounded, until_bound

_ON_KRAFT = "is staged in KRaft mode only"


class Command(ExactCommand):
    """Exit codes: 0 it was run, 2 the input is wrong, 3 an arm could not be run."""

    help = (
        "Stages a failure on disposable clusters of real brokers, counts what became of every "
        "message, and keeps the ledgers. Progress goes to standard error, the result to standard "
        "output."
    )
    requires_system_checks = ()
    _failed = False
    _judge: Path | None = None
    """The socket of a judge that is kept warm between several runs."""

    def add_arguments(self, parser: CommandParser) -> None:
        request.add_arguments(parser)

    def handle(self, *args: object, **options: Any) -> None:
        if options["seed"] is None:
            options["seed"] = secrets.randbelow(2**31)
        lines = request.lines(options)
        spec = request.experiment_spec(options)
        share, minutes = request.repetition(options)
        if note := sentences.substitution(spec):
            self.stderr.write(note)
        cache_dir()  # if it cannot be used, the command ends here
        with brokers_end_first():
            if lines:
                self._across(lines, options)
                return
            if share is not None:
                self._repeat(spec, share, minutes * 60, as_data=options["json"])
                return
            result = self.run_once(spec)
        self.stdout.write(json.dumps(result, indent=2) if options["json"] else _summary(result))
        if self._failed:
            raise CommandError("an arm could not be run or judged", returncode=NOT_RUN)

    def _across(self, lines: Sequence[str], options: dict[str, Any]) -> None:
        search = request.search(lines, options)
        rows: list[across.Row] = []
        if options["keep"]:  # a file of another request is rejected before any run
            _keep((), options)
        with bench("across-") as (_, self._judge):
            for row in across.run_over(search, partial(self._line, options)):
                rows.append(row)
                if options["keep"]:  # immediately, so that an interruption loses nothing
                    _keep([row], options)
        changes = across.changes(rows, options["scenario"])
        data = request.requested_lines(options) | across.as_data(rows, changes)
        self.stdout.write(
            json.dumps(data, indent=2)
            if options["json"]
            else across.report(rows, changes, options["arms"].split(","))
        )
        if self._failed:
            raise CommandError("an arm could not be run or judged", returncode=NOT_RUN)

    def _line(self, options: dict[str, Any], line: str) -> across.Row:
        """Returns the row of a line or a release; it has a reason if nothing can be run there."""
        try:
            spec = request.spec_on({**options, "kafka": line})
        except CommandError as cannot:
            self.stderr.write(f"Kafka {line}: {cannot}")
            return across.Row(line, why_not=str(cannot))
        if note := sentences.substitution(spec):  # no other line may replace the one of the row
            self.stderr.write(f"Kafka {line}: {note}")
            return across.Row(line, why_not=f"{options['scenario']} {_ON_KRAFT}")
        self.stderr.write(f"Kafka {line}")
        arms = self.run_once(spec)["arms"]
        first, counts = request.on_release(options, spec.kafka), arms[0]["counts"]
        return across.Row(
            line,
            {arm["name"]: arm["verdict"] for arm in arms},
            first,
            across.permitted(first, options["scenario"]),
            across.refuted(first, options["scenario"], counts),
            zookeeper=spec.zookeeper,
            seen=across.forbidden(first, counts),
            release=spec.kafka,
            date=timezone.now().date().isoformat(),
            code=fingerprint(options["scenario"]),
        )

    def _repeat(self, spec: ExperimentSpec, share: float, seconds: float, *, as_data: bool) -> None:
        tallies = until_bound(spec, share, seconds, self.run_once)
        self.stdout.write(
            json.dumps([{**asdict(tally), "says": str(tally)} for tally in tallies], indent=2)
            if as_data
            else "\n".join(map(str, tallies))
        )
        if unbounded_arms := unbounded(tallies, share):
            names = ", ".join(run.name for run in unbounded_arms)
            message = f"stopped before the bound of {share:g} holds: {names}"
            raise CommandError(message, returncode=NOT_RUN)

    def run_once(self, spec: ExperimentSpec) -> dict[str, Any]:
        result: dict[str, Any] = {}
        try:
            with Launch(spec, _folder(spec), self._judge) as running:
                for event in running:
                    self._report_event(event)
                    result = event.get("experiment") or result
                    self._failed = self._failed or event["event"] == "error"
        except RunnerDied as died:
            raise CommandError(str(died), returncode=NOT_RUN) from died
        return result

    def _report_event(self, event: dict[str, Any]) -> None:
        if event["event"] == "phase":
            words = pace.PHASES.get(event["phase"], event["phase"])
            words = f"{words}: {event['detail']}" if "detail" in event else words
            self.stderr.write(f"{event['at_s']:6.1f} s  {event['arm']}: {words}")
        elif event["event"] == "error":
            self.stderr.write(f"{event['at_s']:6.1f} s  {event['arm']}: {event['message']}")
        elif event["event"] == "fault" and event["phase"] != "invoke":
            words = f"{event['fault']} of {event['target']}: {event['evidence']}"
            self.stderr.write(f"{event['at_s']:6.1f} s  {event['arm']}: {words}")


def _keep(new: Sequence[across.Row], options: dict[str, Any]) -> None:
    """Adds rows to a file; the causes of its changes are computed again with today's rules."""
    file: Path = options["keep"]
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise bad_input(f"--keep {file}: this file cannot be written")
    fresh = request.requested_lines(options) | across.as_data(new, ())
    try:
        stored = json.loads(file.read_text("utf-8")) if file.exists() else {**fresh, "rows": []}
        rows = across.merged(fresh, stored)
        all_rows = [
            across.from_data(row, request.on_release(options, row["release"] or row["kafka"]))
            for row in rows
        ]
    except (across.AcrossError, KeyError, TypeError, ValueError) as wrong:
        raise bad_input(f"--keep {file.name}: nothing was kept: {wrong}") from wrong
    data = across.as_data(all_rows, across.changes(all_rows, options["scenario"]))
    if new:
        file.write_text(json.dumps(fresh | data, indent=1) + "\n", "utf-8")


def _summary(result: dict[str, Any]) -> str:
    lines = []
    for arm in result["arms"]:
        words = sentences.run_sentence(arm["verdict"], arm, arm["want"])
        lines += [f"{arm['name']}: {arm['verdict']}. {words}", f"  ledger: {arm['ledger']}"]
    return "\n".join(lines)


def _folder(spec: ExperimentSpec) -> Path:
    """Returns a new folder next to those of web experiments; it is never removed automatically."""
    stamp = timezone.now().strftime("%Y%m%d-%H%M%S")
    return Path(settings.LAB_RUNS_DIR) / "by-hand" / f"{stamp}-{spec.seed}-{os.getpid()}"
