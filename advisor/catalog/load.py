"""Reads the catalog's data files once, and reports a malformed one with file and key.

Each file in `data/` is a list of `[[setting]]` tables. Its head states the families and the
component, and whether `since` and `removed` are versions of the client or of the brokers (`line`).
A value that differs by version is a list, newest first:
`default = [{ since = "3.0", value = "all" }, { value = "1" }]`.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from advisor.catalog.model import Component, Family, Kind, Setting, Value
from advisor.catalog.versions import at_least

_REQUIRED = {"name", "kind", "meaning", "source"}
_OPTIONAL = {
    "component", "default", "minimum", "maximum", "choices", "pattern", "aliases", "unit",
    "refused", "since", "removed", "any_case",
}  # fmt: skip
_LINE = re.compile(r"[0-9]+\.[0-9]+")


class CatalogError(RuntimeError):
    """A malformed data file; the message names file and key."""


@dataclass(frozen=True, slots=True)
class ByVersion:
    """A value that changes with versions.

    `steps` are pairs of (since, value), newest first. A `since` of None stands for the oldest
    version.
    """

    steps: tuple[tuple[str | None, Value], ...] = ()

    def at(self, line: str) -> Value:
        """Returns the value at a line, or None if there was none yet."""
        for since, value in self.steps:
            if since is None or at_least(line, since):
                return value
        return None


@dataclass(frozen=True, slots=True)
class Entry:
    """One `[[setting]]` table, for all versions."""

    families: frozenset[Family]
    by_client: bool
    since: str | None
    removed: str | None
    default: ByVersion
    pattern: ByVersion
    setting: Setting

    def exists_at(self, line: str) -> bool:
        """Whether the product has the setting at this line."""
        exists = self.since is None or at_least(line, self.since)
        return exists and not (self.removed and at_least(line, self.removed))


@cache
def entries() -> tuple[Entry, ...]:
    """Returns every entry of every data file, in the order of the files."""
    folder = files("advisor.catalog") / "data"
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".toml"))
    return tuple(entry for name in names for entry in read(folder / name))


def read(file: Traversable) -> list[Entry]:
    """Returns the entries of one data file. Raises `CatalogError` with the file and the key."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        head = {key: value for key, value in data.items() if key != "setting"}
        return [_entry(file.name, head, table) for table in data["setting"]]
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise CatalogError(f"{file.name}: {error}") from error


def _entry(file: str, head: dict[str, Any], table: dict[str, Any]) -> Entry:
    name = table.get("name", "a setting without a name")
    wrong = (_REQUIRED - table.keys()) | (table.keys() - _REQUIRED - _OPTIONAL)
    if wrong:
        raise CatalogError(f"{file}: {name}: missing or unknown: {', '.join(sorted(wrong))}")
    try:
        setting = _setting(head, table)
        default, pattern = _by_version(table.get("default")), _by_version(table.get("pattern"))
        families = frozenset(Family(family) for family in head["families"])
        by_client = {"client": True, "kafka": False}[head["line"]]
    except (TypeError, ValueError, KeyError, re.error) as error:
        raise CatalogError(f"{file}: {name}: {error}") from error
    for _, value in default.steps:
        if not _fits(setting, value):
            raise CatalogError(f"{file}: {name}: the default {value!r} is not one of its values")
    since, removed = table.get("since"), table.get("removed")
    return Entry(families, by_client, since, removed, default, pattern, setting)


def _setting(head: dict[str, Any], table: dict[str, Any]) -> Setting:
    by_librdkafka = head["families"] == [Family.LIBRDKAFKA]
    return Setting(
        component=Component(table.get("component", head["component"])),
        name=table["name"],
        kind=Kind(table["kind"]),
        default=None,
        meaning=table["meaning"],
        source=table["source"],
        minimum=table.get("minimum"),
        maximum=table.get("maximum"),
        choices=tuple(table.get("choices", {}).items()),
        aliases=tuple(table.get("aliases", ())),
        unit=table.get("unit", ""),
        refused=table.get("refused", ""),
        any_case=table.get("any_case", by_librdkafka),
        by_librdkafka=by_librdkafka,
    )


def _by_version(written: Any) -> ByVersion:
    if not isinstance(written, list):
        return ByVersion(() if written is None else ((None, written),))
    steps = tuple((step.get("since"), step["value"]) for step in written)
    for since, _ in steps:
        if since is not None and not _LINE.fullmatch(since):
            raise ValueError(f"since {since!r} is not a line such as 4.0")
    return ByVersion(steps)


def _fits(setting: Setting, value: Value) -> bool:
    match setting.kind:
        case Kind.BOOL:
            return isinstance(value, bool)
        case Kind.INT:
            if isinstance(value, bool) or not isinstance(value, int):
                return False
            low, high = setting.minimum, setting.maximum
            return (low is None or low <= value) and (high is None or value <= high)
        case Kind.CHOICE:
            return value in {meant for _, meant in setting.choices}
        case Kind.TEXT:
            return isinstance(value, str)
