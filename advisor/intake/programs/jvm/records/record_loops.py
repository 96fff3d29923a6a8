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
_LINK = (
    r"\s*\??\.\s*(?:spliterator\(\)\s*,\s*\w+\s*\)"
    r"|(?!partitions\b|records\b)\w++(?:\((?:[^(){{}}]|\([^(){{}}]*\)){{0,200}}\)|\s*\{{[^{{}}]{{0,200}}\}})?)"
)
_CHAIN = (
    r"\b{0}(?:" + _LINK + r"){{1,6}}\s*\??\.\s*for[Ee]ach(?:Ordered|Indexed)?\s*(?P<open>[({{])"
    r"\s*\(?(?:\w+\s*,\s*)?(?!this\b|super\b)(?P<own>\w+)(?!\w|\s*::)"
)
"""A chain of calls that hands on each record, or each group of some, at its end."""
_PARTITIONS = re.compile(r"\s*\.\s*partitions\b")
_CALL = re.compile(r"\bspliterator\b[^{}]*?\.\s*\w+\s*[({]")


def record_loops(text: Text, names: Collection[str], span: Block) -> Iterator[tuple[str, Block]]:
    """What a loop over these names calls a record, and its body, between two places. A partition
    is not a record."""
    known = rf"(?:{'|'.join(sorted(names)[:_MOST_NAMES])})"
    for loop in islice(re.compile(_EACH.format(known)).finditer(text.plain, *span), _MOST):
        name = loop[1] or loop[2]
        is_place = _PARTITIONS.match(text.plain, loop.end())
        own = "" if is_place else _own(text, loop.end(), name, loop[0])
        yield own, loop_body(text, loop.start(), loop[0])
    for loop in islice(re.compile(_CHAIN.format(known)).finditer(text.plain, *span), _MOST):
        opened, is_block = loop.start("open"), loop["open"] == "{"
        body = text.block_of(opened) if is_block else (opened, text.closed(opened + 1))
        yield _own(text, loop.end(), loop["own"], loop["open"]), body


def _own(text: Text, behind: int, name: str, opens: str) -> str:
    """What a loop calls a record; Kotlin's braces without a name for it call it `it`."""
    rest = text.plain[behind : behind + 20].lstrip()
    is_named = "{" not in opens or rest.startswith((")", ",", ":", "->", "=>"))
    return name if is_named else "it"


def loop_body(text: Text, at: int, loop: str) -> Block:
    """What a loop over records does with each; `at` is where the loop begins."""
    begin = at + (_CALL.search(loop) or re.search(r"[({]", loop)).end() - 1  # type: ignore[union-attr]
    if text.plain[begin] == "{":
        return text.block_of(begin)
    end = text.closed(begin + 1)
    if "for" not in re.split(r"\W+", loop):
        return begin, end
    return text.guarded(end)
