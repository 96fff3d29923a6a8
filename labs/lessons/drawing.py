"""SVG drawings in the pages of labs and incidents; they may contain only shapes and words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

_HARMLESS = {"svg", "g", "rect", "circle", "line", "path", "polyline", "polygon", "text", "tspan",
             "title", "desc"}  # fmt: skip


class DrawingError(ValueError):
    """A drawing is invalid; the message is `folder/file: problem`."""


def drawings_in(folder: Path) -> Mapping[str, str]:
    """Returns the SVG files of a folder by name, ready for a page. Raises `DrawingError`."""
    return {path.name: _drawing(path) for path in sorted(folder.glob("*.svg"))}


def _drawing(file: Path) -> str:
    """Returns an SVG without anything to execute or to load."""
    name = f"{file.parent.name}/{file.name}"
    source = file.read_text("utf-8")
    try:
        root = ElementTree.fromstring(source)  # noqa: S314 - a file of the house, not of a visitor
    except ElementTree.ParseError as wrong:
        raise DrawingError(f"{name}: {wrong}") from wrong
    if root.get("viewBox") is None:
        raise DrawingError(f"{name}: viewBox: is missing")
    for element in root.iter():
        tag = element.tag.removeprefix("{http://www.w3.org/2000/svg}")
        if tag not in _HARMLESS:
            raise DrawingError(f"{name}: <{tag}> is not allowed in a drawing")
        for key in element.attrib:
            if key.startswith("on") or key == "style" or "href" in key:
                raise DrawingError(f"{name}: <{tag} {key}> is not allowed in a drawing")
    return source[source.index("<svg") :].strip()
