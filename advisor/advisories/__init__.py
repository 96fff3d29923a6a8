"""Known bugs of releases: one advisory a file in this folder; a new file is a new advisory.

An advisory names the releases that lose, duplicate or reorder messages although the settings are
right, the conditions, and the remedy.
`docs/decisions/0041-known-bugs-next-to-the-guarantee.md`.
"""

from __future__ import annotations

from advisor.advisories.features import FEATURES
from advisor.advisories.load import AdvisoryError, advisories
from advisor.advisories.matching import (
    Certainty,
    Hit,
    Versions,
    added,
    hits,
    match,
    part_versions,
    readable,
    weakened,
)
from advisor.advisories.model import Advisory, Part, Product
from advisor.advisories.releases import VersionError, possible_releases
from advisor.advisories.upgrade import Upgrade, upgrades

__all__ = [
    "FEATURES",
    "Advisory",
    "AdvisoryError",
    "Certainty",
    "Hit",
    "Part",
    "Product",
    "Upgrade",
    "VersionError",
    "Versions",
    "added",
    "advisories",
    "hits",
    "match",
    "part_versions",
    "possible_releases",
    "readable",
    "upgrades",
    "weakened",
]
