"""Challenges: settings against a failure on real brokers, each a file here.

`docs/contributing/challenge.md` says how to write one. No code names any of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import date
from functools import cache
from pathlib import Path

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
    "daily_challenge",
    "daily_seed",
    "find",
    "grade",
    "grade_case",
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


def daily_challenge(day: date, challenges: Sequence[Challenge]) -> Challenge:
    """The challenge of a date; all installations with the same challenges have the same."""
    return challenges[daily_seed(day) % len(challenges)]


def daily_seed(day: date) -> int:
    """The seed of a date, from which its schedule is drawn; 31 bits, as every drawn seed has.

    A digest and not the ordinal, so that one day does not follow from the one before.
    """
    digest = hashlib.sha256(f"challenge {day.isoformat()}".encode()).digest()
    return int.from_bytes(digest[:4]) >> 1
