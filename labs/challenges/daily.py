"""The challenge of a day: the same one, on the same schedule, for everybody on that date."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import date

from labs.challenges.model import Challenge


def of_day(day: date, challenges: Sequence[Challenge]) -> Challenge:
    """The challenge of a date; all installations with the same challenges have the same."""
    return challenges[seed_of(day) % len(challenges)]


def seed_of(day: date) -> int:
    """The seed of a date, from which its schedule is drawn; 31 bits, as every drawn seed has.

    A digest and not the ordinal, so that one day does not follow from the one before.
    """
    digest = hashlib.sha256(f"challenge {day.isoformat()}".encode()).digest()
    return int.from_bytes(digest[:4]) >> 1
