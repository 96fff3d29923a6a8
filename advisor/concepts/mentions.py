"""The words of concepts in a page, each made a link to its concept's page where it first stands."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import NamedTuple

from advisor.concepts import all_concepts

_TAG = re.compile(r"""(<[^'">]*(?:(?:"[^"]*"|'[^']*')[^'">]*)*>)""")
_NAME = re.compile(r"<(/?)([a-z][\w-]*)")
_TERM = re.compile(r'class="term" href="[^"]*/([^/"]+)/"')
_ABOUT = re.compile(r'data-concept="([^"]+)"')
_UNTOUCHED = frozenset({
    "a", "button", "cite", "code", "form", "h1", "h2", "h3", "h4", "h5", "h6", "label", "nav",
    "pre", "script", "select", "style", "summary", "svg", "textarea", "th",
})  # fmt: skip
_UNSEEN = re.compile(
    r' hidden[ >]| aria-hidden="true"| role="img"| hx-trigger="every '
    r'| class="(?:[^"]* )?(?:badge|key|mark|eyebrow|visually-hidden)[ "]'
)
"""A link in a label would be taken for the label's, one that nobody sees is no help, and one that
is drawn anew each second loses the keyboard's focus."""
_READ_ALONE = frozenset({"article", "details"})
_VOID = frozenset({"br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})

_OTHER_SENSES = (
    "database transaction", "transaction of the database", "log of the client", "line in the log",
    "database and logs", "log an unknown",
)  # fmt: skip
"""Where a word of the concepts stands for something else."""

Address = Callable[[str], str]


def linked(html: str, address: Address) -> str:
    """A page's HTML, with the first mention of each concept as a link to `address(its name)`.

    An article is read by itself and has first mentions of its own; what a fold says first counts
    only inside it. Links, code, headings, forms, labels and what is hidden stay as they are, and
    an element with `data-concept` never links to that.
    """
    page = _Page(address)
    parts = _TAG.split(html)
    for at, part in enumerate(parts):
        if at % 2:
            page.pass_by(part)
        elif not page.untouched and not part.isspace():
            parts[at] = page.link(part)
    return "".join(parts)


class _Tag(NamedTuple):
    """A tag, its concepts, and whether what it opens stays as it is; a comment has no name."""

    name: str
    closes: bool
    concepts: frozenset[str]
    stays: bool


@lru_cache(maxsize=4096)  # a page has few that differ
def _read(text: str) -> _Tag:
    if (named := _NAME.match(text)) is None:
        return _Tag("", False, frozenset(), False)
    name = named[2]
    stays = name in _UNTOUCHED or (name not in _VOID and _UNSEEN.search(text) is not None)
    concepts = frozenset((*_TERM.findall(text), *_ABOUT.findall(text)))
    return _Tag(name, bool(named[1]), concepts, stays)


class _Page:
    """Where one is in a page: inside of what, and which concepts were met there."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.met: list[set[str]] = [set()]
        self.untouched, self.depth = "", 0

    def pass_by(self, text: str) -> None:
        """Enters or leaves what the tag opens or closes."""
        tag = _read(text)
        if self.untouched:
            self.depth += (tag.name == self.untouched) * (-1 if tag.closes else 1)
            self.untouched = self.untouched if self.depth else ""
        elif tag.closes:
            if tag.name in _READ_ALONE and len(self.met) > 1:
                self.met.pop()
        else:
            self.enter(tag)

    def enter(self, tag: _Tag) -> None:
        """Begins a part that is read by itself, or one that stays as it is."""
        if tag.name in _READ_ALONE:
            self.met.append(set() if tag.name == "article" else set(self.met[-1]))
        if tag.concepts:
            self.met[-1].update(tag.concepts)
        if tag.stays:
            self.untouched, self.depth = tag.name, 1

    def link(self, text: str) -> str:
        """The text, with the concepts that it is the first to mention as links."""
        met = self.met[-1]

        def link(mention: re.Match[str]) -> str:
            name = _concept_of(mention[0].lower())
            if not name or name in met:
                return mention[0]
            met.add(name)
            return f'<a class="term" href="{self.address(name)}">{mention[0]}</a>'

        return _mentions().sub(link, text)


def _concept_of(word: str) -> str:
    """The concept that a word, or its plural, stands for; "" if it means something else."""
    words = _names_by_word()
    return words[word] if word in words else words[word.removesuffix("s")]


@cache
def _names_by_word() -> dict[str, str]:
    return dict.fromkeys(_OTHER_SENSES, "") | {
        word: concept.name
        for concept in all_concepts()
        for word in (*concept.words, *concept.short)
    }


@cache
def _mentions() -> re.Pattern[str]:
    """Whole words, the longest first; a part of a setting's name or of its value is none."""
    longest = sorted(_names_by_word(), key=len, reverse=True)
    words = "|".join(map(re.escape, longest))
    # What any of them may begin with is asked first: that is half of the time.
    first = "".join(sorted({word[0] for word in longest}))
    return re.compile(rf"(?<![\w.=/-])(?=[{first}])(?:{words})s?(?![\w.=/-]*\w)", re.IGNORECASE)
