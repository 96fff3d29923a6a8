"""Commits of all that was polled, between the first record and the others.

`save(it.next()); c.commitSync(); while (it.hasNext()) { save(it.next()); }` commits what is not
processed yet (KafkaConsumer javadoc, commitSync), as `save(all.get(0))` and a loop behind it does.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice

from advisor.intake.programs.jvm.records.partial_polls import ITERATOR
from advisor.intake.programs.jvm.text import Block, Text

_MOST = 40
_NEXT = r"\b{0}\s*\.\s*next\b"
_REST = (
    r"\b{0}\s*\.\s*(?:next|hasNext|forEachRemaining|foreach|forEach|asScala)\b"
    r"|(?:\bin|<-|:)\s*{0}\b"
)
_FIRST = (
    r"\b{0}\s*\.\s*(?:get\s*\(\s*0\s*\)|(?:getFirst|first|head)\b|iterator\s*(?:\(\s*\))?\s*\.\s*next\b"
    r"|(?:take|subList)\s*\(\s*(?:0\s*,\s*)?\d+\s*\))"
)
_OTHERS = (
    r"\b{0}\s*\.\s*(?:subList|drop|skip|stream|forEach|foreach|asScala|tail|get|iterator)\b"
    r"|(?:\bin|<-|:)\s*{0}\b"
)
_LOOP = r"\bwhile\s*\(\s*{0}\s*\.\s*hasNext\b[^{{}}]*$"


def too_early(
    text: Text, whole: Collection[str], commits: re.Pattern[str], span: Block
) -> Iterator[int]:
    """Where all is committed behind the first record, and before the others."""
    known = rf"(?:{'|'.join(sorted(whole)) or '(?!)'})"
    iterators = set(re.findall(ITERATOR.format(known), text.plain[max(0, span[0]) : span[1]]))
    for name in sorted(iterators):
        yield from _between(text, commits, span, (_NEXT.format(name), _REST.format(name)))
        yield from _in_loop(text, commits, span, name)
    yield from _between(text, commits, span, (_FIRST.format(known), _OTHERS.format(known)))


def _between(
    text: Text, commits: re.Pattern[str], span: Block, of: tuple[str, str]
) -> Iterator[int]:
    first, others = map(re.compile, of)
    for taken in islice(first.finditer(text.plain, *span), 1):
        block = text.block(taken.start())
        commit = commits.search(text.plain, taken.end(), block[1])
        if commit is None or text.block(commit.start()) != block:
            continue
        if _is_loop(text, block):
            continue
        if others.search(text.plain, commit.end(), block[1]):
            yield commit.start()


def _is_loop(text: Text, block: Block) -> bool:
    head = next((head for start, _, head in text.around(block[0] + 1) if start == block[0]), "")
    return "hasNext" in head


def _in_loop(text: Text, commits: re.Pattern[str], span: Block, name: str) -> Iterator[int]:
    """The same in each round of a loop over an iterator."""
    for taken in islice(re.compile(_NEXT.format(name)).finditer(text.plain, *span), _MOST):
        around = text.around(taken.start())
        block = text.block(taken.start())
        commit = commits.search(text.plain, taken.end(), block[1])
        if commit is None or text.block(commit.start()) != block or not around:
            continue
        if re.search(_LOOP.format(name), around[-1][2]):
            yield commit.start()
