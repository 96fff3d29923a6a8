"""Ends a command quietly when its output is closed: `manage.py scenarios | head`.

An output that is full (a disk without room) is one line.
"""

from __future__ import annotations

import errno
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

UNREAD = 141
"""The exit code in that case: 128 + SIGPIPE, as a shell reports it."""

FULL = 74
"""The exit code where the output has no room (EX_IOERR): other codes are answers of commands."""


@contextmanager
def quiet_when_unread() -> Iterator[None]:
    """Ends the process with `UNREAD`, and without a traceback, once its output has no reader.

    The block is unwound first: the signal itself would leave brokers running. An error of another
    pipe or socket is raised. Output that was closed from the beginning (`>&-`) is dropped.
    """
    sys.stdout, sys.stderr = _opened(sys.stdout), _opened(sys.stderr)
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
    except OSError as error:
        if error.errno != errno.ENOSPC or error.filename:
            raise
        sys.stderr.write(f"The output could not be written: {error.strerror}.\n")
        _discard(sys.stdout)
        raise SystemExit(FULL) from None


def _opened(stream: TextIO | None) -> TextIO:
    """The stream; one that drops its text if the process was started without."""
    return stream or Path(os.devnull).open("w", encoding="utf-8")


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
