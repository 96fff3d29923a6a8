"""Functions of Kotlin that have a receiver, as ones that are given it:
`fun Batch.all() { forEach { save(it) } }` is `fun all(received: Batch) { received.forEach … }`,
and `rs.all()` is `all(rs)`. Lines stay as they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from itertools import islice

from advisor.intake.programs.jvm.text import Block, Text, spliced

_MOST, _MOST_CALLS = 40, 300
_FUNCTION = re.compile(
    r"\bfun\s+(?:<[^<>]{0,80}>\s*)?(?P<of>(?!(?:Kafka)?(?:Producer|Consumer)\b)[A-Z]\w*"
    r"(?:<[^(){}=\n]{0,100}>)?\??)\.(?P<name>\w+)\s*\("
)
_BODY = re.compile(r"\s*(?::\s*[^={}\n]{1,80})?(?:(?P<block>\{)|=\s*)")
_SCOPE = re.compile(r"\b(?:apply|run|with|object)\b")
"""What may have another receiver in it."""
_OWN = re.compile(
    r"\bthis\b(?!@)|(?<![\w.:@?])(?P<call>(?:for[Ee]ach\w*|map\w*|filter\w*|groupBy|chunked|flatMap"
    r"|onEach|partitions|records|count|isEmpty|iterator|toList|asSequence|value|key|offset|topic"
    r"|partition|timestamp|headers)\s*[({])"
)
_NAME = "received"

Change = tuple[int, int, str]


def without_receivers(code: str) -> str:
    """The same program with such functions, and their calls, in this form."""
    text, names, changes = Text.of(code), list[str](), list[Change]()
    found = [*islice(_FUNCTION.finditer(text.plain), _MOST)]
    counts = Counter(match["name"] for match in found)
    for match in found:
        body = _body(text, match.end())
        is_plain = body and not _SCOPE.search(text.plain, *body)
        if body and is_plain and counts[match["name"]] == 1:
            names.append(match["name"])
            comma = "" if text.plain[match.end() :].lstrip().startswith(")") else ", "
            given = f"{match['name']}({_NAME}: {match['of']}{comma}"
            changes.append((match.start("of"), match.end(), given))
            changes += _of_receiver(text, body)
    return _with_calls(spliced(code, changes), names) if names else code


def _body(text: Text, opened: int) -> Block | None:
    begin = _BODY.match(text.plain, text.closed(opened))
    if begin is None:
        return None
    return text.block_of(begin.end() - 1) if begin["block"] else text.statement(begin.end())


def _of_receiver(text: Text, body: Block) -> list[Change]:
    return [
        (*match.span(), f"{_NAME}.{match['call']}" if match["call"] else _NAME)
        for match in _OWN.finditer(text.plain, *body)
    ]


def _with_calls(code: str, names: Collection[str]) -> str:
    """The calls of these functions with their object as the first that they are given."""
    text, changes = Text.of(code), list[Change]()
    known = "|".join(names)
    references = re.compile(rf"\b[A-Z]\w*(?:<[\w<>?, ]{{0,80}}>)?\s*(?=::\s*(?:{known})\b)")
    changes += [(*match.span(), "") for match in references.finditer(text.plain)]
    calls = re.compile(rf"\s*\??\.\s*(?P<name>{known})\s*\((?P<none>\s*\))?")
    for match in reversed([*islice(calls.finditer(text.plain), _MOST_CALLS)]):
        opened = match.start() + match[0].index("(")
        begin = text.chain(opened)
        end = match.end() - (match["none"] is not None)
        changes.append((begin, begin, f"{match['name']}("))
        changes.append((match.start(), end, "" if match["none"] else ", "))
    return spliced(code, sorted(changes, key=lambda change: change[0]))
