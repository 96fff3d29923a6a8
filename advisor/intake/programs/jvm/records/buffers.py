"""Collections in which JVM code stores records to process them later."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.intake.programs.jvm.records.derived_names import TAKES_APART
from advisor.intake.programs.jvm.text import Block, Text

OFFSETS = re.compile(r"\bOffsetAndMetadata\b[^;{}]{0,400}")
_ADD_CALL = (
    r"\b(\w+)\s*\.\s*(?:add|addAll|append)\s*\(\s*"
    rf"(?:(?:\w+\s*\.\s*){{{{0,3}}}}(?:new\s+)?{TAKES_APART}\s*\(\s*)?"
    r"(?:{})\b[^;{{}}]{{0,200}}|\b(\w+)\s*\+=\s*(?:{})\b"
)
_PUT_CALL = (
    r"\b(?!\w*(?i:offset|position))(\w+)\s*\.\s*put\s*\((?=[^;{{}}]*\b(?:{})\b)[^;{{}}]{{1,200}}"
)
_CALL = re.compile(r"(\w+)\s*\(")
COLLECTION = (
    r"\b(?:\w*(?:List|Set|Map|Collection|StringBuilder|StringBuffer|StringJoiner)\b(?:<[^;=()]{{0,80}}>)?\s+{0}\b"
    r"|{0}\s*=\s*(?:new\s+)?(?:\w+\.)*(?:\w*(?:List|Set|Buffer|StringBuilder|StringJoiner)\w*|\w+ListOf|\w+SetOf)\b)"
)
VALUE_LIST = (
    r"\b(\w+)\s*(?::[^=;{{}}\n]{{0,60}})?=(?!=)\s*(?:(?:StreamSupport\s*\.\s*stream|\w+\s*\.\s*(?:newArrayList|copyOf|toList)|new\s+\w+(?:<[^<>;]*>)?)\s*\(\s*)?\b(?:{0})\b"
    r"(?!\s*\.\s*(?:count|size|length|isEmpty|partitions)\b)"
    r"(?:[\w\s.,]|\([\w\s,]*\)|\)|\.\s*map\s*(?:\(\s*(?:(\w+)\s*(?:->|=>)\s*\2\s*\.\s*\w+"
    r"(?:\s*\(\s*\))?|_\s*\.\s*\w+|\w+\s*::\s*\w+)\s*\)|\{{\s*it(?:\.\w+(?:\(\))?)?\s*\}}))*?(?=;|\n)"
)
"""An assignment of a list of polled records, or of values extracted from them."""
_RECORD_LIST = (
    r"\b(?:List|Set|Collection|Iterable|Seq)\s*<(?![^;=(){{}}]*(?:Future|Callable))[^;=(){{}}]{{1,80}}>\s+"
    r"(\w+)\s*=(?!=)\s*(?:(?:StreamSupport\s*\.\s*stream|new\s+\w+(?:<[^<>;]*>)?)\s*\(\s*)?\b(?:{0})\b"
)
BUFFER_NAME = re.compile(r"(?i)buf|batch|list|pending")
"""The name of a buffer that is created elsewhere."""


def filled_collections(text: Text, names: str, span: Block) -> Iterator[tuple[str, Block]]:
    """Yields the collections into which a span puts records, each with the span of the call;
    `names` is a pattern for the names of records."""
    plain = text.plain
    for match in re.compile(_ADD_CALL.format(names, names)).finditer(plain, *span):
        yield match[1] or match[2], match.span()
    for match in re.compile(_PUT_CALL.format(names)).finditer(plain, *span):
        verbs = _CALL.findall(match[0])[1:]
        if all(re.fullmatch(TAKES_APART, verb) for verb in verbs) and not OFFSETS.search(match[0]):
            yield match[1], match.span()


def per_poll_collections(text: Text, names: str, span: Block) -> Iterator[str]:
    """Yields the collections that a span both creates and fills with records."""
    for match in re.compile(_RECORD_LIST.format(names)).finditer(text.plain, *span):
        yield match[1]
    for name in {name for name, _ in filled_collections(text, names, span)}:
        if re.compile(COLLECTION.format(name)).search(text.plain, *span):
            yield name
    for match in re.compile(VALUE_LIST.format(names)).finditer(text.plain, *span):
        yield match[1]
