"""`manage.py lessons`: the course, in order."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from labs.lessons import all_lessons


class Command(BaseCommand):
    help = "Lists the lessons, in the order of the course."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="as data, for other programs")

    def handle(self, *args: object, **options: Any) -> None:
        if options["json"]:
            rows = [
                {
                    "name": each.name,
                    "title": each.title,
                    "summary": each.summary,
                    "scenario": each.scenario,
                    "arms": [arm.label for arm in each.arms],
                }
                for each in all_lessons()
            ]
            self.stdout.write(json.dumps(rows, indent=2))
            return
        for each in all_lessons():
            self.stdout.write(f"{each.name}\n  {each.title}: {each.summary}")
