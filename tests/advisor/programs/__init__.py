"""Asserts the answer to a program, and names the expected facts."""

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
    """Asserts that a program with a safe topic gets YES, or NO because of the expected fact."""
    stated = f"{TOPIC} application.restart=resumes {settings}"
    assert_file(path, code, "", stated, 0 if expected == YES else 1, expected)
