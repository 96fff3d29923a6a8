"""Durations as people write them, `2 days` or `1 h 30 min`, for settings in milliseconds."""

from __future__ import annotations

import re
from decimal import Decimal

_UNITS = {
    "ms": 1, "millisecond": 1, "milliseconds": 1,
    "s": 1000, "sec": 1000, "second": 1000, "seconds": 1000,
    "min": 60_000, "minute": 60_000, "minutes": 60_000,
    "h": 3_600_000, "hour": 3_600_000, "hours": 3_600_000,
    "d": 86_400_000, "day": 86_400_000, "days": 86_400_000,
    "week": 604_800_000, "weeks": 604_800_000,
}  # fmt: skip
_SPOKEN_UNITS = (("day", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000), ("ms", 1))
_PART = r"([0-9]{1,15}(?:\.[0-9]{1,6})?)\s*([a-z]+)"
_WHOLE = re.compile(rf"(?:{_PART}\s*(?:,\s*)?)+")
MALFORMED = "is a duration: write 30 s, 1 h 30 min, 2 days, or a number of milliseconds"


def milliseconds(text: str) -> str | None:
    """Returns `172800000` for `2 days`; None if the text is not a duration in words.

    A plain number is in milliseconds already; the catalog judges it, like any other text.
    """
    words = text.strip().lower()
    if not words.isascii() or not _WHOLE.fullmatch(words):
        return None
    total = Decimal(0)
    for number, unit in re.findall(_PART, words):
        if unit not in _UNITS:
            return None
        total += Decimal(number) * _UNITS[unit]
    return str(int(total)) if total == int(total) else None


def spoken(text: str) -> str:
    """Returns `2 days` for `172800000`; empty unless it is a positive integer of milliseconds."""
    if not (text.isascii() and text.isdigit()) or len(text) > 15 or int(text) == 0:
        return ""
    remaining, words = int(text), []
    for unit, size in _SPOKEN_UNITS:
        number, remaining = divmod(remaining, size)
        if number:
            words.append(f"{number} {unit}{'s' if unit == 'day' and number > 1 else ''}")
    return " ".join(words)


def is_duration(name: str) -> bool:
    """Whether a field is a setting in milliseconds."""
    return name.endswith(".ms")
