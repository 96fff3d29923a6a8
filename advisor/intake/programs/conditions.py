"""Conditions in error handlers, classified by their words, in any language."""

from __future__ import annotations

import re
from collections.abc import Set

_HARMLESS = re.compile(
    r"(?i)duplica|unique|alread|exist|conflict|constraint|sqlstate|wakeup|interrupt|cancel|shut"
    r"|clos(?:ed|ing)|stop|running|rebalanc|(?:was|is|been)_?(?:seen|processed|done|saved|stored)"
    r"|\b(?:23505|1062|11000|409)\b"
)
NOT_FOUND = r"(?:NotFound|NoSuch|NotExist|Gone)"
"""A part of the name of an error that says that an object does not exist, as after a delete."""
DELETES = re.compile(r"(?:delete|remove|unlink|purge|evict|drop|deregister|revoke)\w*")
"""The name of a call that deletes an object."""
_COMPARISON = re.compile(r"(?<![-=])[<>]|\+\+|--")

MAX_BRANCHES = 1_000
TOO_MANY_BRANCHES = (
    f"this handler has more than {MAX_BRANCHES:,} branches that depend on its error. Give a "
    "shorter one that does the same, and state application.processing.errors."
)
"""The refusal of a handler with too many conditions to follow all branches."""

_CALL = re.compile(r"(?P<verb>\w+)\s*\((?P<arguments>[^()]*)\)")
_QUERY_NAME = re.compile(
    r"_*(?:is|has|can|should|must|was|are|need|exist|contain|match|valid|check|seen|already|allow|any"
    r"|all|bad|poison|broken|corrupt|fatal|get|value|key|topic|offset|partition|equal|start|end|size"
    r"|len|type|str)\w*"
)
"""The name of a method that only returns a value or a property, and does no work."""


def is_harmless(condition: str) -> bool:
    """Whether a condition tests for a message that was processed before, or for a program that
    ends."""
    return bool(_HARMLESS.search(condition))


def without_harmless(condition: str) -> str:
    """Returns a condition without the words that `is_harmless` recognizes."""
    return _HARMLESS.sub("", condition)


def checks_attempts(condition: str) -> bool:
    """Whether a condition compares or counts the number of attempts."""
    return bool(_COMPARISON.search(condition))


def uses_result_of_call(condition: str, messages: Set[str]) -> bool:
    """Whether a condition calls a method with one of the messages, and tests its result."""
    return any(
        not messages.isdisjoint(re.findall(r"\w+", call["arguments"]))
        and not _QUERY_NAME.fullmatch(call["verb"])
        for call in _CALL.finditer(condition)
    )
