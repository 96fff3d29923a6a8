"""`manage.py incidents`: known bugs, staged on the releases that had them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from confluent_kafka import KafkaException
from django.core.management.base import CommandParser
from packaging.version import Version

from advisor.management.exact import ExactCommand, bad_input
from labs.engine.base.wait import WaitTimeout
from labs.engine.distributions.distribution import WrongChecksum
from labs.engine.distributions.download import DownloadFailed
from labs.engine.distributions.java import JavaMissing
from labs.incidents import Incident, all_incidents, find, record
from labs.incidents.model import SIDES
from labs.incidents.programs import ProgramFailed
from labs.incidents.record import Played
from labs.incidents.verify import Side, verify
from labs.management import proving

_MOST_TIMES = 100
_NOTHING = "--on: {} is not run there; its page says why"
_HISTORICAL = (
    "* historical: this release runs for incidents only. Only this machine can reach it, and no "
    "experiment offers it."
)
_TROUBLE = (
    DownloadFailed, WrongChecksum, JavaMissing, WaitTimeout, ProgramFailed, ChildProcessError,
    KafkaException, TimeoutError,
)  # fmt: skip


class Command(ExactCommand):
    """Exit codes: 0, 1 an incident is not proven, 2 the input is wrong, 3 it was not run."""

    help = "Lists the incidents, and plays them on the releases with the bug and without it."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        proving.add_options(
            parser,
            "ID",
            "play these, or all, on real brokers: the harm has to be seen in every play on the "
            "affected release, and in none on the fixed release or on today's",
        )
        parser.add_argument(
            "--kept",
            action="store_true",
            help="show what was seen in the plays that ship with this release; nothing is run",
        )
        parser.add_argument(
            "--on", nargs="+", choices=SIDES, help="with --verify: on these releases only"
        )
        parser.add_argument(
            "--times", type=int, default=5, metavar="N",
            help="with --verify: how many plays on each release; default 5",
        )  # fmt: skip
        parser.add_argument(
            "--keep", type=Path, metavar="FILE", help="with --verify: write the results to FILE"
        )
        parser.add_argument(
            "--add",
            action="store_true",
            help="with --keep: add to the plays that FILE has, instead of replacing them",
        )

    def handle(self, *args: object, **options: Any) -> None:
        if options["verify"] is not None:
            every = {incident.id: incident for incident in all_incidents()}
            self._verify(proving.chosen(options["verify"], find, every, "incident"), options)
        elif misplaced := [f"--{name}" for name in ("keep", "on") if options[name] is not None]:
            raise bad_input(f"{misplaced[0]} is for --verify")
        elif options["add"]:
            raise bad_input("--add is for --keep")
        elif options["kept"]:
            self._report(record.shipped(), as_data=options["json"])
        elif options["json"]:
            self.stdout.write(json.dumps([_data(item) for item in all_incidents()], indent=2))
        else:
            for incident in all_incidents():
                self.stdout.write(_line(incident))
            self.stdout.write(_HISTORICAL)

    def _report(self, plays: Sequence[Played], *, as_data: bool) -> None:
        proving.finish(
            self, as_data, plays, _table(plays), lambda p: f"{p.incident} on {p.release}"
        )

    def _verify(self, incidents: list[Incident], options: dict[str, Any]) -> None:
        if not 1 <= options["times"] <= _MOST_TIMES:
            raise bad_input(f"--times takes a number from 1 to {_MOST_TIMES}")
        times, sides = options["times"], options["on"] or SIDES

        def keep_batch(batch: list[Side]) -> None:
            if options["keep"]:
                rows = map(record.played, batch)
                record.keep(rows, options["keep"], adding=options["add"])

        batches = (list(verify(item, times, self.stderr.write, sides)) for item in incidents)
        results = proving.collect(batches, keep_batch, _TROUBLE, "not run: ")
        if not results:
            raise bad_input(_NOTHING.format(incidents[0].id))
        self._report([record.played(side) for side in results], as_data=options["json"])


def _line(incident: Incident) -> str:
    releases = (f"{release}{'*' * (release in incident.historical)}"
                for release in (incident.affected, incident.fixed))  # fmt: skip
    return f"{incident.id:16} {' -> '.join(releases)}  {incident.title}"


def _data(incident: Incident) -> dict[str, Any]:
    return {
        "id": incident.id,
        "title": incident.title,
        "component": incident.component,
        "affected": incident.affected,
        "fixed": incident.fixed,
        "historical": sorted(incident.historical, key=Version),
        "incident": incident.id,
        "harm": incident.harm,
        "sources": list(incident.sources),
    }


def _table(plays: Sequence[Played]) -> str:
    """Returns one line per incident: the plays with the harm, on each side."""
    rows: dict[str, dict[str, str]] = {}
    for play in plays:
        cell = f"{play.shown} of {play.times} on {play.release}"
        rows.setdefault(play.incident, {})[play.side] = cell
    sides = [side for side in SIDES if any(side in row for row in rows.values())]
    cells = {name: [row.get(side, "–") for side in sides] for name, row in rows.items()}
    return proving.table("incident", sides, cells, (16, 22))
