"""Names to which JVM code hands records over: in loops, in functions of a collection, and in
collections that are filled.

They tell what a handler of errors is around. What becomes of a record is asked of the record and of
what is made of it (`derived_names`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice

from advisor.intake.programs.jvm.records.poll_chains import names_of_cases, steps
from advisor.intake.programs.jvm.text import Block, Text

_MOST, _ROUNDS, _MOST_NAMES = 60, 3, 30
_LOOP = re.compile(
    r"\bfor\s*\(\s*[^;{}\n]{0,100}?(?P<names>\w+|\([\w, ]{1,60}\))\s*(?::|\bin\b)"
    r"(?P<of>[^;{}\n]{1,200})"
    r"|\b(?P<name>\w+)\s*<-(?P<from>[^;{}\n]{1,200})"
)
_FILLED = re.compile(
    r"\b(?P<name>\w+)\s*(?:\.\s*(?:add\w*|put\w*|offer\w*|push|append)\s*\(|\+=)"
    r"(?P<of>[^;{}\n]{1,200})"
)
_TAKEN = re.compile(
    r"\b(?P<name>\w+)\s*=(?!=)\s*(?P<of>\w+)\s*\.\s*"
    r"(?:poll|remove|pop|take|next|get|peek|first|last)\w*"
)
_MATCHED = re.compile(r"\b(?P<of>\w+)(?:\s*\.\s*\w+(?:\(\))?){0,3}\s+match\s*\{")
_SCOPE = re.compile(
    r"\bwith\s*\((?P<given>[^{};]{1,200})\)\s*$|(?P<chain>[^;{}\n]{1,200})\.\s*(?:run|apply)\s*$"
)
"""What stands before Kotlin's braces that have a receiver (Kotlin, "Scope functions")."""
_OF_PLACES = re.compile(r"(?i)offset|position|commit|count|metric|stat|seen|lag")
"""What is kept of a record beside what it says."""


def receiving_names(text: Text, names: Collection[str], span: Block) -> set[str]:
    """These names, and those that records of these names are handed on to, between two places."""
    known = {*names}
    begin, end = max(0, span[0]), span[1]
    for _ in range(_ROUNDS):
        before = len(known)
        for match in islice(_LOOP.finditer(text.plain, begin, end), _MOST):
            if not known.isdisjoint(re.findall(r"\w+", match["of"] or match["from"])):
                known.update(re.findall(r"\w+", match["names"] or match["name"]))
        for match in islice(_FILLED.finditer(text.plain, begin, end), _MOST):
            is_of_places = _OF_PLACES.search(match["name"]) or _OF_PLACES.search(match["of"])
            if not is_of_places and not known.isdisjoint(re.findall(r"\w+", match["of"])):
                known.add(match["name"])
        for match in islice(_TAKEN.finditer(text.plain, begin, end), _MOST):
            known |= {match["name"]} if match["of"] in known else set()
        for match in islice(_MATCHED.finditer(text.plain, begin, end), _MOST):
            cases = text.block_of(match.end() - 1)
            if match["of"] in known:
                known.update(name for name, _ in names_of_cases(text, cases))
        known.update(_of_functions(text, sorted(known)[:_MOST_NAMES], (begin, end)))
        if len(known) == before:
            break
    return known


def has_receiver(text: Text, names: Collection[str], at: int) -> bool:
    """Whether a place is in braces of Kotlin's whose receiver is made of these names, so that a
    call without an object may be one of a record: `with(rs) { forEach { … } }`."""
    scopes = (_SCOPE.search(head) for _, _, head in text.around(at))
    words = (re.findall(r"\w+", scope["given"] or scope["chain"]) for scope in scopes if scope)
    return any(not set(names).isdisjoint(own) for own in words)


def _of_functions(text: Text, names: Collection[str], span: Block) -> Iterator[str]:
    """How functions of a chain of calls name what they are given; `it` where they do not."""
    uses = re.compile(rf"\b(?:{'|'.join(names) or '(?!)'})\b(?=\s*\??\.)")
    for use in islice(uses.finditer(text.plain, *span), _MOST):
        for step in steps(text, use.end()):
            named = [name for name, _ in step.parameters(text)]
            yield from named or (["it"] if text.plain[step.begin - 1] == "{" else [])
