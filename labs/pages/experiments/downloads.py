"""Ledgers as downloads. The server sends a file without a thread, however slow the reader is.

The JSON Lines of a ledger take seconds of processor time: a separate process writes them once, and
they stay next to the ledger. The zip of the Parquet files is only a copy, and is not kept.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.http import FileResponse

from labs.runs import archive

AT_ONCE = 24
MAKING_AT_ONCE = 2
MAKE_LIMIT_S = 300
RETRY_S = 10

sending = threading.BoundedSemaphore(AT_ONCE)
_making = threading.BoundedSemaphore(MAKING_AT_ONCE)

logger = logging.getLogger(__name__)


class Busy(Exception):
    """Too many requests, or the file could not be written; the message is for the page."""


class Download(FileResponse):
    """A response that holds one of `AT_ONCE` places until it is sent, or the client is gone."""

    def __init__(self, ledger: Path, name: str, *, lines: bool) -> None:
        if not sending.acquire(blocking=False):
            raise Busy(f"{AT_ONCE} ledgers are being downloaded. Try again in {RETRY_S} seconds.")
        self._slots = sending
        self._holds = threading.Lock()
        try:
            file = _lines(ledger, name) if lines else _parquet(ledger, name)
            super().__init__(file, as_attachment=True, filename=f"{name}.zip")
        except BaseException:
            self._slots.release()
            raise

    def close(self) -> None:
        """Releases the place; the server calls it at the end, possibly twice."""
        super().close()
        if self._holds.acquire(blocking=False):
            self._slots.release()


def _parquet(ledger: Path, name: str) -> IO[Any]:
    file = None
    try:
        file = tempfile.TemporaryFile(dir=ledger.parent)  # noqa: SIM115 - the response closes it
        for chunk in archive.parquet(ledger, name):
            file.write(chunk)
        file.seek(0)
    except BaseException as error:
        if file is not None:
            with suppress(OSError):  # closing tries again to write what a full disk rejected
                file.close()
        if isinstance(error, OSError):
            raise _no_room(ledger, error) from None
        raise
    return file


def _no_room(ledger: Path, error: OSError) -> Busy:
    logger.warning("no zip of %s: %s", ledger, error)
    return Busy("The zip could not be written; the server's log says why. Its disk may be full.")


def _lines(ledger: Path, name: str) -> IO[Any]:
    file = ledger.parent / "ledger-jsonl.zip"
    if not file.exists():
        _make(ledger, name, file)
    return file.open("rb")


def _make(ledger: Path, name: str, target: Path) -> None:
    if not _making.acquire(blocking=False):
        raise Busy(
            f"{MAKING_AT_ONCE} ledgers are being written as JSON Lines just now. "
            f"Try again in {RETRY_S} seconds."
        )
    try:
        subprocess.run(
            [sys.executable, "-m", "labs.runs.archive", ledger, name, target],
            check=True, timeout=MAKE_LIMIT_S, cwd=settings.BASE_DIR, capture_output=True,
        )  # fmt: skip
    except (subprocess.SubprocessError, OSError) as error:
        answer = getattr(error, "stderr", None) or b""
        logger.exception("no JSON Lines of %s: %s", ledger, answer.decode(errors="replace")[-2000:])
        raise Busy("The JSON Lines could not be written; the server's log says why.") from None
    finally:
        _making.release()
