"""The known name that an unknown one probably means."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from difflib import SequenceMatcher
from functools import lru_cache

_BETWEEN = re.compile(r"[._-]")
LONGEST = 100
"""How many characters of an unknown name are compared."""
NEAR = 0.6
"""The least similarity (0 to 1, `difflib.SequenceMatcher.ratio`) that is worth a question."""
_COMPARED = 8
"""How many names are compared letter by letter: those that share most pairs of letters."""


def nearest(name: str, known: frozenset[str], cutoff: float = NEAR) -> str | None:
    """The known name that is most similar to `name`, at least `cutoff`, which is `NEAR` or more."""
    near, ratio = _nearest(name[:LONGEST], known)
    return near if ratio >= cutoff else None


# One search answers for every cutoff, as a file asks for one name several times.
@lru_cache(maxsize=1024)
def _nearest(name: str, known: frozenset[str]) -> tuple[str | None, float]:
    if alike := _by_letters(known).get(_letters(name)):
        return alike, 1.0
    # The order of the two is difflib's own: the ratio depends on it. What it has learnt of the
    # second one it keeps.
    matcher = SequenceMatcher(None, "", name)
    best = (0.0, "")
    for candidate in _candidates(name, known):
        matcher.set_seq1(candidate)
        best = max(best, (matcher.ratio(), candidate))
    ratio, near = best
    return (near, ratio) if ratio >= NEAR else (None, 0.0)


def _candidates(name: str, known: frozenset[str]) -> list[str]:
    """The names with most pairs of letters in common, of those in both names."""
    shared: Counter[str] = Counter()
    index = _index(known)
    pairs = _pairs(name)
    for pair in pairs:
        shared.update(index.get(pair, ()))
    return sorted(
        shared, key=lambda other: (-shared[other] / (len(pairs) + len(other) + 1), other)
    )[:_COMPARED]


@lru_cache(maxsize=64)
def _index(known: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
    """The names in which each pair of letters is."""
    names = defaultdict(list)
    for name in known:
        for pair in _pairs(name):
            names[pair].append(name)
    return {pair: tuple(holders) for pair, holders in names.items()}


def _pairs(name: str) -> set[str]:
    """Its pairs of letters, with its begin and its end."""
    edged = f"^{name}$"
    return {edged[at : at + 2] for at in range(len(edged) - 1)}


@lru_cache(maxsize=64)
def _by_letters(known: frozenset[str]) -> dict[str, str]:
    return {_letters(name): name for name in sorted(known)}


def _letters(name: str) -> str:
    """A name without what people write otherwise: `ACKS_CONFIG` and `enableIdempotence`."""
    return _BETWEEN.sub("", name.lower().removesuffix("_config"))
