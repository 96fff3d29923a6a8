"""Numbers and names that came in an address or a form, where anything may stand."""

from __future__ import annotations

import re

_MOST_DIGITS = 18
"""What the database and the ledger take: a number of so many digits has 64 bits."""


def whole_number(text: str) -> int | None:
    """The number that plain digits say; None for anything else, and for more digits than 18.

    >>> whole_number("12"), whole_number("-1"), whole_number("²"), whole_number("9" * 5000)
    (12, None, None, None)
    """
    sound = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if sound else None


def slug(text: str) -> str:
    """The text if it can be the name of a description or an experiment; else empty, as none is.

    PostgreSQL refuses to look for some texts at all, a zero byte among them.

    >>> slug("ah7kkzwc"), slug("a\\0b"), slug("../etc")
    ('ah7kkzwc', '', '')
    """
    return text if re.fullmatch(r"[a-z0-9]+", text) else ""
