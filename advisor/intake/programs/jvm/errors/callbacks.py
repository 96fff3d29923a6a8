"""Error handling in callbacks of Kafka's Java producer, and in code that waits for a send.

A record whose send fails is lost unless the program sends it again, or ends: people read a log
later. The producer only logs what a callback throws (ProducerBatch.java,
completeFutureAndFireCallbacks: "Error executing user-provided callback").
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from advisor.intake.programs.facts import DROPPED, ONLY_WRITTEN
from advisor.intake.programs.jvm.log_only import only_logs

MethodLookup = Callable[[str, str, str], "Callback | None"]
"""Finds the method of the file that is called: its name, its arguments, the name of the error."""
_MAX_DEPTH = 3
_TYPE = r"(?:\s*:\s*[\w.?]+)?"
_JAVA_TYPE = r"(?:(?:final\s+)?[\w.]+\s+)?"
_LAMBDA = re.compile(
    rf"\s*\(?\s*{_JAVA_TYPE}\w+{_TYPE}\s*,\s*{_JAVA_TYPE}(?P<error>\w+){_TYPE}\s*\)?"
    r"\s*(?:->|=>)(?P<body>[\s\S]*)"
)
_OPTION_LAMBDA = r"\s*\.\s*(?:ifPresent(?:OrElse)?|for[Ee]ach)\s*[({]\s*\(?\w+\)?\s*(?:->|=>)"
_SAM_CONSTRUCTOR = re.compile(r"^\s*(?:Callback\s*)?\{")
_ON_COMPLETION = re.compile(
    r"\bonCompletion\s*\([^),]*,\s*(?:final\s+)?(?:(?P<error>\w+)\s*:[^)]*|[\w.]+\s+(?P<java_error>\w+)\s*)\)"
    r"(?:\s*:\s*Unit)?\s*=?(?P<body>[\s\S]*)"
)
_BALANCED = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_RETURN_OR_THROW = re.compile(r"\b(?:return|throw)\b")
_ERROR_CLAUSE = re.compile(r"\b(?:catch|finally)\b|\.\s*onFailure\b")
_ONE_CALL = re.compile(r"\s*(?:return\s+)?(?:this\.)?(\w+)\s*\(([^()]*)\)\s*\)?\s*")
_STATEMENT_PREFIX = re.compile(
    rf"\s*(?:\b(?:if|catch|switch|when|while|synchronized)\s*{_BALANCED}"
    r"|\b(?:else|try|finally|do|catch|default|when)\b(?!\s*\()|\b(?:Try|runCatching)\b\s*\(?"
    r"|\.\s*(?:onFailure|recover)\b\s*\(?|[\w.]+(?:\([^()]*\))?\s+match\b|\bcase\b[^=;{}]*?(?==>|->)"
    r"|(?:\(\s*\w*\s*\)|(?:is\s+)?[\w.]+|[\w.]+\s*[!=]=\s*null)?\s*(?:->|=>)|:(?!:))"
)
"""Code before a statement that only decides when the statement runs."""
_CALLEE = re.compile(r"(\w+)\s*\(")
_MARKS_SENT = re.compile(r"(?:mark|ack|confirm|delete|remove|setSent)\w*")
"""A call that marks a record as sent: one that is not marked is sent again."""
LISTENER_COMMIT = re.compile(r"\bconsumer\d+__\s*\.\s*commitSync\s*\(")
"""The acknowledgment of a listener, as it is rewritten. Its container commits no record after one
that is not acknowledged."""
_PLAIN_CALL = re.compile(
    r"(?<=[;{}\n])\s*(?:\w+\s*\.\s*)+\w+\s*\((?:[^(){};]|\([^(){};]*\))*\)\s*;"
)
"""A call that runs with an error and without one, so that it does nothing about an error."""
_CALLBACK_END = re.compile(
    r"\s*(?:throw\b.*|assert\b.*|\?:.*|return@\w+|[)\s]+"
    r"|(?:\w+\.)*(?:require|check|checkNotNull|requireNotNull|requireNonNull|checkState"
    r"|checkArgument|isTrue|isNull|error)\s*\(.*"
    r"|(?:va[lr]\s+)?(?:\w+\s*=\s*)?\w+\s*\?:\s*(?:return|throw)\b.*"
    r")",
    re.DOTALL,
)
"""Statements that leave a callback."""


@dataclass(frozen=True, slots=True)
class Callback:
    """A callback: the name of its error parameter, and its body."""

    error: str
    body: str

    def fault(self, find_method: MethodLookup) -> str:
        """Returns why a failed send is as good as lost; empty if the callback acts on the error."""
        if not re.search(rf"\b{self.error}\b", self.body):
            return DROPPED
        if self.marks_sent() or not self._only_logs(find_method, _MAX_DEPTH):
            return ""
        has_statements = re.search(r"\w", re.sub(r"\breturn\b", "", self.with_error()))
        return ONLY_WRITTEN if has_statements else DROPPED

    def marks_sent(self) -> bool:
        """Whether the callback marks a record as sent, and only where there is no error."""
        with_error = self.with_error()
        done = {*_CALLEE.findall(self.body)} - {*_CALLEE.findall(with_error)}
        acknowledges = LISTENER_COMMIT.search(self.body) and not LISTENER_COMMIT.search(with_error)
        return bool(acknowledges) or any(map(_MARKS_SENT.fullmatch, done))

    def _only_logs(self, find_method: MethodLookup, depth: int) -> bool:
        """Whether the callback only logs, throws or drops the error, also in methods it calls."""
        return only_logs(
            self.with_error(only=True),
            in_function=True,
            others=lambda it: self._ignores_error(it, find_method, depth),
        )

    def _ignores_error(self, statement: str, find_method: MethodLookup, depth: int) -> bool:
        """Whether a statement does nothing for a record that was not sent."""
        bare = _bare(statement)
        call = _ONE_CALL.fullmatch(bare) if depth else None
        if call and (inner := find_method(call[1], call[2], self.error)):
            return inner._only_logs(find_method, depth - 1)
        if _CALLBACK_END.fullmatch(bare):
            return True
        return bare != statement and only_logs(bare, in_function=True)

    def with_error(self, *, only: bool = False) -> str:
        """Returns the statements that run where there is an error, or may be one; with `only`,
        without calls that also run after one of these, and do not use the error."""
        if not self.error:
            return self.body
        body, error = self.body, re.escape(self.error)
        body = re.sub(rf"\b{error}\s*\?\.\s*(?:let|also|run|apply)\b", "", body)
        body = re.sub(
            rf"\bOption\w*(?:\.ofNullable)?\s*\(\s*{error}\s*\){_OPTION_LAMBDA}", "", body
        )
        body = _without_null_branches(body, error)
        null_test = rf"{error}\s*[=!]==?\s*null|null\s*[=!]==?\s*{error}"
        null_test = rf"(?:{null_test}|(?:isN|nonN)ull\(\s*{error}\s*\))"
        condition = re.compile(
            rf"\bif\s*\(\s*(?:Objects\s*\.\s*)?(?P<test>{null_test})\s*(?P<more>[&|][^{{}};]*?)?\)"
        )
        match = condition.search(body)
        if match is None:
            return body
        then, after = _split_statement(body[match.end() :])
        else_ = re.match(r"\s*else\b", after)
        other, rest = _split_statement(after[else_.end() :]) if else_ else ("", after)
        is_not_null = "!" in match["test"] or "nonNull" in match["test"]
        chosen = then if is_not_null else other
        if match["more"]:
            chosen = f"{then}\n{other}"
        elif is_not_null and _RETURN_OR_THROW.search(then):
            clause = _ERROR_CLAUSE.search(rest)
            rest = rest[clause.start() :] if clause else ""
        if only and chosen.strip() and not match["more"]:
            calls = (call[0] for call in _PLAIN_CALL.finditer(f";{rest}"))
            for call in calls:
                rest = rest.replace(call, "") if not re.search(rf"\b{error}\b", call) else rest
        return "\n".join([body[: match.start()], chosen, rest])


def callback_of(arguments: str, trailing: str = "") -> Callback | None:
    """Returns the callback among the arguments after the record, or in Kotlin's trailing lambda;
    None if there is none."""
    match = _LAMBDA.match(
        trailing or _SAM_CONSTRUCTOR.sub("", arguments.strip(), count=1)
    ) or _ON_COMPLETION.search(arguments)
    if match is None:
        return None
    groups = match.groupdict()
    return Callback(groups["error"] or groups.get("java_error") or "", groups["body"])


def _bare(statement: str) -> str:
    """Returns a statement without the code that decides when it runs."""
    while prefix := _STATEMENT_PREFIX.match(statement):
        statement = statement[prefix.end() :]
    return statement


def _without_null_branches(body: str, error: str) -> str:
    """Returns a body without the branches of `switch`, `when` and `match` for no error."""
    null_branch = (
        rf"(?:\bcase\s+(?:null|None)|(?<![\w=!<>] )\bnull|\b{error}\s*==\s*null)\s*(?:->|=>)"
    )
    while match := re.search(null_branch, body):
        rest = body[match.end() :]
        branch = re.match(r"\s*\([^()]*\)|(?:(?!\bcase\b|\bdefault\b|[;\n}])[\s\S])*", rest)
        after = (
            _split_statement(rest)[1]
            if rest.lstrip().startswith("{")
            else rest[branch.end() if branch else 0 :]
        )
        body = f"{body[: match.start()]} ; {after}"
    return body


def _split_statement(code: str) -> tuple[str, str]:
    """Returns the block or statement that code begins with, and the code after it."""
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
