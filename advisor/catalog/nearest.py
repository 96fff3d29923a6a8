"""Suggests a known name for an unknown one."""

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
"""The least similarity (0 to 1, `difflib.SequenceMatcher.ratio`) of a suggestion."""
_COMPARED = 8
"""How many names are compared by `difflib`: those that share most pairs of letters."""


def nearest(name: str, known: frozenset[str], cutoff: float = NEAR) -> str | None:
    """Returns the known name that is most similar to `name`, or None if none has the similarity
    `cutoff`, which must be at least `NEAR`."""
    near, ratio = _nearest(name[:LONGEST], known)
    return near if ratio >= cutoff else None


# One cached search serves every cutoff: a name in a file is looked up several times.
@lru_cache(maxsize=1024)
def _nearest(name: str, known: frozenset[str]) -> tuple[str | None, float]:
    if alike := _by_letters(known).get(_letters(name)):
        return alike, 1.0
    # The ratio depends on the order of the two. SequenceMatcher caches its analysis of the second.
    matcher = SequenceMatcher(None, "", name)
    best = (0.0, "")
    for candidate in _candidates(name, known):
        matcher.set_seq1(candidate)
        best = max(best, (matcher.ratio(), candidate))
    ratio, near = best
    return (near, ratio) if ratio >= NEAR else (None, 0.0)


def _candidates(name: str, known: frozenset[str]) -> list[str]:
    """Returns the known names with the largest share of common pairs of letters."""
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
    """Returns the names that contain each pair of letters."""
    index = defaultdict(list)
    for name in known:
        for pair in _pairs(name):
            index[pair].append(name)
    return {pair: tuple(names) for pair, names in index.items()}


def _pairs(name: str) -> set[str]:
    """Returns the pairs of adjacent letters, including the beginning and the end."""
    marked = f"^{name}$"
    return {marked[start : start + 2] for start in range(len(marked) - 1)}


@lru_cache(maxsize=64)
def _by_letters(known: frozenset[str]) -> dict[str, str]:
    return {_letters(name): name for name in sorted(known)}


def _letters(name: str) -> str:
    """Returns a name without differences in spelling: `ACKS_CONFIG`, `enableIdempotence`."""
    return _BETWEEN.sub("", name.lower().removesuffix("_config"))
