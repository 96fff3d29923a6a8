"""Kotlin's extension functions as functions with a parameter for the receiver.

`fun Batch.all() { forEach { save(it) } }` becomes
`fun all(received: Batch) { received.forEach … }`, and `rs.all()` becomes `all(rs)`. Line numbers do
not change.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from itertools import islice

from advisor.intake.programs.jvm.text import Block, Text, spliced

_MOST_FUNCTIONS, _MOST_CALLS = 40, 300
_FUNCTION = re.compile(
    r"\bfun\s+(?:<[^<>]{0,80}>\s*)?(?P<type>(?!(?:Kafka)?(?:Producer|Consumer)\b)[A-Z]\w*"
    r"(?:<[^(){}=\n]{0,100}>)?\??)\.(?P<name>\w+)\s*\("
)
_BODY = re.compile(r"\s*(?::\s*[^={}\n]{1,80})?(?:(?P<block>\{)|=\s*)")
_SCOPE = re.compile(r"\b(?:apply|run|with|object)\b")
"""A scope function or object, whose block may have another receiver."""
_RECEIVER_USE = re.compile(
    r"\bthis\b(?!@)|(?<![\w.:@?])(?P<call>(?:for[Ee]ach\w*|map\w*|filter\w*|groupBy|chunked|flatMap"
    r"|onEach|partitions|records|count|isEmpty|iterator|toList|asSequence|value|key|offset|topic"
    r"|partition|timestamp|headers)\s*[({])"
)
_PARAMETER_NAME = "received"

Change = tuple[int, int, str]


def without_receivers(code: str) -> str:
    """Returns the program with the receiver as a parameter, and as an argument of calls."""
    text, names, changes = Text.of(code), list[str](), list[Change]()
    functions = [*islice(_FUNCTION.finditer(text.plain), _MOST_FUNCTIONS)]
    counts = Counter(function["name"] for function in functions)
    for function in functions:
        body = _body(text, function.end())
        is_plain = body and not _SCOPE.search(text.plain, *body)
        if body and is_plain and counts[function["name"]] == 1:
            names.append(function["name"])
            comma = "" if text.plain[function.end() :].lstrip().startswith(")") else ", "
            signature = f"{function['name']}({_PARAMETER_NAME}: {function['type']}{comma}"
            changes.append((function.start("type"), function.end(), signature))
            changes += _receiver_uses(text, body)
    return _with_calls(spliced(code, changes), names) if names else code


def _body(text: Text, opened: int) -> Block | None:
    begin = _BODY.match(text.plain, text.closed(opened))
    if begin is None:
        return None
    return text.block_of(begin.end() - 1) if begin["block"] else text.statement(begin.end())


def _receiver_uses(text: Text, body: Block) -> list[Change]:
    return [
        (*match.span(), f"{_PARAMETER_NAME}.{match['call']}" if match["call"] else _PARAMETER_NAME)
        for match in _RECEIVER_USE.finditer(text.plain, *body)
    ]


def _with_calls(code: str, names: Collection[str]) -> str:
    """Returns the program with the receiver as the first argument of these functions' calls."""
    text, changes = Text.of(code), list[Change]()
    alternatives = "|".join(names)
    references = re.compile(rf"\b[A-Z]\w*(?:<[\w<>?, ]{{0,80}}>)?\s*(?=::\s*(?:{alternatives})\b)")
    changes += [(*match.span(), "") for match in references.finditer(text.plain)]
    calls = re.compile(rf"\s*\??\.\s*(?P<name>{alternatives})\s*\((?P<closing>\s*\))?")
    for match in reversed([*islice(calls.finditer(text.plain), _MOST_CALLS)]):
        opened = match.start() + match[0].index("(")
        begin = text.chain(opened)
        end = match.end() - (match["closing"] is not None)
        changes.append((begin, begin, f"{match['name']}("))
        changes.append((match.start(), end, "" if match["closing"] else ", "))
    return spliced(code, sorted(changes, key=lambda change: change[0]))
