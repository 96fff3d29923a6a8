"""Loops over polled records: the name of a record in each, and its body."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice

from advisor.intake.programs.jvm.text import Block, Text

_MOST, _MOST_NAMES = 100, 30
_LOOP = (
    r"\bfor\s*\([^:;()]{{0,120}}?\b(\w+)\s*(?::|\bin\b|<-)\s*{0}\b"
    r"|\b{0}(?:\s*\.\s*(?:asScala|par|toSeq|(?:asSequence|toList|iterator|stream)\(\)"
    r"|spliterator\(\)\s*,\s*\w+\s*\)))*"
    r"\s*\.\s*(?:for[Ee]ach|map|mapNotNull|flatMap|onEach)\s*[({{]\s*\(?(?!this\b|super\b)(\w+)(?!\w|\s*::)"
)
_CHAIN_CALL = (
    r"\s*\??\.\s*(?:spliterator\(\)\s*,\s*\w+\s*\)"
    r"|(?!partitions\b|records\b)\w++(?:\((?:[^(){{}}]|\([^(){{}}]*\)){{0,200}}\)|\s*\{{[^{{}}]{{0,200}}\}})?)"
)
_CHAIN = (
    r"\b{0}(?:"
    + _CHAIN_CALL
    + r"){{1,6}}\s*\??\.\s*for[Ee]ach(?:Ordered|Indexed)?\s*(?P<open>[({{])"
    r"\s*\(?(?:\w+\s*,\s*)?(?!this\b|super\b)(?P<name>\w+)(?!\w|\s*::)"
)
"""A chain of calls that passes each record, or each group of records, to its last call."""
_PARTITIONS = re.compile(r"\s*\.\s*partitions\b")
_SPLITERATOR_CALL = re.compile(r"\bspliterator\b[^{}]*?\.\s*\w+\s*[({]")


def record_loops(text: Text, names: Collection[str], span: Block) -> Iterator[tuple[str, Block]]:
    """Yields the loop variable and the body of each loop over these names in a span. The variable
    is empty for a loop over partitions."""
    pattern = rf"(?:{'|'.join(sorted(names)[:_MOST_NAMES])})"
    for loop in islice(re.compile(_LOOP.format(pattern)).finditer(text.plain, *span), _MOST):
        name = loop[1] or loop[2]
        is_partition = _PARTITIONS.match(text.plain, loop.end())
        record = "" if is_partition else _record_name(text, loop.end(), name, loop[0])
        yield record, loop_body(text, loop.start(), loop[0])
    for loop in islice(re.compile(_CHAIN.format(pattern)).finditer(text.plain, *span), _MOST):
        opening, is_block = loop.start("open"), loop["open"] == "{"
        body = text.block_of(opening) if is_block else (opening, text.closed(opening + 1))
        yield _record_name(text, loop.end(), loop["name"], loop["open"]), body


def _record_name(text: Text, end: int, name: str, opening: str) -> str:
    """The name of a record in a loop; `it` in a Kotlin lambda without a parameter."""
    code = text.plain[end : end + 20].lstrip()
    is_named = "{" not in opening or code.startswith((")", ",", ":", "->", "=>"))
    return name if is_named else "it"


def loop_body(text: Text, at: int, loop: str) -> Block:
    """Returns the body of a loop over records that starts at a place."""
    begin = at + (_SPLITERATOR_CALL.search(loop) or re.search(r"[({]", loop)).end() - 1  # type: ignore[union-attr]
    if text.plain[begin] == "{":
        return text.block_of(begin)
    end = text.closed(begin + 1)
    if "for" not in re.split(r"\W+", loop):
        return begin, end
    return text.controlled_block(end)
