"""`manage.py scenarios`: the failures that can be staged."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from labs.engine.scenarios import all_scenarios


class Command(BaseCommand):
    help = "Lists the failures that can be staged on disposable clusters of real brokers."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="as data, for other programs")

    def handle(self, *args: object, **options: Any) -> None:
        if options["json"]:
            rows = [
                {
                    "name": each.name, "title": each.title, "story": each.story,
                    "shows": each.shows, "certainty": each.certainty,
                }
                for each in all_scenarios()
            ]  # fmt: skip
            self.stdout.write(json.dumps(rows, indent=2))
            return
        for each in all_scenarios():
            self.stdout.write(f"{each.name}\n  {each.title}\n  shows: {', '.join(each.shows)}")
            self.stdout.write(f"  {each.certainty}")
