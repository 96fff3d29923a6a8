"""Lists of attempts in place of lists that pair each record with its attempt.

`rs.map { it to runCatching { save(it) } }`, Scala's `rs.map(r => (r, Try(save(r))))` and Kotlin's
`associateWith` become `rs.map { runCatching { save(it) } }`, and `results.forEach { (r, it) -> … }`
after it takes the attempt alone. Line numbers do not change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.jvm.records.poll_chains import steps
from advisor.intake.programs.jvm.text import Block, Text, spliced

_MOST, _HEAD = 40, 160
_ATTEMPT = r"(?=(?:runCatching|Try|Either\s*\.\s*catch\w*)\b)"
_VALUE = r"\w+(?:\s*\.\s*\w+(?:\(\s*\))?){0,3}"
_PAIR = re.compile(
    r"\.\s*map\s*(?P<map>[({])\s*(?:\(?\w+\)?\s*(?:->\s*|=>))?\s*"
    rf"(?P<first>(?P<opened>\()\s*{_VALUE}\s*,\s*|(?:{_VALUE}\s*to\b|(?<=>)\s*{_VALUE}\s*->)\s*"
    r"|(?:new\s+)?(?:Map\s*\.\s*entry|[A-Z]\w*(?:<[\w<>?, ]*>)?\s*(?:\.\s*of\s*)?)(?P<call>\()"
    rf"\s*{_VALUE}\s*,\s*)" + _ATTEMPT +
    r"|\.\s*(?P<associate>associateWith)\s*(?P<brace>\{)\s*(?:\w+\s*->\s*)?" + _ATTEMPT
)  # fmt: skip
"""A function that pairs a record with an attempt."""
_ASSIGNED = re.compile(r"\bva[lr]\s+(\w+)\s*(?::[^=;{}\n]{1,80})?=\s*$|[\w>]\s+(\w+)\s*=\s*$")
_PARAMETERS = re.compile(
    r"\s*(?:case\s*)?\(\s*\w+\s*,\s*(?P<second>\w+(?:\s*\([^()]*\))?)\s*\)\s*(?=[-=]>)"
)
"""The parameters of a function for both parts of a pair."""
_SECOND = re.compile(
    r"(?<=[\w_])\s*\.\s*(?:second|_2|getValue\(\s*\)|getSecond\(\s*\)|component2\(\s*\)"
    r"|(?:result|outcome|attempt)(?:\(\s*\))?)(?=\s*(?:[.)}]|match\b))"
)
"""The second part of a pair, or the property of a team's own class that holds the attempt."""
_LOOP = r"\bfor\s*\(\s*(?P<pair>\(\s*\w+\s*,\s*(?P<second>\w+)\s*\))\s*(?:in\b|<-)\s*{0}\b"
_OF_VALUES = {"filterValues": "filter", "mapValues": "map", "values": "toList()"}

Change = tuple[int, int, str]


def without_pairs(code: str) -> str:
    """Returns the program with attempts in place of such pairs."""
    if not re.search(r"\b(?:runCatching|Try|Either)\b", code):
        return code
    text, changes = Text.of(code), list[Change]()
    for match in islice(_PAIR.finditer(text.plain), _MOST):
        changes += _changes(text, match)
    return spliced(code, sorted({*changes}))


def _changes(text: Text, match: re.Match[str]) -> Iterator[Change]:
    """Yields the changes for one list of pairs."""
    plain, bracket = text.plain, match.start("map" if match["map"] else "brace")
    for group in ("opened", "call"):
        if match[group]:
            closed = text.closed(match.start(group) + 1)
            yield closed - 1, closed, ""
    if match["first"]:
        yield match.start("first"), match.end("first"), ""
    else:
        yield *match.span("associate"), "map"
    end = text.block_of(bracket)[1] + 1 if plain[bracket] == "{" else text.closed(bracket + 1)
    yield from _changes_in_chain(text, end)
    begin = text.chain(bracket)
    name = _ASSIGNED.search(plain, max(0, begin - _HEAD), begin)
    if name is None:
        return
    name_, scope = name[1] or name[2], (end, text.block(end)[1])
    for loop in islice(re.compile(_LOOP.format(name_)).finditer(plain, *scope), _MOST):
        yield *loop.span("pair"), loop["second"]
    for use in islice(re.compile(rf"(?<![\w.]){name_}\b").finditer(plain, *scope), _MOST):
        yield from _changes_in_chain(text, use.end())


def _changes_in_chain(text: Text, at: int) -> Iterator[Change]:
    """Yields the changes in the functions of the chain that starts at an offset."""
    for step in steps(text, at):
        span: Block = step.begin, max(step.begin, step.end)
        if step.name in _OF_VALUES:
            name = re.compile(rf"\b{step.name}\b").search(text.plain, step.at)
            yield from () if name is None else ((*name.span(), _OF_VALUES[step.name]),)
        if pair := _PARAMETERS.match(text.plain, *span):
            is_pattern = "(" in pair["second"] or pair["second"][0].isupper()
            yield *pair.span(), f"{'case ' if is_pattern else ''}{pair['second']} "
        for second in islice(_SECOND.finditer(text.plain, *span), _MOST):
            yield *second.span(), ""
