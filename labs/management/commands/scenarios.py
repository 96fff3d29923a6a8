"""`manage.py scenarios`: the failures that can be staged."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError, CommandParser

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
            help="the table of scenarios by line of brokers: how many of the judged arms were as "
            "expected",
        )
        parser.add_argument(
            "--zookeeper", action="store_true", help="with --lines: of brokers with ZooKeeper"
        )
        parser.add_argument(
            "--modes",
            action="store_true",
            help="the table of scenarios by mode: the lines in KRaft mode, those with ZooKeeper",
        )
        parser.add_argument("--json", action="store_true", help="as data, for other programs")

    def handle(self, *args: object, **options: Any) -> None:
        if options["zookeeper"] and not options["lines"]:
            raise CommandError("--zookeeper is for the table of --lines: add --lines")
        if options["lines"]:
            self._lines(as_data=options["json"], zookeeper=options["zookeeper"])
            return
        if options["modes"] and not options["json"]:
            self._modes()
            return
        if options["json"]:
            rows = [
                {
                    "name": scenario.name, "title": scenario.title, "story": scenario.story,
                    "shows": scenario.shows, "certainty": scenario.certainty,
                    "lines": {"kraft": scenario.lines, "zookeeper": scenario.zookeeper_lines},
                    "why_no_zookeeper": scenario.why_no_zookeeper,
                }
                for scenario in all_scenarios()
            ]  # fmt: skip
            self.stdout.write(json.dumps(rows, indent=2))
            return
        for scenario in all_scenarios():
            self.stdout.write(
                f"{scenario.name}\n  {scenario.title}\n  shows: {', '.join(scenario.shows)}"
            )
            self.stdout.write(f"  {scenario.certainty}")
            self.stdout.write(f"  runs on: {scenario.runs_on}")

    def _modes(self) -> None:
        width = max(len(scenario.name) for scenario in all_scenarios())
        self.stdout.write(f"{'':{width}}  KRaft       with ZooKeeper")
        for scenario in all_scenarios():
            kraft = f"{scenario.lines[-1]} to {scenario.lines[0]}"
            zookeeper_lines = scenario.zookeeper_lines
            without = f"- {scenario.why_no_zookeeper}"
            modes = f"{zookeeper_lines[-1]} to {zookeeper_lines[0]}" if zookeeper_lines else without
            self.stdout.write(f"{scenario.name:{width}}  {kraft}  {modes}")

    def _lines(self, *, as_data: bool, zookeeper: bool) -> None:
        table = lines.table(zookeeper=zookeeper)
        if as_data:
            data = {name: {k: asdict(v) for k, v in row.items()} for name, row in table.items()}
            self.stdout.write(json.dumps(data, indent=2))
            return
        heads = list(dict.fromkeys(line for row in table.values() for line in row))
        width = max(map(len, table))
        self.stdout.write(f"{'':{width}} " + " ".join(f"{head:>8}" for head in heads))
        for name, row in table.items():
            cells = " ".join(f"{row[head]!s:>8}" if head in row else f"{'-':>8}" for head in heads)
            self.stdout.write(f"{name:{width}} {cells}")
        for scenario in all_scenarios():
            since = scenario.zookeeper_since if zookeeper else scenario.since
            if zookeeper and scenario.why_no_zookeeper:
                why = f"not with ZooKeeper: {scenario.why_no_zookeeper}"
            elif since and scenario.why_since:
                why = f"from Kafka {since} on: {scenario.why_since}"
            else:
                continue
            self.stdout.write(f"{scenario.name}: {why}")
