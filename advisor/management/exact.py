"""The base of our commands: options that must be typed in full, and exit codes."""

from __future__ import annotations

from shutil import get_terminal_size
from typing import Any, TextIO

from django.core.management.base import (
    BaseCommand,
    CommandError,
    CommandParser,
    OutputWrapper,
)

LINE = 100
"""The number of characters on the longest line of a report."""

BAD_INPUT, NOT_RUN, INTERRUPTED = 2, 3, 130
"""Exit codes: invalid options or files; the run could not start; Ctrl-C."""


class ExactCommand(BaseCommand):
    """A command that does not accept abbreviated options.

    argparse accepts a prefix of an option: `advise --set acks=1` was Django's `--settings`, and the
    answer was that for the defaults.
    """

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(prog_name, subcommand, **{"allow_abbrev": False, **kwargs})

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Runs the command. On a terminal, notes and progress are not written in the colour of
        errors, as Django does with all of stderr."""
        self.stderr.style_func = None
        try:
            return super().execute(*args, **options)
        except BaseException:
            self.stderr.style_func = self.style.ERROR
            raise


def terminal_width(out: TextIO | OutputWrapper) -> int:
    """Returns the width of a terminal, at most that of a report; that of a report for a file."""
    return min(get_terminal_size().columns, LINE) if out.isatty() else LINE


def bad_input(message: str) -> CommandError:
    """The error of a command whose options or files are wrong."""
    return CommandError(message, returncode=BAD_INPUT)
