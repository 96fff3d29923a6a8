"""The base of our commands: options that must be typed in full, and exit codes."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

BAD_INPUT, NOT_RUN, INTERRUPTED = 2, 3, 130
"""Exit codes: invalid options or files; the run could not start; Ctrl-C."""


class ExactCommand(BaseCommand):
    """A command that does not accept abbreviated options.

    argparse accepts a prefix of an option: `advise --set acks=1` was Django's `--settings`, and the
    answer was that for the defaults.
    """

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(prog_name, subcommand, **{"allow_abbrev": False, **kwargs})


def bad_input(message: str) -> CommandError:
    """The error of a command whose options or files are wrong."""
    return CommandError(message, returncode=BAD_INPUT)
