"""What is expected of an answer to a program, and how it is asked for one."""

from __future__ import annotations

from pathlib import Path

from tests.advisor.configurations.asking import TOPIC, assert_file

YES = "^YES"
BEFORE = "application.commit=before-processing"
SKIP = "application.processing.errors=skip"
CLOSE = "application.processing.errors=close"
ASIDE = "application.processing=asynchronous"
IGNORED = "application.delivery.errors=ignored"


def assert_program(path: Path, code: str, expected: str, settings: str = "") -> None:
    """The answer to a program whose topic is safe: `YES`, or NO for the fact that is expected."""
    stated = f"{TOPIC} application.restart=resumes {settings}"
    assert_file(path, code, "", stated, 0 if expected == YES else 1, expected)
