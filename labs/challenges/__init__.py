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
    """Returns every challenge, by level, then by file order. Raises `ChallengeError`."""
    challenges = [load(file) for file in files(Path(__file__).parent)]
    return tuple(sorted(challenges, key=lambda challenge: (challenge.level, challenge.order)))


def find(name: str) -> Challenge:
    """Returns a challenge. Raises `LookupError` if it does not exist."""
    for challenge in all_challenges():
        if challenge.name == name:
            return challenge
    raise LookupError(name)


def daily_challenge(day: date, challenges: Sequence[Challenge]) -> Challenge:
    """Returns the challenge of a date; it is the same wherever the challenges are the same."""
    return challenges[daily_seed(day) % len(challenges)]


def daily_seed(day: date) -> int:
    """Returns the seed of a date, which determines its schedule; like every seed it has 31 bits.

    It is a digest, so that consecutive days have unrelated schedules.
    """
    digest = hashlib.sha256(f"challenge {day.isoformat()}".encode()).digest()
    return int.from_bytes(digest[:4]) >> 1
