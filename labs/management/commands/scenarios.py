"""`manage.py scenarios`: the failures that can be staged."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from advisor.management.exact import ExactCommand
from labs.calibration import lines
from labs.engine.scenarios import all_scenarios


class Command(ExactCommand):
    help = "Lists the failures that can be staged on disposable clusters of real brokers."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--lines",
            action="store_true",
            help="the table of scenarios by line of brokers: arms that were as they must be, of "
            "those that were judged",
        )
        parser.add_argument(
            "--modes",
            action="store_true",
            help="the table of scenarios by mode: the lines in KRaft mode, those with ZooKeeper",
        )
        parser.add_argument("--json", action="store_true", help="as data, for other programs")

    def handle(self, *args: object, **options: Any) -> None:
        if options["lines"]:
            self._lines(as_data=options["json"])
            return
        if options["modes"] and not options["json"]:
            self._modes()
            return
        if options["json"]:
            rows = [
                {
                    "name": each.name, "title": each.title, "story": each.story,
                    "shows": each.shows, "certainty": each.certainty,
                    "lines": {"kraft": each.lines, "zookeeper": each.zookeeper_lines},
                    "why_no_zookeeper": each.why_no_zookeeper,
                }
                for each in all_scenarios()
            ]  # fmt: skip
            self.stdout.write(json.dumps(rows, indent=2))
            return
        for each in all_scenarios():
            self.stdout.write(f"{each.name}\n  {each.title}\n  shows: {', '.join(each.shows)}")
            self.stdout.write(f"  {each.certainty}")
            self.stdout.write(f"  runs on: {each.runs_on}")

    def _modes(self) -> None:
        width = max(len(each.name) for each in all_scenarios())
        self.stdout.write(f"{'':{width}}  KRaft       with ZooKeeper")
        for each in all_scenarios():
            kraft = f"{each.lines[-1]} to {each.lines[0]}"
            with_it = each.zookeeper_lines
            modes = f"{with_it[-1]} to {with_it[0]}" if with_it else f"- {each.why_no_zookeeper}"
            self.stdout.write(f"{each.name:{width}}  {kraft}  {modes}")

    def _lines(self, *, as_data: bool) -> None:
        table = lines.table()
        if as_data:
            data = {name: {k: asdict(v) for k, v in row.items()} for name, row in table.items()}
            self.stdout.write(json.dumps(data, indent=2))
            return
        heads = list(dict.fromkeys(line for row in table.values() for line in row))
        width = max(map(len, table))
        self.stdout.write(f"{'':{width}} " + " ".join(f"{each:>8}" for each in heads))
        for name, row in table.items():
            cells = " ".join(f"{row[each]!s:>8}" if each in row else f"{'-':>8}" for each in heads)
            self.stdout.write(f"{name:{width}} {cells}")
        for each in (each for each in all_scenarios() if each.why_since):
            self.stdout.write(f"{each.name}: from Kafka {each.since} on: {each.why_since}")
