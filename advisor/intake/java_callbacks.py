"""What a callback of Kafka's Java producer, or whoever waits for a send, does with its error.

A send that fails is gone unless the program sends it again, or ends: a line in a log is read by
people, later.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from advisor.intake.java_handlers import only_writes
from advisor.intake.sends import DROPPED, ONLY_WRITTEN

_TYPE = r"(?:\s*:\s*[\w.?]+)?"
_LAMBDA = re.compile(
    rf"\s*\(?\s*\w+{_TYPE}\s*,\s*(?P<error>\w+){_TYPE}\s*\)?\s*(?:->|=>)(?P<body>[\s\S]*)"
)
_EACH = r"\s*\.\s*(?:ifPresent|for[Ee]ach)\s*[({]\s*\(?\w+\)?\s*(?:->|=>)"
_SAM = re.compile(r"\s*Callback\s*\{|\{")
_CLASS = re.compile(
    r"\bonCompletion\s*\([^),]*,\s*(?:final\s+)?(?:(?P<error>\w+)\s*:[^)]*|[\w.]+\s+(?P<java>\w+)\s*)\)"
    r"(?:\s*:\s*Unit)?\s*=?(?P<body>[\s\S]*)"
)


@dataclass(frozen=True, slots=True)
class Callback:
    """The name that a callback has for its error, and what it does."""

    error: str
    body: str

    def fault(self) -> str:
        """Why an error that it is given is as good as lost; empty where something is done."""
        if not re.search(rf"\b{self.error}\b", self.body):
            return DROPPED
        with_error = self._with_error()
        if with_error is None or not only_writes(with_error, in_function=True):
            return ""
        does_something = re.search(r"\w", re.sub(r"\breturn\b", "", with_error))
        return ONLY_WRITTEN if does_something else DROPPED

    def _with_error(self) -> str | None:
        """What is done where there is an error; None where that cannot be told."""
        body, error = self.body, re.escape(self.error)
        body = re.sub(rf"\b{error}\s*\?\.\s*(?:let|also)\b", "", body)
        body = re.sub(rf"\bOption\w*(?:\.ofNullable)?\s*\(\s*{error}\s*\){_EACH}", "", body)
        test = re.compile(rf"\bif\s*\(\s*(?:{error}\s*(?P<is>[!=]=)|null\s*(?P<to>[!=]=)\s*{error})"
                          r"\s*(?:null)?\s*\)")  # fmt: skip
        match = test.search(body)
        if match is None:
            return body if "if" not in body.split() else None
        first, behind = _part(body[match.end() :])
        other = re.match(r"\s*else\b", behind)
        second, rest = _part(behind[other.end() :]) if other else ("", behind)
        unequal = (match["is"] or match["to"]) == "!="
        own = first if unequal else second
        rest = "" if unequal and re.search(r"\breturn\b", first) else rest
        return "\n".join([body[: match.start()], own, rest])


def callback(given: str, trailing: str = "") -> Callback | None:
    """The callback in what a send is given behind the record, or in Kotlin's braces behind it."""
    match = _LAMBDA.match(trailing or _SAM.sub("", given.strip(), count=1)) or _CLASS.search(given)
    if match is None:
        return None
    groups = match.groupdict()
    return Callback(groups["error"] or groups.get("java") or "", groups["body"])


def _part(code: str) -> tuple[str, str]:
    """The block or the statement that a text begins with, and what is behind it."""
    inner = code.lstrip()
    if not inner.startswith("{"):
        statement, end, rest = re.match(
            r"((?:(?!\belse\b)[^;\n}])*)([;\n}]?)([\s\S]*)", inner
        ).groups()  # type: ignore[union-attr]
        return statement, rest if end != "}" else "}" + rest
    depth = 0
    for at, char in enumerate(inner):
        depth += (char == "{") - (char == "}")
        if depth == 0:
            return inner[1:at], inner[at + 1 :]
    return inner[1:], ""
