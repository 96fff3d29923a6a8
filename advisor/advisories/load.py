"""Reads the advisories, one a file in this folder, and refuses a malformed one by file and key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from packaging.version import InvalidVersion, Version

from advisor.advisories.features import FEATURES
from advisor.advisories.model import Advisory, Confidence, Part, Range, SettingNeed
from advisor.catalog import Component
from advisor.reasoning.guarantees import Anomaly

_ID = re.compile(r"(KAFKA|SPARK|KIP)-\d+|librdkafka #\d+")
_RANGE = re.compile(r"(?:>=(?P<since>\d[\d.]*\d))?,?(?:<(?P<before>\d[\d.]*\d))?")
_SENTENCES = 3
_REQUIRED = {
    "id", "title", "component", "affected", "fixed", "anomalies", "mechanism", "workaround",
    "sources", "checked", "confidence",
}  # fmt: skip
_OPTIONAL = {"settings", "features", "incident", "not_played"}


class AdvisoryError(RuntimeError):
    """A malformed data file; the message names the file and the key."""


@cache
def advisories() -> tuple[Advisory, ...]:
    """Every advisory, by component and identifier."""
    folder = files("advisor.advisories")
    advisories = [read(folder) for folder in folder.iterdir() if folder.name.endswith(".toml")]
    names = {advisory.id for advisory in advisories}
    if len(names) != len(advisories):
        raise AdvisoryError("Two files have one id.")
    order = list(Part)
    return tuple(
        sorted(advisories, key=lambda advisory: (order.index(advisory.part), _number(advisory.id)))
    )


def read(file: Traversable) -> Advisory:
    """The advisory in a file. Raises `AdvisoryError`."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise AdvisoryError(f"{file.name}: {error}") from error
    bad_keys = (_REQUIRED - data.keys()) | (data.keys() - _REQUIRED - _OPTIONAL)
    if bad_keys:
        raise AdvisoryError(f"{file.name}: missing or unknown: {', '.join(sorted(bad_keys))}")
    fields: dict[str, Any] = {}
    for key, value in data.items():
        try:
            fields[_NAMES.get(key, key)] = _READERS[key](value)
        except (TypeError, ValueError, AttributeError) as error:
            raise AdvisoryError(f"{file.name}: {key}: {error}") from error
    advisory = Advisory(**fields)
    _consistent(file.name, advisory)
    return advisory


def _consistent(file: str, advisory: Advisory) -> None:
    if file != f"{advisory.slug}.toml":
        raise AdvisoryError(f"{file}: id: the file of {advisory.id} is {advisory.slug}.toml")
    for release in advisory.fixed:
        if advisory.affects(release):
            raise AdvisoryError(f"{file}: fixed: {release} is in a range of affected")
    limits = {span.before for span in advisory.affected}
    for limit in limits - {None, *advisory.fixed}:
        if limit is not None and not _begins_a_line(limit):
            raise AdvisoryError(f"{file}: affected: {limit} is not in fixed and begins no line")
    if not advisory.fixed and None not in limits:
        raise AdvisoryError(f"{file}: fixed: it is empty, and no range is open")


def _begins_a_line(release: Version) -> bool:
    """Whether a range may end before it without a fix: a line that never had the bug."""
    return release.micro == 0


def _number(identifier: str) -> tuple[str, int]:
    name, number = re.split(r"[-#]", identifier)
    return name, int(number)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("it is no text")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise ValueError("it is no list of texts")
    return tuple(_text(item) for item in value)


def _id(value: Any) -> str:
    if not _ID.fullmatch(_text(value)):
        raise ValueError(f"{value!r} is not KAFKA-1, SPARK-1, KIP-1 or librdkafka #1")
    return str(value)


def _ranges(value: Any) -> tuple[Range, ...]:
    return tuple(_range(text) for text in _texts(value))


def _range(text: str) -> Range:
    match = _RANGE.fullmatch(text)
    ends = [match["since"], match["before"]] if match else []
    if not any(ends):
        raise ValueError(f"{text!r} is no range such as >=2.4.0,<2.4.1")
    since, before = (Version(value) if value else None for value in ends)
    if since and before and since >= before:
        raise ValueError(f"{text!r} holds no release")
    return Range(since, before)


def _versions(value: Any) -> tuple[Version, ...]:
    try:
        versions = tuple(Version(_text(item)) for item in value)
    except InvalidVersion as error:
        raise ValueError(str(error)) from error
    if list(versions) != sorted(set(versions)):
        raise ValueError("the versions are not in order")
    return versions


def _sentences(value: Any) -> tuple[str, ...]:
    names = _texts(value)
    if len(names) != _SENTENCES or not all(name.endswith(".") for name in names):
        raise ValueError("it is not three sentences")
    return names


def _settings(value: Any) -> tuple[SettingNeed, ...]:
    results = []
    for name, values in value.items():
        component, _, setting = name.partition(".")
        if not isinstance(values, list) or not values or not setting:
            raise ValueError(f"{name} has no list of values")
        results.append(SettingNeed(Component(component), setting, tuple(values)))
    return tuple(results)


def _features(value: Any) -> tuple[str, ...]:
    for text in _texts(value):
        if text not in FEATURES:
            raise ValueError(f"there is no feature {text!r}")
    return tuple(value)


_NAMES = {"component": "part"}
_READERS: Mapping[str, Callable[[Any], Any]] = {
    "id": _id,
    "title": _text,
    "component": Part,
    "affected": _ranges,
    "fixed": _versions,
    "anomalies": lambda value: tuple(Anomaly(text) for text in _texts(value)),
    "mechanism": _sentences,
    "workaround": _text,
    "sources": _texts,
    "checked": _text,
    "confidence": Confidence,
    "settings": _settings,
    "features": _features,
    "incident": _text,
    "not_played": _text,
}
