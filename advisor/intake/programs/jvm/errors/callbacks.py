"""What a callback of Kafka's Java producer, or whoever waits for a send, does with its error.

A send that fails is gone unless the program sends it again, or ends: a line in a log is read by
people, later. What a callback throws is only written of (ProducerBatch.java,
completeFutureAndFireCallbacks: "Error executing user-provided callback").
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from advisor.intake.programs.facts import DROPPED, ONLY_WRITTEN
from advisor.intake.programs.jvm.log_only import only_logs

Own = Callable[[str, str, str], "Callback | None"]
"""The method of the file that is called by a name, with the error among what it is given."""
_DEEPEST = 3
_TYPE = r"(?:\s*:\s*[\w.?]+)?"
_JAVA_TYPE = r"(?:(?:final\s+)?[\w.]+\s+)?"
_LAMBDA = re.compile(
    rf"\s*\(?\s*{_JAVA_TYPE}\w+{_TYPE}\s*,\s*{_JAVA_TYPE}(?P<error>\w+){_TYPE}\s*\)?"
    r"\s*(?:->|=>)(?P<body>[\s\S]*)"
)
_EACH = r"\s*\.\s*(?:ifPresent(?:OrElse)?|for[Ee]ach)\s*[({]\s*\(?\w+\)?\s*(?:->|=>)"
_SAM = re.compile(r"^\s*(?:Callback\s*)?\{")
_CLASS = re.compile(
    r"\bonCompletion\s*\([^),]*,\s*(?:final\s+)?(?:(?P<error>\w+)\s*:[^)]*|[\w.]+\s+(?P<java>\w+)\s*)\)"
    r"(?:\s*:\s*Unit)?\s*=?(?P<body>[\s\S]*)"
)
_BALANCED = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_LEAVES = re.compile(r"\b(?:return|throw)\b")
_BEHIND = re.compile(r"\b(?:catch|finally)\b|\.\s*onFailure\b")
_ONE_CALL = re.compile(r"\s*(?:return\s+)?(?:this\.)?(\w+)\s*\(([^()]*)\)\s*\)?\s*")
_FRAME = re.compile(
    rf"\s*(?:\b(?:if|catch|switch|when|while|synchronized)\s*{_BALANCED}"
    r"|\b(?:else|try|finally|do|catch|default|when)\b(?!\s*\()|\b(?:Try|runCatching)\b\s*\(?"
    r"|\.\s*(?:onFailure|recover)\b\s*\(?|[\w.]+(?:\([^()]*\))?\s+match\b|\bcase\b[^=;{}]*?(?==>|->)"
    r"|(?:\(\s*\w*\s*\)|(?:is\s+)?[\w.]+|[\w.]+\s*[!=]=\s*null)?\s*(?:->|=>)|:(?!:))"
)
"""What stands before a statement, and only says when it is done."""
_ENDS = re.compile(
    r"\s*(?:throw\b.*|assert\b.*|\?:.*|return@\w+|[)\s]+"
    r"|(?:\w+\.)*(?:require|check|checkNotNull|requireNotNull|requireNonNull|checkState"
    r"|checkArgument|isTrue|isNull|error)\s*\(.*"
    r"|(?:va[lr]\s+)?(?:\w+\s*=\s*)?\w+\s*\?:\s*(?:return|throw)\b.*"
    r")",
    re.DOTALL,
)
"""What leaves a callback."""


@dataclass(frozen=True, slots=True)
class Callback:
    """The name that a callback has for its error, and what it does."""

    error: str
    body: str

    def fault(self, own: Own) -> str:
        """Why an error that it is given is as good as lost; empty where something is done."""
        if not re.search(rf"\b{self.error}\b", self.body):
            return DROPPED
        if not self._is_quiet(own, _DEEPEST):
            return ""
        does_something = re.search(r"\w", re.sub(r"\breturn\b", "", self.with_error()))
        return ONLY_WRITTEN if does_something else DROPPED

    def _is_quiet(self, own: Own, depth: int) -> bool:
        """Whether an error is only written of, thrown, or left, in methods of the file, too."""
        return only_logs(
            self.with_error(), in_function=True, others=lambda it: self._leaves(it, own, depth)
        )

    def _leaves(self, statement: str, own: Own, depth: int) -> bool:
        """Whether a statement does nothing for a message that was not sent."""
        bare = _bare(statement)
        call = _ONE_CALL.fullmatch(bare) if depth else None
        if call and (inner := own(call[1], call[2], self.error)):
            return inner._is_quiet(own, depth - 1)
        if _ENDS.fullmatch(bare):
            return True
        return bare != statement and only_logs(bare, in_function=True)

    def with_error(self) -> str:
        """What is done where there is an error, or may be."""
        if not self.error:
            return self.body
        body, error = self.body, re.escape(self.error)
        body = re.sub(rf"\b{error}\s*\?\.\s*(?:let|also|run|apply)\b", "", body)
        body = re.sub(rf"\bOption\w*(?:\.ofNullable)?\s*\(\s*{error}\s*\){_EACH}", "", body)
        body = _without_arms(body, error)
        is_null = rf"{error}\s*[=!]==?\s*null|null\s*[=!]==?\s*{error}"
        is_null = rf"(?:{is_null}|(?:isN|nonN)ull\(\s*{error}\s*\))"
        test = re.compile(
            rf"\bif\s*\(\s*(?:Objects\s*\.\s*)?(?P<is>{is_null})\s*(?P<more>[&|][^{{}};]*?)?\)"
        )
        match = test.search(body)
        if match is None:
            return body
        first, behind = _part(body[match.end() :])
        other = re.match(r"\s*else\b", behind)
        second, rest = _part(behind[other.end() :]) if other else ("", behind)
        unequal = "!" in match["is"] or "nonNull" in match["is"]
        chosen = first if unequal else second
        if match["more"]:
            chosen = f"{first}\n{second}"
        elif unequal and _LEAVES.search(first):
            caught = _BEHIND.search(rest)
            rest = rest[caught.start() :] if caught else ""
        return "\n".join([body[: match.start()], chosen, rest])


def callback_of(given: str, trailing: str = "") -> Callback | None:
    """The callback in what a send is given behind the record, or in Kotlin's braces behind it."""
    match = _LAMBDA.match(trailing or _SAM.sub("", given.strip(), count=1)) or _CLASS.search(given)
    if match is None:
        return None
    groups = match.groupdict()
    return Callback(groups["error"] or groups.get("java") or "", groups["body"])


def _bare(statement: str) -> str:
    """A statement without what says when it is done."""
    while frame := _FRAME.match(statement):
        statement = statement[frame.end() :]
    return statement


def _without_arms(body: str, error: str) -> str:
    """A body without what is done in `switch`, `when` and `match` where there is no error."""
    of_null = rf"(?:\bcase\s+(?:null|None)|(?<![\w=!<>] )\bnull|\b{error}\s*==\s*null)\s*(?:->|=>)"
    while match := re.search(of_null, body):
        rest = body[match.end() :]
        arm = re.match(r"\s*\([^()]*\)|(?:(?!\bcase\b|\bdefault\b|[;\n}])[\s\S])*", rest)
        behind = (
            _part(rest)[1] if rest.lstrip().startswith("{") else rest[arm.end() if arm else 0 :]
        )
        body = f"{body[: match.start()]} ; {behind}"
    return body


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
