"""The concepts: a page for each word that one must know to read the rest.

Each is a Markdown file here with a head in TOML between lines of `+++`, and a drawing of the same
name. Adding one is adding the two files.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

MOST_WORDS = 250
_HEAD = re.compile(r"\A\+\+\+\n(.*?)\n\+\+\+\n(.*)\Z", re.DOTALL)
_KEYS = {"title", "order", "words", "also", "short", "drawing", "see", "sources"}
_KINDS = {"toy": 0, "lesson": 1, "scenario": 1, "failure": 1, "rule": 1, "setting": 2}
"""What a concept may lead to, and how many names say which one."""


class ConceptError(ValueError):
    """What is wrong with a concept, with its file and key."""


@dataclass(frozen=True, slots=True)
class Demonstration:
    """Where a concept can be seen at work: a kind of page, and the names that say which one."""

    kind: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Concept:
    """One concept.

    `words` are what texts call it, `also` what people look for and `short` what they shorten it to,
    all in small letters; `drawing` says what `svg` shows to whoever does not see it. `text` is
    Markdown, `sources` are (title, address).
    """

    name: str
    title: str
    order: int
    words: tuple[str, ...]
    also: tuple[str, ...]
    short: tuple[str, ...]
    drawing: str
    see: tuple[Demonstration, ...]
    sources: tuple[tuple[str, str], ...]
    text: str
    svg: str

    @property
    def html(self) -> str:
        """The text as HTML; raw HTML in it is shown, not taken."""
        return str(MarkdownIt("commonmark", {"html": False}).render(self.text))

    @property
    def summary(self) -> str:
        """Its first paragraph, without marks."""
        return re.sub(r"[*`]", "", self.text.strip().split("\n\n")[0]).replace("\n", " ")


@cache
def all_concepts() -> tuple[Concept, ...]:
    """Every concept, in the order in which they build on each other. Raises `ConceptError`."""
    concepts = [load(path) for path in Path(__file__).parent.glob("*.md")]
    return tuple(sorted(concepts, key=lambda concept: concept.order))


def find(name: str) -> Concept:
    """Raises `LookupError` for a concept that does not exist."""
    for concept in all_concepts():
        if concept.name == name:
            return concept
    raise LookupError(name)


def load(path: Path) -> Concept:
    """One concept from its file and the drawing beside it. Raises `ConceptError`."""
    parts = _HEAD.match(path.read_text("utf-8"))
    if parts is None:
        raise ConceptError(f"{path.name}: a head between two lines of +++ is expected")
    try:
        head = tomllib.loads(parts[1])
    except tomllib.TOMLDecodeError as wrong:
        raise ConceptError(f"{path.name}: {wrong}") from wrong
    if head.keys() != _KEYS:
        wrong_keys = ", ".join(sorted(head.keys() ^ _KEYS))
        raise ConceptError(f"{path.name}: too much or missing in its head: {wrong_keys}")
    if len(parts[2].split()) > MOST_WORDS:
        raise ConceptError(f"{path.name}: more than {MOST_WORDS} words")
    drawing = path.with_suffix(".svg")
    if not drawing.exists():
        raise ConceptError(f"{path.name}: there is no drawing {drawing.name}")
    return Concept(
        path.stem, head["title"], head["order"], tuple(head["words"]), tuple(head["also"]),
        tuple(head["short"]), head["drawing"],
        tuple(_see(path, item) for item in head["see"]),
        tuple((title, address) for title, address in head["sources"]),
        parts[2].strip(), drawing.read_text("utf-8"),
    )  # fmt: skip


def _see(path: Path, line: Any) -> Demonstration:
    kind, *names = str(line).split()
    if _KINDS.get(kind) != len(names):
        raise ConceptError(f"{path.name}: see: {line!r} names no page")
    return Demonstration(kind, tuple(names))
