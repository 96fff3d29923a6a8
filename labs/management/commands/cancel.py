"""`manage.py cancel NAME…`: ends queued or running experiments of any visitor."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from advisor.management.exact import ExactCommand
from labs.runs import lifecycle


class Command(ExactCommand):
    """For an operator: a visitor can cancel only experiments of the same browser or account."""

    help = "Ends experiments that wait or run; NAME is the last part of the page's address."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("names", nargs="+", metavar="NAME")

    def handle(self, *args: object, **options: Any) -> None:
        unknown = []
        for name in options["names"]:
            if lifecycle.cancel(name, "an operator"):
                self.stdout.write(f"{name} is cancelled.")
            else:
                unknown.append(name)
        if unknown:
            text = ", ".join(unknown)
            raise CommandError(f"No experiment of this name waits or runs: {text}.", returncode=2)
