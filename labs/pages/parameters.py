"""Validates numbers and names from an address or a form."""

from __future__ import annotations

import re

_MOST_DIGITS = 18
"""The longest number that fits into the 64 bits of the database and the ledger."""


def whole_number(text: str) -> int | None:
    """Returns the number in plain digits; None for anything else, and for more than 18 digits.

    >>> whole_number("12"), whole_number("-1"), whole_number("²"), whole_number("9" * 5000)
    (12, None, None, None)
    """
    is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if is_number else None


def slug(text: str) -> str:
    """Returns the text if it can be the slug of a description or an experiment; otherwise empty.

    PostgreSQL rejects some texts in a query, such as one with a zero byte.

    >>> slug("ah7kkzwc"), slug("a\\0b"), slug("../etc")
    ('ah7kkzwc', '', '')
    """
    return text if re.fullmatch(r"[a-z0-9]+", text) else ""
