"""What the commands share that prove something on real brokers."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError

NOT_PROVEN, BAD_INPUT, NOT_RUN, INTERRUPTED = 1, 2, 3, 130
"""Exit codes."""


def check_draws(options: dict[str, Any]) -> None:
    """Raises `CommandError` unless `--runs` and `--seed` are numbers that can be run."""
    if options["runs"] < 1 or not 0 <= options["seed"] < 2**31:
        message = "--runs takes a number above 0, --seed one from 0 to 2147483647"
        raise CommandError(message, returncode=BAD_INPUT)


@contextmanager
def brokers_end_first() -> Iterator[None]:
    """Lets Ctrl-C and SIGTERM, by which `timeout` ends us, unwind the block: brokers end first."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        message = "interrupted: everything was ended"
        raise CommandError(message, returncode=INTERRUPTED) from None
