"""The text of a lab: Markdown with the counts of a run, and with branches by its results.

Placeholders are `{arm.count}`, such as `{acks-1.lost_write}`; times in ms are shown in seconds.
Words that agree with a number are `{arm.count?one is|many are}`.
A statement about an arm has two branches, so that no text can claim more than the run showed:

    ::: some acks-1
    The text if the symptom showed in that arm.
    ::: none
    The text if it did not.
    ::: end

For an arm that could not be judged, a sentence replaces both. A drawing is a Markdown picture,
`![what it shows](drawing.svg)`; its SVG becomes part of the page, so that it has the page's
colours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from advisor.reasoning.plural import agreed
from labs.lessons.drawing import DrawingError, drawings_in

Value = Callable[[str, str], str]
"""(arm, count) → its words."""
Showed = Callable[[str], bool | None]
"""Arm → whether the symptom showed in it; None if it could not be judged."""

NOT_JUDGED = "This arm could not be judged in your run, so it shows nothing."

_PLACEHOLDER = re.compile(r"\{([a-z0-9-]+)\.([a-z_]+)(?:\?([^|{}]*)\|([^|{}]*))?\}")
_MARK = re.compile(r"^::: *(some|none|end)(?: +([a-z0-9-]+))? *$")
_ORDER = {"": "some", "some": "none", "none": "end"}


class TextError(ValueError):
    """A text is invalid; the message names the line if it can."""


@dataclass(frozen=True, slots=True)
class Part:
    """Markdown that is always shown or, with `arm`, depends on the result of that arm."""

    some: str
    none: str = ""
    arm: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """The parts of a text, with its drawings by file name."""

    parts: tuple[Part, ...]
    drawings: Mapping[str, str] = field(default_factory=dict)

    def html(self, showed: Showed, value: Value) -> str:
        """Returns the text as HTML, with the counts of a run."""
        text = "\n".join(self._rendered(part, showed) for part in self.parts)
        filled = _PLACEHOLDER.sub(lambda match: _filled(match, value), text)
        return str(_markdown().render(filled, {"drawings": self.drawings}))

    def plain(self) -> str:
        """Returns HTML of a text that is not about a run."""
        return self.html(lambda _: None, lambda arm, count: "")

    @staticmethod
    def _rendered(part: Part, showed: Showed) -> str:
        if not part.arm:
            return part.some
        seen = showed(part.arm)
        if seen is None:
            return f"\n{NOT_JUDGED}\n"
        return part.some if seen else part.none


def _filled(match: re.Match[str], value: Value) -> str:
    words = value(match[1], match[2])
    return words if match[3] is None else agreed(int(words == "1"), match[3], match[4])


def parse(
    source: str, arms: Sequence[str], counts: Sequence[str], drawings: Mapping[str, str]
) -> Text:
    """Returns a parsed text; its arms, counts and drawings must be among the given ones.

    Raises `TextError` for a branch that is not closed, lacks a case or has an unknown arm, for a
    placeholder outside the branch of its arm or with an unknown count, and for a missing drawing.
    """
    parts = _parts(source, arms)
    for part in parts:
        for match in _PLACEHOLDER.finditer(part.some + part.none):
            if match[1] != part.arm:
                raise TextError(f"{match[0]} has to be between `::: some {match[1]}` and end")
            if match[2] not in counts:
                raise TextError(f"{match[0]}: there is no count {match[2]!r}")
    text = Text(parts, drawings)
    missing = [name for name in pictures(text) if name not in drawings]
    if missing:
        raise TextError(f"there is no drawing {missing[0]!r}")
    return text


def texts_in(
    folder: Path, files: Mapping[str, Sequence[str]], counts: Sequence[str]
) -> dict[str, Text]:
    """Returns the texts of Markdown files by name; `files` maps each name to its possible arms.

    The SVG files of the folder are their drawings, and each must be shown. Raises `TextError` or
    `DrawingError`, with the names of folder and file.
    """
    drawings = drawings_in(folder)
    texts = {}
    for name, arms in files.items():
        file = folder / name
        source = file.read_text("utf-8").strip() if file.is_file() else None
        if not source:
            problem = "is missing" if source is None else "is empty"
            raise TextError(f"{folder.name}/{name}: {problem}")
        try:
            texts[name] = parse(source, arms, counts, drawings)
        except TextError as wrong:
            raise TextError(f"{folder.name}/{name}: {wrong}") from wrong
    shown = {picture for text in texts.values() for picture in pictures(text)}
    for unused in sorted(drawings.keys() - shown):
        raise DrawingError(f"{folder.name}/{unused}: is shown in no text")
    return texts


def pictures(text: Text) -> list[str]:
    """Returns the file names of the drawings that a text shows."""
    source = "\n\n".join(f"{part.some}\n\n{part.none}" for part in text.parts)
    return [
        str(child.attrs["src"])
        for token in _markdown().parse(source)
        for child in token.children or ()
        if child.type == "image"
    ]


def _parts(source: str, arms: Sequence[str]) -> tuple[Part, ...]:
    parts: list[Part] = []
    lines: dict[str, list[str]] = {"": []}
    within, arm = "", ""
    for number, line in enumerate(source.splitlines(), 1):
        mark = _MARK.match(line)
        if mark is None:
            if line.startswith(":::"):
                raise TextError(f"line {number}: {line!r} is none of `some ARM`, `none`, `end`")
            lines[within].append(line)
            continue
        if mark[1] != _ORDER[within]:
            raise TextError(f"line {number}: `::: {_ORDER[within]}` is expected, not {line!r}")
        if mark[1] == "some":
            parts.append(Part("\n".join(lines[""])))
            arm = mark[2] or ""
            if arm not in arms:
                raise TextError(f"line {number}: there is no arm {arm!r}; there are {list(arms)}")
            lines = {"": [], "some": [], "none": []}
        elif mark[1] == "end":
            parts.append(Part("\n".join(lines["some"]), "\n".join(lines["none"]), arm))
        within = "" if mark[1] == "end" else mark[1]
    if within:
        raise TextError(f"the branch `::: some {arm}` has no `::: {_ORDER[within]}`")
    return (*parts, Part("\n".join(lines[""])))


@cache
def _markdown() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    reader.add_render_rule("image", _drawing)
    return reader


def _drawing(
    self: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    """Returns the drawing for a link to it; the words of the link become its label."""
    drawing = env["drawings"][str(tokens[at].attrs["src"])]
    label = escape(tokens[at].content, quote=True)
    return f'<span class="drawing" role="img" aria-label="{label}">{drawing}</span>'
