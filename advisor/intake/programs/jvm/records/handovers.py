"""Names to which JVM code passes records: loop variables, parameters of collection functions, and
collections that it fills.

They show which `try` blocks process records. How a record is processed is read from the names of
the record and the names derived from it (`derived_names`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice

from advisor.intake.programs.jvm.records.poll_chains import case_names, steps
from advisor.intake.programs.jvm.text import Block, Text

_MOST, _ROUNDS, _MOST_NAMES = 60, 3, 30
_LOOP = re.compile(
    r"\bfor\s*\(\s*[^;{}\n]{0,100}?(?P<names>\w+|\([\w, ]{1,60}\))\s*(?::|\bin\b)"
    r"(?P<source>[^;{}\n]{1,200})"
    r"|\b(?P<name>\w+)\s*<-(?P<generator>[^;{}\n]{1,200})"
)
_INSERTION = re.compile(
    r"\b(?P<name>\w+)\s*(?:\.\s*(?:add\w*|put\w*|offer\w*|push|append)\s*\(|\+=)"
    r"(?P<source>[^;{}\n]{1,200})"
)
_REMOVAL = re.compile(
    r"\b(?P<name>\w+)\s*=(?!=)\s*(?P<source>\w+)\s*\.\s*"
    r"(?:poll|remove|pop|take|next|get|peek|first|last)\w*"
)
_MATCH = re.compile(r"\b(?P<source>\w+)(?:\s*\.\s*\w+(?:\(\))?){0,3}\s+match\s*\{")
_RECEIVER_SCOPE = re.compile(
    r"\bwith\s*\((?P<receiver>[^{};]{1,200})\)\s*$|(?P<chain>[^;{}\n]{1,200})\.\s*(?:run|apply)\s*$"
)
"""The head of a Kotlin block that has a receiver (Kotlin, "Scope functions")."""
_METADATA_NAME = re.compile(r"(?i)offset|position|commit|count|metric|stat|seen|lag")
"""Names for the metadata of a record rather than its value."""


def receiving_names(text: Text, names: Collection[str], span: Block) -> set[str]:
    """Returns these names, and those to which a span passes records of these names."""
    known_names = {*names}
    begin, end = max(0, span[0]), span[1]
    for _ in range(_ROUNDS):
        count = len(known_names)
        for match in islice(_LOOP.finditer(text.plain, begin, end), _MOST):
            if not known_names.isdisjoint(
                re.findall(r"\w+", match["source"] or match["generator"])
            ):
                known_names.update(re.findall(r"\w+", match["names"] or match["name"]))
        for match in islice(_INSERTION.finditer(text.plain, begin, end), _MOST):
            is_metadata = _METADATA_NAME.search(match["name"]) or _METADATA_NAME.search(
                match["source"]
            )
            if not is_metadata and not known_names.isdisjoint(re.findall(r"\w+", match["source"])):
                known_names.add(match["name"])
        for match in islice(_REMOVAL.finditer(text.plain, begin, end), _MOST):
            known_names |= {match["name"]} if match["source"] in known_names else set()
        for match in islice(_MATCH.finditer(text.plain, begin, end), _MOST):
            cases = text.block_of(match.end() - 1)
            if match["source"] in known_names:
                known_names.update(name for name, _ in case_names(text, cases))
        known_names.update(
            _lambda_parameters(text, sorted(known_names)[:_MOST_NAMES], (begin, end))
        )
        if len(known_names) == count:
            break
    return known_names


def has_receiver(text: Text, names: Collection[str], at: int) -> bool:
    """Whether a place is in a Kotlin block whose receiver uses one of these names, so that a call
    without a receiver may be a call on a record: `with(rs) { forEach { … } }`."""
    scopes = (_RECEIVER_SCOPE.search(head) for _, _, head in text.around(at))
    words = (re.findall(r"\w+", scope["receiver"] or scope["chain"]) for scope in scopes if scope)
    return any(not set(names).isdisjoint(receiver_words) for receiver_words in words)


def _lambda_parameters(text: Text, names: Collection[str], span: Block) -> Iterator[str]:
    """The parameters of functions in a chain of calls; `it` where a function names none."""
    uses = re.compile(rf"\b(?:{'|'.join(names) or '(?!)'})\b(?=\s*\??\.)")
    for use in islice(uses.finditer(text.plain, *span), _MOST):
        for step in steps(text, use.end()):
            parameters = [name for name, _ in step.parameters(text)]
            yield from parameters or (["it"] if text.plain[step.begin - 1] == "{" else [])
