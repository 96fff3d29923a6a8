"""What our commands share: options that are typed whole, and exit codes."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

BAD_INPUT, NOT_RUN, INTERRUPTED = 2, 3, 130
"""Exit codes: options or files are wrong; what was asked for could not be run; Ctrl-C."""


class ExactCommand(BaseCommand):
    """A command that takes no option for another.

    argparse takes a prefix for the whole: `advise --set acks=1` was Django's `--settings`, and the
    answer that of the defaults.
    """

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(prog_name, subcommand, **{"allow_abbrev": False, **kwargs})


def bad_input(message: str) -> CommandError:
    """The error of a command whose options or files are wrong."""
    return CommandError(message, returncode=BAD_INPUT)
