"""The list of known bugs, narrowed by words, by component and by what runs."""

from __future__ import annotations

from advisor.advisories import Advisory, advisories, match
from advisor.advisories.mentions import Mention, mentions


def search(words: str = "", component: str = "", version: str = "") -> list[Advisory]:
    """Those that have every word and are of the component and of a release that `version` names.

    `version` is any text that speaks of versions; a line stands for each of its releases. Raises
    `VersionError` if it speaks of none.
    """
    wanted = words.lower().split()
    results = [
        advisory for advisory in advisories()
        if component in ("", advisory.part) and all(word in _text(advisory) for word in wanted)
    ]  # fmt: skip
    if not version.strip():
        return results
    rows = mentions(version)
    return [advisory for advisory in results if any(_has(one, advisory) for one in rows)]


def _has(mention: Mention, advisory: Advisory) -> bool:
    """Whether a version that the text speaks of has the bug."""
    return match(advisory, dict.fromkeys(mention.parts, mention.version)) is not None


def _text(advisory: Advisory) -> str:
    lines = (
        advisory.id, advisory.title, advisory.part, *advisory.anomalies, *advisory.mechanism,
        advisory.workaround, *map(str, advisory.settings), *advisory.features,
        *map(str, advisory.fixed), advisory.incident,
    )  # fmt: skip
    return " ".join(lines).lower()
