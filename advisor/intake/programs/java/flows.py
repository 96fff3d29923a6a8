"""Names that code in Java's manner hands records on to: in loops, in functions of a collection, and
in collections that are filled.

They tell what a handler of errors is around. What becomes of a record is asked of the record and of
what is made of it (`values`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice

from advisor.intake.programs.java.sequences import steps
from advisor.intake.programs.java.text import Block, Text

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
_OF_PLACES = re.compile(r"(?i)offset|position|commit|count|metric|stat|seen|lag")
"""What is kept of a record beside what it says."""


def flows(text: Text, names: Collection[str], span: Block) -> set[str]:
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
        known.update(_of_functions(text, sorted(known)[:_MOST_NAMES], (begin, end)))
        if len(known) == before:
            break
    return known


def _of_functions(text: Text, names: Collection[str], span: Block) -> Iterator[str]:
    """How functions of a chain of calls name what they are given; `it` where they do not."""
    uses = re.compile(rf"\b(?:{'|'.join(names) or '_'})\b(?=\s*\??\.)")
    for use in islice(uses.finditer(text.plain, *span), _MOST):
        for step in steps(text, use.end()):
            named = [name for name, _ in step.parameters(text)]
            yield from named or (["it"] if text.plain[step.begin - 1] == "{" else [])
