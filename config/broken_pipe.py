"""Ends a command quietly when its output is closed: `manage.py scenarios | head`."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

UNREAD = 141
"""The exit code then: 128 + SIGPIPE, as of any program that a shell sees end so."""


@contextmanager
def quiet_when_unread() -> Iterator[None]:
    """Ends the process with `UNREAD`, and without a traceback, once its output has no reader.

    What the block holds open is closed first: the signal itself would leave brokers running.
    A pipe or socket of the block's own that breaks is not the output: its error is raised.
    """
    try:
        try:
            yield
        finally:
            sys.stdout.flush()  # else Python does it at its end, and complains
    except BrokenPipeError:
        unread = [stream for stream in (sys.stdout, sys.stderr) if _unread(stream)]
        if not unread:
            raise
        for stream in unread:
            _discard(stream)
        raise SystemExit(UNREAD) from None


def _unread(stream: TextIO) -> bool:
    """Whether it is a pipe or a socket without a reader."""
    poll = select.poll()
    with suppress(ValueError, OSError):  # no file at all, as in a test
        poll.register(stream.fileno(), 0)  # an error is always told
        return any(event & select.POLLERR for _, event in poll.poll(0))
    return False


def _discard(stream: TextIO) -> None:
    """Discards later output, including what Python flushes at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
