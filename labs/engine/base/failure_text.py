"""Shortens an error to a sentence for a page. The full text goes to the run's log."""

from __future__ import annotations

import re
import sys
import traceback
from contextlib import suppress

MOST = 400
"""The maximum length of the sentence."""

_MAX_LINE = 4_000
"""The maximum length of a searched line. A line may come from anywhere, and the searches take four
times as long on a line of twice the length."""

_TRACEBACK = "Traceback (most recent call last)"
_CAUSE = re.compile(r"(?:Caused by: )?(?:[\w$]+\.)*[A-Z]\w*(?:Error|Exception|Failed|Timeout)\b.*")
_PATH = re.compile(
    r"(?:\bfile:/*)?(?<![\w.~/])/(?:[^\s/:;,'\"()\[\]<>]+/)*([^\s/:;,'\"()\[\]<>]+)/?"
)
_PORT = re.compile(
    r"(\blocalhost|\b(?:\d{1,3}\.){3}\d{1,3}|\[[0-9a-f:]+\]|\b(?:[\w-]+\.)+[a-z]{2,}):\d{2,5}\b"
)

_AT_PORT = re.compile(r"(?: at| on)? port \d+")
_EDGES = re.compile(r"^[\s:]+|[\s:]+$")


def sentence(problem: object) -> str:
    """Returns one line without a stack trace, absolute paths or ports.

    Of a stack trace it keeps the cause: the last `Caused by` of Java, the last line of Python.
    """
    head, *rest = str(problem).strip().partition(_TRACEBACK)[0].strip().splitlines() or [""]
    lines = str(problem).strip().splitlines()
    head = head[:_MAX_LINE]
    if rest or _TRACEBACK in str(problem):
        cause = _cause(lines[1:])[:_MAX_LINE]
        head = _EDGES.sub("", head)
        head = f"{head}: {cause}" if cause and cause not in head else head
    head = _EDGES.sub("", _PORT.sub(r"\1", _PATH.sub(r"\1", _AT_PORT.sub("", head))))
    return head if len(head) <= MOST else f"{head[: MOST - 1].rstrip()}…"


def report(problem: object) -> str:
    """Returns the sentence; the omitted text goes to standard error, which is the run's log."""
    text = sentence(problem)
    if text != str(problem):
        _log(f"{problem}\n")
    return text


def log_trace() -> None:
    """Writes the stack trace of the current error to standard error, the run's log."""
    _log(traceback.format_exc())


def _log(text: str) -> None:
    # The sentence is still reported if the log cannot be written, for example on a full disk.
    with suppress(OSError):
        sys.stderr.write(text)
        sys.stderr.flush()


def _cause(lines: list[str]) -> str:
    errors = [line.strip() for line in lines if _CAUSE.fullmatch(line.strip())]
    causes = [line for line in errors if line.startswith("Caused by: ")]
    if causes:
        return causes[-1].removeprefix("Caused by: ")
    if not errors and len(lines) == 1:
        return lines[0].strip()
    return errors[-1] if errors else ""
