"""Commands whose reader closes the pipe before the end of the output."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from config.broken_pipe import UNREAD, quiet_when_unread
from config.settings import BASE_DIR

pytestmark = pytest.mark.process

MANAGE = str(BASE_DIR / "manage.py")


@pytest.mark.parametrize("arguments", [["scenarios", "--lines"], ["help"]], ids=" ".join)
@pytest.mark.parametrize("buffering", ["1", ""], ids=["unbuffered", "flushed at the end"])
def test_a_command_whose_reader_has_closed_the_pipe_ends_without_a_traceback(
    arguments: list[str], buffering: str
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        completed = subprocess.run(
            [sys.executable, MANAGE, *arguments], stdout=writer, stderr=subprocess.PIPE, text=True,
            timeout=120, check=False, env={**os.environ, "MANAGEUNBUFFERED": buffering},
        )  # fmt: skip
    finally:
        os.close(writer)
    assert (completed.returncode, completed.stderr) == (UNREAD, "")


def test_a_broken_pipe_inside_the_command_is_an_ordinary_error() -> None:
    with pytest.raises(BrokenPipeError), quiet_when_unread():
        raise BrokenPipeError
