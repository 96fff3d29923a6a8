"""Commands whose reader closes the pipe before the end of the output."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config.broken_pipe import FULL, UNREAD, quiet_when_unread
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


@pytest.mark.parametrize("arguments", [["scenarios", "--lines"], ["help"]], ids=" ".join)
def test_a_command_whose_output_has_no_room_says_so_in_one_line(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        completed = subprocess.run(
            [sys.executable, MANAGE, *arguments], stdout=full, stderr=subprocess.PIPE, text=True,
            timeout=120, check=False,
        )  # fmt: skip
    assert completed.returncode == FULL
    assert completed.stderr == "The output could not be written: No space left on device.\n"


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_command_without_an_output_ends_as_with_one(closed: str) -> None:
    shell = f'exec "$0" "$1" scenarios {closed}'
    completed = subprocess.run(
        ["sh", "-c", shell, sys.executable, MANAGE],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (completed.returncode, completed.stderr) == (0, "")


def test_a_broken_pipe_inside_the_command_is_an_ordinary_error() -> None:
    with pytest.raises(BrokenPipeError), quiet_when_unread():
        raise BrokenPipeError
