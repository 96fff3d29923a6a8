"""The known name that an unknown one probably means."""

from __future__ import annotations

from difflib import SequenceMatcher, get_close_matches
from functools import lru_cache

LONGEST = 100
"""How many characters of an unknown name are compared."""
NEAR = 0.6
"""The least similarity (0 to 1, `difflib.SequenceMatcher.ratio`) that is worth a question."""


def nearest(name: str, known: frozenset[str], cutoff: float = NEAR) -> str | None:
    """The known name that is most similar to `name`, at least `cutoff`, which is `NEAR` or more."""
    near, ratio = _nearest(name[:LONGEST], known)
    return near if ratio >= cutoff else None


# One search answers for every cutoff: among hundreds of names it takes some milliseconds, and a
# file asks for one name several times.
@lru_cache(maxsize=1024)
def _nearest(name: str, known: frozenset[str]) -> tuple[str | None, float]:
    near = get_close_matches(name, sorted(known), n=1, cutoff=NEAR)
    # The order of the two is difflib's own: the ratio depends on it.
    return (near[0], SequenceMatcher(None, near[0], name).ratio()) if near else (None, 0.0)
