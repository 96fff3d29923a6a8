"""The list of known bugs, filtered by words, component and version."""

from __future__ import annotations

from advisor.advisories import Advisory, advisories, match
from advisor.advisories.mentions import Mention, mentions


def search(words: str = "", component: str = "", version: str = "") -> list[Advisory]:
    """Returns the advisories with every word, of the component, and of a release in `version`.

    `version` is any text with versions; a line means any of its releases. Raises `VersionError` if
    it mentions none.
    """
    wanted = words.lower().split()
    results = [
        advisory for advisory in advisories()
        if component in ("", advisory.part) and all(word in _text(advisory) for word in wanted)
    ]  # fmt: skip
    if not version.strip():
        return results
    rows = mentions(version)
    return [advisory for advisory in results if any(_has(mention, advisory) for mention in rows)]


def _has(mention: Mention, advisory: Advisory) -> bool:
    """Whether a mentioned version has the bug."""
    return match(advisory, dict.fromkeys(mention.parts, mention.version)) is not None


def _text(advisory: Advisory) -> str:
    lines = (
        advisory.id, advisory.title, advisory.part, *advisory.anomalies, *advisory.mechanism,
        advisory.workaround, *map(str, advisory.settings), *advisory.features,
        *map(str, advisory.fixed), advisory.incident,
    )  # fmt: skip
    return " ".join(lines).lower()
