"""Numbers that came in an address or a form, where anything may stand."""

from __future__ import annotations

_MOST_DIGITS = 18
"""What the database and the ledger take: a number of so many digits has 64 bits."""


def whole_number(text: str) -> int | None:
    """The number that plain digits say; None for anything else, and for more digits than 18.

    >>> whole_number("12"), whole_number("-1"), whole_number("²"), whole_number("9" * 5000)
    (12, None, None, None)
    """
    sound = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if sound else None
