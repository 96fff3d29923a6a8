"""The list of known bugs, narrowed by words, by component and by what runs."""

from __future__ import annotations

from advisor.advisories import Advisory, advisories, match
from advisor.advisories.said import Mention, mentions


def search(words: str = "", component: str = "", version: str = "") -> list[Advisory]:
    """Those that have every word and are of the component and of a release that `version` names.

    `version` is any text that speaks of versions; a line stands for each of its releases. Raises
    `VersionError` if it speaks of none.
    """
    wanted = words.lower().split()
    found = [
        each for each in advisories()
        if component in ("", each.part) and all(word in _text(each) for word in wanted)
    ]  # fmt: skip
    if not version.strip():
        return found
    said = mentions(version)
    return [each for each in found if any(_has(one, each) for one in said)]


def _has(mention: Mention, advisory: Advisory) -> bool:
    """Whether a version that the text speaks of has the bug."""
    return match(advisory, dict.fromkeys(mention.parts, mention.version)) is not None


def _text(each: Advisory) -> str:
    said = (
        each.id, each.title, each.part, *each.anomalies, *each.mechanism, each.workaround,
        *map(str, each.settings), *each.features, *map(str, each.fixed), each.incident,
    )  # fmt: skip
    return " ".join(said).lower()
