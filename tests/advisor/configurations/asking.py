"""Runs `manage.py advise` as a user does, and holds the settings that most cases state."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from django.core.management import CommandError

from tests.advisor.test_advise import run

TOPIC = "topic.replication.factor=3 topic.min.insync.replicas=2"
JAVA = f"{TOPIC} consumer.auto.offset.reset=earliest application.restart=resumes"
C = f"{JAVA} application.commit=after-processing consumer.enable.auto.commit=false"
SPARK = f"{TOPIC} consumer.startingOffsets=earliest"
STREAMS = f"{TOPIC} streams.replication.factor=3 streams.topic.min.insync.replicas=2"
COPIES = "consumer.auto.offset.reset=earliest application.commit=after-processing "
COPIES += "consumer.enable.auto.commit=false application.restart=resumes"
HASTY = "producer.delivery.timeout.ms=31000"
LRK = "--client librdkafka"


def given(options: str, settings: str) -> tuple[int, str]:
    """Returns the exit code and everything that is printed."""
    stated = [argument for setting in settings.split() for argument in ("--set", setting)]
    try:
        code, out, err = run(*options.split(), *stated, "--verbose")
    except CommandError as error:
        return error.returncode, str(error)
    return int(str(code)), f"{out}\n{err}"


def assert_answer(options: str, settings: str, code: int, expected: str) -> None:
    exit_code, text = given(options, settings)
    assert re.search(expected, " ".join(text.split())), text
    assert exit_code == code, text


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Writes each text to the file of that name, and creates the folder that it is in."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def assert_file(
    path: Path, text: str, options: str, settings: str, code: int, expected: str
) -> None:
    """Asserts the answer for a file with this text; the options come before its path."""
    path.write_text(text)
    assert_answer(f"{options} {path}", settings, code, expected)


def assert_files(
    folder: Path, files: Mapping[str, str], settings: str, code: int, expected: str
) -> None:
    """Asserts the answer for files with these names and texts, passed in this order."""
    write_files(folder, files)
    assert_answer(" ".join(str(folder / name) for name in files), settings, code, expected)


def assert_in_any_order(
    folder: Path, files: Mapping[str, str], settings: str, code: int, expected: str
) -> None:
    """Asserts the answer for these files, passed in this order and in reverse."""
    for names in ([*files], [*files][::-1]):
        ordered = {name: files[name] for name in names}
        assert_files(folder, ordered, settings, code, expected)
