"""The changes of the rules by version, from docs/rules-changelog.md."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from django.conf import settings

_RELEASE = re.compile(r"^## (\S+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_DECISION = re.compile(r" \(\[[^]]*\]\([^)]*\)\)")
"""A link to a file of this project, which does not work on a page."""
_POINT = re.compile(r"^- (.*?)(?=^- |\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Release:
    """One version of the rules, and what changed with it."""

    version: str
    changes: tuple[str, ...]


@cache
def releases() -> tuple[Release, ...]:
    """Returns every version, the newest first."""
    text = (settings.BASE_DIR / "docs" / "rules-changelog.md").read_text("utf-8")
    return tuple(
        Release(
            version,
            tuple(_DECISION.sub("", " ".join(point.split())) for point in _POINT.findall(body)),
        )
        for version, body in _RELEASE.findall(text)
    )


def since(version: str) -> tuple[Release, ...] | None:
    """Returns the versions after this one, the newest first; None if it is not in the list."""
    names = [release.version for release in releases()]
    return releases()[: names.index(version)] if version in names else None
