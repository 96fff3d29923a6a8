"""Shortens an error to a sentence for a page; the full text goes to the run's log."""

from __future__ import annotations

import re
import sys
import traceback
from contextlib import suppress

MOST = 400
"""The most characters of the sentence."""

_READ = 4_000
"""Characters of a line that are looked at. Anybody may have written it, and the searches take four
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
    """One line without a trace, an absolute path or a port.

    Of a trace its cause is kept: the last `Caused by` of Java, the last line of Python.
    """
    head, *rest = str(problem).strip().partition(_TRACEBACK)[0].strip().splitlines() or [""]
    lines = str(problem).strip().splitlines()
    head = head[:_READ]
    if rest or _TRACEBACK in str(problem):
        cause = _cause(lines[1:])[:_READ]
        head = _EDGES.sub("", head)
        head = f"{head}: {cause}" if cause and cause not in head else head
    head = _EDGES.sub("", _PORT.sub(r"\1", _PATH.sub(r"\1", _AT_PORT.sub("", head))))
    return head if len(head) <= MOST else f"{head[: MOST - 1].rstrip()}…"


def report(problem: object) -> str:
    """The sentence; what it leaves out goes to standard error, which is the run's log."""
    text = sentence(problem)
    if text != str(problem):
        _log(f"{problem}\n")
    return text


def log_trace() -> None:
    """Writes the trace of the error that is being handled to standard error, the run's log."""
    _log(traceback.format_exc())


def _log(text: str) -> None:
    # What cannot be logged is still said: a full disk is a reason like any other.
    with suppress(OSError):
        sys.stderr.write(text)
        sys.stderr.flush()


def _cause(lines: list[str]) -> str:
    names = [line.strip() for line in lines if _CAUSE.fullmatch(line.strip())]
    causes = [line for line in names if line.startswith("Caused by: ")]
    if causes:
        return causes[-1].removeprefix("Caused by: ")
    if not names and len(lines) == 1:
        return lines[0].strip()
    return names[-1] if names else ""
