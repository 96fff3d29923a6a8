"""`manage.py` on a terminal: lines fit it, only errors are red, and NO_COLOR takes all colours."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

MANAGE = str(Path(__file__).resolve().parents[2] / "manage.py")
ADVISE = ("advise", "--set", "producer.acks=1", "--want")
RED = "\x1b[31;1m"


def on_terminal(columns: int, *arguments: str, **environment: str) -> str:
    """What a person sees on a terminal that has so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    clean = {name: text for name, text in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    with subprocess.Popen(
        [sys.executable, MANAGE, *arguments], stdin=theirs, stdout=theirs, stderr=theirs,
        env={**clean, "TERM": "xterm", **environment},
    ):  # fmt: skip
        os.close(theirs)
        text = b""
        try:
            while part := os.read(ours, 65_536):
                text += part
        except OSError:  # the other side of a terminal is closed
            pass
    os.close(ours)
    return text.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("columns", [50, 80])
def test_a_report_fits_a_narrow_terminal(columns: int) -> None:
    text = on_terminal(columns, *ADVISE, "at-least-once")
    assert "NO: at-least-once" in text
    assert [line for line in text.splitlines() if len(line) > columns] == []


def test_notes_have_no_colour_of_errors() -> None:
    text = on_terminal(100, *ADVISE, "at-least-once")
    assert "--survive was not stated: 1 is taken." in text
    assert "\x1b" not in text


def test_an_error_is_red_unless_the_environment_takes_the_colours() -> None:
    wrong = (*ADVISE, "always")
    assert f"{RED}CommandError: --want" in on_terminal(100, *wrong)
    assert "\x1b" not in on_terminal(100, *wrong, NO_COLOR="1")
