"""Drawings that stand in a page, of a lab or of an incident: shapes and words, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

_HARMLESS = {"svg", "g", "rect", "circle", "line", "path", "polyline", "polygon", "text", "tspan",
             "title", "desc"}  # fmt: skip


class DrawingError(ValueError):
    """What is wrong with a drawing: `folder/file: what`."""


def drawings_in(folder: Path) -> Mapping[str, str]:
    """The SVG files of a folder by name, each ready to stand in a page. Raises `DrawingError`."""
    return {path.name: _drawing(path) for path in sorted(folder.glob("*.svg"))}


def _drawing(file: Path) -> str:
    """An SVG with nothing to run or to fetch."""
    where = f"{file.parent.name}/{file.name}"
    source = file.read_text("utf-8")
    try:
        root = ElementTree.fromstring(source)  # noqa: S314 - a file of the house, not of a visitor
    except ElementTree.ParseError as wrong:
        raise DrawingError(f"{where}: {wrong}") from wrong
    if root.get("viewBox") is None:
        raise DrawingError(f"{where}: viewBox: is missing")
    for element in root.iter():
        tag = element.tag.removeprefix("{http://www.w3.org/2000/svg}")
        if tag not in _HARMLESS:
            raise DrawingError(f"{where}: <{tag}> may not stand in a drawing")
        for key in element.attrib:
            if key.startswith("on") or key == "style" or "href" in key:
                raise DrawingError(f"{where}: <{tag} {key}> may not stand in a drawing")
    return source[source.index("<svg") :].strip()
