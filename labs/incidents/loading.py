"""Reads the folder of an incident. Every problem is an error that names file and key."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from labs.engine.base.toml_table import Table
from labs.engine.distributions.distribution import all_versions, kafka_versions
from labs.incidents.model import KINDS, TEXTS, Incident
from labs.incidents.wheels import installed
from labs.lessons.drawing import DrawingError
from labs.lessons.text import Text, TextError, texts_in

TOML = "incident.toml"
_FOLDER = re.compile(r"(kafka|kip|librdkafka)_(\d+)")
_RELEASE = re.compile(r"\d+(\.\d+){2,3}")


class IncidentError(ValueError):
    """An incident is invalid; the message is `folder/file: key: problem`."""


def folders(place: Path) -> list[Path]:
    """Returns the folders of incidents."""
    return sorted(path for path in place.iterdir() if (path / TOML).is_file())


def load(folder: Path) -> Incident:
    """Returns the incident in a folder named after its ticket. Raises `IncidentError`."""
    match = _FOLDER.fullmatch(folder.name)
    if match is None:
        raise IncidentError(f"{folder.name}: a folder of an incident is named like kafka_14055")
    if not (folder / "steps.py").is_file():
        raise IncidentError(f"{folder.name}/steps.py: is missing")
    top = Table.read(folder / TOML, "an incident", IncidentError)
    product, number = match.groups()
    component = top.one_of("component", tuple(KINDS))
    incident = Incident(
        id=f"librdkafka #{number}" if product == "librdkafka" else f"{product.upper()}-{number}",
        title=top.take("title", str),
        component=component,
        affected=_release(top, "affected"),
        fixed=_release(top, "fixed"),
        today=installed() if component == "librdkafka" else kafka_versions()[0],
        harm=top.take("harm", str),
        moment=_patterns(top, "moment"),
        minutes=top.take("minutes", int),
        module=f"{__package__}.{folder.name}.steps",
        sources=top.texts("sources"),
        not_today=top.maybe("not_today", str, ""),
        brokers=_release(top, "brokers", ""),
        texts=_texts(folder),
    )
    top.finish()
    return replace(incident, historical=_historical(incident))


def _historical(incident: Incident) -> frozenset[str]:
    """Returns its releases on lines that are only used for incidents, never for experiments."""
    offered: Mapping[str, Sequence[str]] = {"broker": all_versions(), "librdkafka": (installed(),)}
    lines = set(map(_line, offered.get(incident.component, kafka_versions())))
    old = {release for release in incident.releases.values() if _line(release) not in lines}
    brokers = set(map(_line, all_versions()))
    return frozenset(old | {b for b in [incident.brokers] if b and _line(b) not in brokers})


def _line(release: str) -> str:
    """Returns the line of a release: `0.10.2` for `0.10.2.2`, `3.9` for `3.9.2`."""
    return release.rpartition(".")[0]


def _patterns(top: Table, key: str) -> tuple[str, ...]:
    patterns = top.texts(key)
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as wrong:
            raise top.error(key, f"{pattern!r} is no regular expression: {wrong}") from wrong
    return patterns


def _release(top: Table, key: str, default: str | None = None) -> str:
    value = top.take(key, str) if default is None else top.maybe(key, str, default)
    if value != default and not _RELEASE.fullmatch(value):
        raise top.error(key, f"has to be a release like 3.2.1, not {value!r}")
    return value


def _texts(folder: Path) -> dict[str, Text]:
    """Returns the four texts by name, with the drawings that they show."""
    try:
        texts = texts_in(folder, {f"{name}.md": () for name in TEXTS}, ())
    except (TextError, DrawingError) as wrong:
        raise IncidentError(str(wrong)) from wrong
    return {name: texts[f"{name}.md"] for name in TEXTS}
