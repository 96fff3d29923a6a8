"""Loops over what was polled: what each calls a record, and what it does with one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice

from advisor.intake.programs.jvm.text import Block, Text

_MOST, _MOST_NAMES = 100, 30
_EACH = (
    r"\bfor\s*\([^:;()]{{0,120}}?\b(\w+)\s*(?::|\bin\b|<-)\s*{0}\b"
    r"|\b{0}(?:\s*\.\s*(?:asScala|par|toSeq|(?:asSequence|toList|iterator|stream)\(\)"
    r"|spliterator\(\)\s*,\s*\w+\s*\)))*"
    r"\s*\.\s*(?:for[Ee]ach|map|mapNotNull|flatMap|onEach)\s*[({{]\s*\(?(?!this\b|super\b)(\w+)(?!\w|\s*::)"
)
_PARTITIONS = re.compile(r"\s*\.\s*partitions\b")
_CALL = re.compile(r"\bspliterator\b[^{}]*?\.\s*\w+\s*[({]")
_REFERS = (
    r"\b(?:{0})(?:\s*\.\s*(?:asScala|stream\(\)|spliterator\(\)\s*,\s*\w+\s*\)))?"
    r"\s*\.\s*for[Ee]ach\s*\(\s*(?:([\w.]*)\s*::\s*)?(\w+)\s*\)"
)
"""What is given each record, by its name."""


def loops(text: Text, names: Collection[str], span: Block) -> Iterator[tuple[str, Block]]:
    """What a loop over these names calls a record, and its body, between two places; a partition
    is none."""
    known = rf"(?:{'|'.join(sorted(names)[:_MOST_NAMES])})"
    for loop in islice(re.compile(_EACH.format(known)).finditer(text.plain, *span), _MOST):
        is_place = _PARTITIONS.match(text.plain, loop.end())
        yield "" if is_place else _name(text, loop), body_of(text, loop.start(), loop[0])


def given_each(text: Text, names: Collection[str], span: Block) -> Iterator[str]:
    """The methods, and the functions of variables, that are given each of these names' records."""
    known = "|".join(sorted(names)[:_MOST_NAMES]) or "(?!)"
    found = re.compile(_REFERS.format(known)).finditer(text.plain, *span)
    yield from (name for match in islice(found, _MOST) for name in match.groups() if name)


def _name(text: Text, loop: re.Match[str]) -> str:
    """What a loop calls a record; Kotlin's braces without a name for it call it `it`."""
    behind = text.plain[loop.end() :][:20].lstrip()
    if "{" in loop[0] and not behind.startswith((")", ",", ":", "->", "=>")):
        return "it"
    return str(next(filter(None, loop.groups())))


def body_of(text: Text, at: int, loop: str) -> Block:
    """What a loop over records does with each; `at` is where the loop begins."""
    begin = at + (_CALL.search(loop) or re.search(r"[({]", loop)).end() - 1  # type: ignore[union-attr]
    if text.plain[begin] == "{":
        return text.block_of(begin)
    end = text.closed(begin + 1)
    if "for" not in re.split(r"\W+", loop):
        return begin, end
    behind = text.plain[end : end + 200]
    start = end + len(behind) - len(behind.lstrip())
    if behind.lstrip().startswith("{"):
        return text.block_of(start)
    return text.statement(start)
