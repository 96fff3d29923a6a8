"""What our commands share: options that are typed whole."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser


class ExactCommand(BaseCommand):
    """A command that takes no option for another.

    argparse takes a prefix for the whole: `advise --set acks=1` was Django's `--settings`, and the
    answer that of the defaults.
    """

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(prog_name, subcommand, **{"allow_abbrev": False, **kwargs})
