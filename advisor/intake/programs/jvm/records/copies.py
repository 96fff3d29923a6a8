"""Copies of all polled records, or of their values, in another collection:
`Lists.newArrayList(records)`, `records.toMutableList()`, `records.asScala.map(_.value).toVector`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice

from advisor.intake.programs.jvm.records.derived_names import TAKES_APART
from advisor.intake.programs.jvm.records.poll_chains import Step, steps
from advisor.intake.programs.jvm.text import Block, Text

_MOST, _MOST_NAMES, _ROUNDS = 30, 30, 2
COPYING_FUNCTION = (
    r"(?:list|seq|toList|toSet|toArray|asList|\w*[lL]istOf|(?:new)?\w*ArrayList|newLinkedList|LinkedList"
    r"|ArrayDeque|copy\w*|stream|fromIterable|ofAll|from|asScala\w*|IteratorToList)"
)
_COPY = (
    r"\b(?P<name>\w+)(?:\s*:\s*[\w<>\[\]?., ]{{1,60}})?\s*(?<![=!<>])=(?!=)\s*"
    rf"(?P<functions>(?:(?:new\s+)?(?:\w+\s*\.\s*)?{COPYING_FUNCTION}\s*"
    r"(?:<[\w<>?, ]{{0,60}}>\s*)?\(\s*\*?){{0,2}})(?:{0})\b"
)
"""An assignment of a value that starts with all polled records, perhaps as an argument."""
_COPYING_STEP = re.compile(
    r"spliterator|iterator|listIterator|(?:parallelS|s)tream|asScala|asJava|asSequence|asIterable"
    r"|view|to(?:List|Seq|Vector|IndexedSeq|MutableList|Array|Buffer|TypedArray|Set|Iterable)"
    r"|sort\w*|revers\w*|shuffled|distinct\w*|collect|unordered|boxed|filterNotNull|build|addAll"
)
_EXTRACTING_STEP = re.compile(r"map\w*|collect")
_CALL = re.compile(r"(\w+)\s*\(|::\s*(\w+)|_\s*\.\s*(\w+)")
_END = re.compile(r"[ \t]*(?=[;\n})]|\Z)")


def copies(text: Text, names: Collection[str], span: Block) -> Iterator[tuple[str, Block]]:
    """Yields the names that a span assigns a copy of all polled records to, each with the span of
    its assignment. `names` are names of all polled records."""
    known = {*names}
    seen = set[int]()
    for _ in range(_ROUNDS):
        pattern = re.compile(_COPY.format("|".join(sorted(known)[:_MOST_NAMES]) or "(?!)"))
        for match in islice(pattern.finditer(text.plain, *span), _MOST):
            end = _copy_end(text, match)
            if end and match.start() not in seen:
                seen.add(match.start())
                known.add(match["name"])
                yield match["name"], (match.start(), end)


def _copy_end(text: Text, match: re.Match[str]) -> int:
    """Returns the end of an assigned copy; 0 if the value is something else than a copy."""
    functions, first = match["functions"], match.start("functions")
    brackets = [first + at for at, char in enumerate(functions) if char == "("]
    chain, at = [*steps(text, match.end())], match.end()
    for bracket in [-1, *reversed(brackets)]:
        if bracket >= 0:
            at = text.closed(bracket + 1)
            chain = [*steps(text, at)]
        if not all(_copies(text, step) for step in chain):
            return 0
        at = max(chain[-1].end + (text.plain[chain[-1].end] in ")}"), at) if chain else at
    return at if (brackets or at > match.end()) and _END.match(text.plain, at) else 0


def _copies(text: Text, step: Step) -> bool:
    """Whether a step keeps all records, or extracts a value of each."""
    code = text.plain[step.begin : max(step.begin, step.end)]
    if _EXTRACTING_STEP.fullmatch(step.name) and code.strip():
        verbs = [verb for call in _CALL.findall(code) for verb in call if verb]
        return all(re.fullmatch(TAKES_APART, verb) for verb in verbs)
    return bool(_COPYING_STEP.fullmatch(step.name))
