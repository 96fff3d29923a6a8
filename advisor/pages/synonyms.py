"""Synonyms for the search of the reference: typed words, and the words of its pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

_TWICE = ("duplicate", "twice", "more than once", "a second copy")
_ORDER = ("out of order", "reorder", "the order", "order is")
_GONE = ("data loss", "lost", "loses", "is gone", "are gone")
_ONCE = ("exactly-once", "exactly once", "exactly_once")

SYNONYMS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    **dict.fromkeys(("duplicate", "duplicates", "duplicated", "duplication", "double"), _TWICE),
    **dict.fromkeys(("dedupe", "deduplicate", "deduplication"), (*_TWICE, "idempoten")),
    **dict.fromkeys(("reorder", "reordered", "reordering", "ordering"), _ORDER),
    **dict.fromkeys(("loss", "data loss", "message loss"), _GONE),
    **dict.fromkeys(("eos", "exactly once", "exactly-once"), _ONCE),
    **dict.fromkeys(("split brain", "split-brain", "network partition"), ("cut off",)),
    **dict.fromkeys(("poison pill", "poison message"), ("cannot be processed", "cannot process")),
    "dlq": ("dead-letter", "dead letter", "dead.letter"),
    "static membership": ("group.instance.id", "static member"),
    "durability": ("fsync", "flush", "loses power"),
    "failover": ("fail-over", "new leader", "takes over"),
})  # fmt: skip
"""Typed word in lower case → phrases, one of which a page must contain."""

_SHORT = 3
_PARTS = re.compile("|".join([*map(re.escape, sorted(SYNONYMS, key=len, reverse=True)), r"\S+"]))


def parts(query: str) -> list[str]:
    """Returns the words of a query in lower case; a phrase with a synonym counts as one word."""
    return _PARTS.findall(" ".join(query.lower().split()))


def holds(text: str, word: str) -> bool:
    """Whether a text contains a word or one of its synonyms.

    Three letters or fewer must begin a word: `lso` does not match "also".
    """
    return any(_has(text, phrase) for phrase in (word, *SYNONYMS.get(word, ())))


def _has(text: str, word: str) -> bool:
    if len(word) > _SHORT:
        return word in text
    return re.search(rf"(?<![^\W_]){re.escape(word)}", text) is not None
