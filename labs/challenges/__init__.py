"""Challenges: settings against a failure on real brokers, each a file here.

`docs/contributing/challenge.md` says how to write one. No code names any of them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from labs.challenges.daily import of_day, seed_of
from labs.challenges.grading import (
    FAILED,
    PASSED,
    UNKNOWN,
    Grade,
    Played,
    Stated,
    grade,
    grade_case,
)
from labs.challenges.loading import ChallengeError, files, load
from labs.challenges.model import KINDS, LEVELS, Challenge, Condition

__all__ = [
    "FAILED",
    "KINDS",
    "LEVELS",
    "PASSED",
    "UNKNOWN",
    "Challenge",
    "ChallengeError",
    "Condition",
    "Grade",
    "Played",
    "Stated",
    "all_challenges",
    "find",
    "grade",
    "grade_case",
    "of_day",
    "seed_of",
]


@cache
def all_challenges() -> tuple[Challenge, ...]:
    """Every challenge, by level and then in the order of their files. Raises `ChallengeError`."""
    challenges = [load(file) for file in files(Path(__file__).parent)]
    return tuple(sorted(challenges, key=lambda challenge: (challenge.level, challenge.order)))


def find(name: str) -> Challenge:
    """Raises `LookupError` for a challenge that does not exist."""
    for challenge in all_challenges():
        if challenge.name == name:
            return challenge
    raise LookupError(name)
