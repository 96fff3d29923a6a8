"""Names of what JVM code derives from a record: its value, what is parsed from it, a request that
holds it. Such a name stands for the record.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.jvm.text import Block, Text

_MOST, _ROUNDS = 100, 3
_ASSIGNS = re.compile(
    r"(?<=[;{}\n>])\s*(?:final\s+)?(?:(?P<type>va[lr]|[\w.]+(?:<[\w<>?, .]{0,60}>)?(?:\[\])?)\s+)?"
    r"(?P<name>\w+)(?:\s*:\s*[\w<>\[\]?., ]{1,60})?\s*=(?![=>])(?P<made>[^;{}\n]{1,300}"
    r"(?:\n\s*\.[^;{}\n]{1,200}){0,12})"
)
_MAPPED = re.compile(
    r"(?<=[;{}\n>])\s*(?:va[lr]\s+)(?P<name>\w+)(?:\s*:\s*[\w<>\[\]?., ]{1,60})?\s*=(?![=>])"
    r"\s*(?P<of>\w+)(?:\s*\.\s*\w+(?:\(\))?){0,3}\s*\.\s*map\w*\s*\{(?P<body>[^{};\n]{1,200})\}"
    r"\s*(?=[;\n])"
)
"""Kotlin's, of all that was polled."""
_LAMBDA = re.compile(
    r"(?<=[;{}\n])(?P<of>[^;{}\n]{1,200}(?:\n\s*\.[^;{}\n]{1,200}){0,6})"
    r"[({,]\s*(?:case\s*)?\(?(?P<names>\w+(?:\s*,\s*\w+)*)\)?\s*(?:->|=>)"
)
_NO_RECORD = re.compile(
    r"(?:boolean|int|long|double|Boolean|Integer|Long|Duration|Instant|Span|Timer|StopWatch"
    r"|\w*(?:Future|Deferred|Job|Disposable|Thread|Stage)\b.*|Map<TopicPartition.*)"
)
"""Types whose values are not records any more."""
_COUNTS = re.compile(r"\.\s*(?:count|size|isEmpty|isNotEmpty|partitions)\b\s*(?:\(\s*\))?\s*$")
_VERB = re.compile(r"(\w+)\s*(?:<[\w<>?, .]{0,40}>)?\s*\(")
TAKES_APART = (
    r"(?:value|key|topic|partition|offset|timestamp|headers|lastHeader|read\w+|from\w*|parse\w*"
    r"|decode\w*|deserial\w*|convert\w*|map\w*|to[A-Z]\w*|valueOf|of|as[A-Z]\w*|trim|split|strip"
    r"|stream|spliterator|collect|joining|filter|sorted|distinct|get(?!For|And)\w*|build\w*|unmarshal\w*|format|copyOf|[A-Z]\w*)"
)
"""Calls that make a value of a record, and have no effect elsewhere."""
LOGGED = re.compile(
    r"\b(?:(?:\w+\.){0,6}(?i:_?log(?:ger)?)\.\w+|System\.(?:out|err)\.\w+|(?<![\w.])(?:println|print"
    r"|printf|log(?:Info|Debug|Warning|Error|Trace)))\s*[({]"
)
"""What only writes of something."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A name, where its value stands, and whether that is only taken out of a record."""

    name: str
    span: Block
    is_apart: bool


def derived_from(text: Text, names: Collection[str], span: Block) -> list[Derived]:
    """What is made of records of these names, between two places."""
    known, found = {*names}, dict[int, Derived]()
    assigned = [*islice(_ASSIGNS.finditer(text.plain, max(0, span[0]), span[1]), _MOST)]
    for _ in range(_ROUNDS):
        for match in assigned:
            own = match["made"]
            if match.start() in found or known.isdisjoint(re.findall(r"\w+", own)):
                continue
            if _NO_RECORD.fullmatch(match["type"] or "") or _COUNTS.search(own):
                continue
            apart = all(map(_is_harmless, _VERB.findall(own)))
            place = match.start("name"), match.end()
            found[match.start()] = Derived(match["name"], place, apart)
            known.add(match["name"])
    for match in islice(_MAPPED.finditer(text.plain, max(0, span[0]), span[1]), _MOST):
        if match["of"] in known and all(map(_is_harmless, _VERB.findall(match["body"]))):
            found[match.start()] = Derived(match["name"], (match.start("name"), match.end()), True)
    return [*found.values(), *_of_lambdas(text, known, span)]


def _of_lambdas(text: Text, known: Collection[str], span: Block) -> Iterator[Derived]:
    """What a chain of calls hands on of records: `Optional.of(r.value()).ifPresent(v -> …)`."""
    every = {*known}
    for match in islice(_LAMBDA.finditer(text.plain, max(0, span[0]), span[1]), _MOST):
        if not every.isdisjoint(re.findall(r"\w+", match["of"])):
            names = re.findall(r"\w+", match["names"])
            yield from (Derived(name, (match.start(), match.start()), False) for name in names)
            every.update(names)


def _is_harmless(verb: str) -> bool:
    return bool(re.fullmatch(TAKES_APART, verb))


def log_arguments(text: Text, span: Block) -> Iterator[Block]:
    """What is written of in a log, from where to where."""
    for match in islice(LOGGED.finditer(text.plain, max(0, span[0]), span[1]), _MOST):
        yield match.start(), text.closed(match.end())
