"""What a condition of a handler asks for, by its words, in any language."""

from __future__ import annotations

import re
from collections.abc import Set

_HARMLESS = re.compile(
    r"(?i)duplica|unique|alread|exist|conflict|constraint|sqlstate|wakeup|interrupt|cancel|shut"
    r"|clos(?:ed|ing)|stop|running|rebalanc|(?:was|is|been)_?(?:seen|processed|done|saved|stored)"
    r"|\b(?:23505|1062|11000|409)\b"
)
_COUNTS = re.compile(r"(?<![-=])[<>]|\+\+|--")

MAX_BRANCHES = 1_000
TOO_MANY_BRANCHES = (
    f"this handler takes more than {MAX_BRANCHES:,} ways, by what it asks of its error. Give a "
    "shorter one that does the same, and state application.processing.errors."
)
"""Said of a handler that asks again and again, of which not every way is followed."""

_CALL = re.compile(r"(?P<verb>\w+)\s*\((?P<given>[^()]*)\)")
_QUESTION = re.compile(
    r"_*(?:is|has|can|should|must|was|are|need|exist|contain|match|valid|check|seen|already|allow|any"
    r"|all|bad|poison|broken|corrupt|fatal|get|value|key|topic|offset|partition|equal|start|end|size"
    r"|len|type|str)\w*"
)
"""A call that only asks something."""


def is_harmless(asked: str) -> bool:
    """Whether it asks for what says that a message was processed before, or that a program ends."""
    return bool(_HARMLESS.search(asked))


def without_harmless(asked: str) -> str:
    """The same without the words that say so."""
    return _HARMLESS.sub("", asked)


def checks_attempts(asked: str) -> bool:
    """Whether it asks how often something was tried."""
    return bool(_COUNTS.search(asked))


def uses_result_of_call(asked: str, messages: Set[str]) -> bool:
    """Whether it does something with one of these, and asks how that went."""
    return any(
        not messages.isdisjoint(re.findall(r"\w+", call["given"]))
        and not _QUESTION.fullmatch(call["verb"])
        for call in _CALL.finditer(asked)
    )
