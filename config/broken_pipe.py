"""Ends a command quietly when its output is closed: `manage.py scenarios | head`."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

UNREAD = 141
"""The exit code in that case: 128 + SIGPIPE, as a shell reports it."""


@contextmanager
def quiet_when_unread() -> Iterator[None]:
    """Ends the process with `UNREAD`, and without a traceback, once its output has no reader.

    The block is unwound first: the signal itself would leave brokers running. An error of another
    pipe or socket is raised.
    """
    try:
        try:
            yield
        finally:
            sys.stdout.flush()  # otherwise Python does it at exit, and reports an error
    except BrokenPipeError:
        unread = [stream for stream in (sys.stdout, sys.stderr) if _has_no_reader(stream)]
        if not unread:
            raise
        for stream in unread:
            _discard(stream)
        raise SystemExit(UNREAD) from None


def _has_no_reader(stream: TextIO) -> bool:
    """Whether it is a pipe or a socket without a reader."""
    poll = select.poll()
    with suppress(ValueError, OSError):  # not a file, as in a test
        poll.register(stream.fileno(), 0)  # errors are always reported
        return any(event & select.POLLERR for _, event in poll.poll(0))
    return False


def _discard(stream: TextIO) -> None:
    """Discards later output, including what Python flushes at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
