"""Names of values that JVM code derives from a record: the value of the record, an object parsed
from it, a request that holds it. Such a name stands for the record.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice, takewhile

from advisor.intake.programs.jvm.text import Block, Text

_MOST, _ROUNDS, _MOST_LOG_CALLS, _REACH = 100, 3, 2_000, 160
_ASSIGNMENT = re.compile(
    r"(?<=[;{}\n>])\s*(?:final\s+)?(?:(?P<type>va[lr]|[\w.]+(?:<[\w<>?, .]{0,60}>)?(?:\[\])?)\s+)?"
    r"(?P<name>\w+)(?:\s*:\s*[\w<>\[\]?., ]{1,60})?\s*=(?![=>])(?P<value>[^;{}\n]{1,300}"
    r"(?:\n\s*\.[^;{}\n]{1,200}){0,12})"
)
_KOTLIN_MAP = re.compile(
    r"(?<=[;{}\n>])\s*(?:va[lr]\s+)(?P<name>\w+)(?:\s*:\s*[\w<>\[\]?., ]{1,60})?\s*=(?![=>])"
    r"\s*(?P<source>\w+)(?:\s*\.\s*\w+(?:\(\))?){0,3}\s*\.\s*map\w*\s*\{(?P<body>[^{};\n]{1,200})\}"
    r"\s*(?=[;\n])"
)
"""An assignment in Kotlin of a list with one value per polled record."""
_LAMBDA = re.compile(
    r"(?<=[;{}\n])(?P<source>[^;{}\n]{1,200}(?:\n\s*\.[^;{}\n]{1,200}){0,6})"
    r"[({,]\s*(?:case\s*)?\(?(?P<names>\w+(?:\s*,\s*\w+)*)\)?\s*(?:->|=>)"
)
_SIMPLE_FUNCTION = re.compile(r"\{\s*it\b[^{};\n>]{0,60}\}")
"""A function of Kotlin that extracts a value, between two calls of a chain."""
_OTHER_TYPE = re.compile(
    r"(?:boolean|int|long|double|Boolean|Integer|Long|Duration|Instant|Span|Timer|StopWatch"
    r"|\w*(?:Future|Deferred|Job|Disposable|Thread|Stage)\b.*|Map<TopicPartition.*)"
)
"""Types whose values are not records."""
_COUNT = re.compile(r"\.\s*(?:count|size|isEmpty|isNotEmpty|partitions)\b\s*(?:\(\s*\))?\s*$")
_CALL = re.compile(r"(\w+)\s*(?:<[\w<>?, .]{0,40}>)?\s*\(")
TAKES_APART = (
    r"(?:value|key|topic|partition|offset|timestamp|headers|lastHeader|read\w+|from\w*|parse\w*"
    r"|decode\w*|deserial\w*|convert\w*|map\w*|to[A-Z]\w*|valueOf|of|as[A-Z]\w*|trim|split|strip"
    r"|stream|spliterator|collect|joining|filter|sorted|distinct|get(?!For|And)\w*|build\w*|unmarshal\w*|format|copyOf|[A-Z]\w*)"
)
"""Calls that extract or convert a value of a record and have no other effect."""
LOGGED = re.compile(
    r"\b(?:(?:\w+\.){0,6}(?i:_?log(?:ger)?)\.\w+|System\.(?:out|err)\.\w+|(?<![\w.])(?:println|print"
    r"|printf|log(?:Info|Debug|Warning|Error|Trace)))\s*[({]"
)
"""Calls that only log."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A name, the span of its assignment, and whether its value is only extracted from a record."""

    name: str
    span: Block
    is_extracted: bool


def derived_from(text: Text, names: Collection[str], span: Block) -> list[Derived]:
    """Returns the names that a span derives from records of these names."""
    known_names, derived = {*names}, dict[int, Derived]()
    assignments = [*islice(_ASSIGNMENT.finditer(text.plain, max(0, span[0]), span[1]), _MOST)]
    for _ in range(_ROUNDS):
        for match in assignments:
            value = match["value"]
            if match.start() in derived or known_names.isdisjoint(re.findall(r"\w+", value)):
                continue
            if _OTHER_TYPE.fullmatch(match["type"] or "") or _COUNT.search(value):
                continue
            is_extracted = all(map(_is_extraction, _CALL.findall(value)))
            place = match.start("name"), match.end()
            derived[match.start()] = Derived(match["name"], place, is_extracted)
            known_names.add(match["name"])
    for match in islice(_KOTLIN_MAP.finditer(text.plain, max(0, span[0]), span[1]), _MOST):
        if match["source"] in known_names and all(
            map(_is_extraction, _CALL.findall(match["body"]))
        ):
            derived[match.start()] = Derived(
                match["name"], (match.start("name"), match.end()), True
            )
    return [*derived.values(), *_lambda_names(text, known_names, span)]


def _lambda_names(text: Text, names_before: Collection[str], span: Block) -> Iterator[Derived]:
    """Parameters of lambdas in a chain of calls on records:
    `Optional.of(r.value()).ifPresent(v -> …)`."""
    known_names = {*names_before}
    if _LAMBDA not in text.names:
        text.names[_LAMBDA] = _SIMPLE_FUNCTION.sub(lambda it: " " * len(it[0]), text.plain)
    code: str = text.names[_LAMBDA]
    for match in islice(_LAMBDA.finditer(code, max(0, span[0]), span[1]), _MOST):
        if not known_names.isdisjoint(re.findall(r"\w+", match["source"])):
            names = re.findall(r"\w+", match["names"])
            yield from (Derived(name, (match.start(), match.start()), False) for name in names)
            known_names.update(names)


def _is_extraction(verb: str) -> bool:
    return bool(re.fullmatch(TAKES_APART, verb))


def log_arguments(text: Text, span: Block) -> Iterator[Block]:
    """Yields the spans of logging calls in a span."""
    if LOGGED not in text.names:
        matches = islice(LOGGED.finditer(text.plain), _MOST_LOG_CALLS)
        text.names[LOGGED] = [(match.start(), text.closed(match.end())) for match in matches]
    calls: list[Block] = text.names[LOGGED]
    first = bisect_left(calls, (max(0, span[0]), 0))
    yield from takewhile(lambda call: call[0] < span[1], calls[first : first + _MOST])


def is_logged(text: Text, at: int) -> bool:
    """Whether the code at an offset is in the arguments of a logging call."""
    return any(start < at < end for start, end in log_arguments(text, (at - _REACH, at + 1)))
