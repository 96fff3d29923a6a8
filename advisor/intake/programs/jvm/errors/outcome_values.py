"""Expressions of JVM code that hold results of processing records: `process(r)`,
`records.map(process)`, and lists to which a loop adds such results.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.jvm.errors.outcome_predicates import failure_of_type
from advisor.intake.programs.jvm.errors.outcomes import ASSIGNMENT, QUESTION
from advisor.intake.programs.jvm.records.derived_names import TAKES_APART
from advisor.intake.programs.jvm.text import Block, Text

_MOST = 60
_MAP = re.compile(r"\.\s*(?:map|mapNotNull|flatMap|mapIndexed)\s*[({]")
_YIELD = re.compile(r"\bfor\s*[({][^(){};\n]{1,160}[)}]\s*yield\s+")
_OUTCOME_CALL = re.compile(
    r"\s*(?:\{\s*)?(?:(?:\(?\s*(?:[A-Z]\w*\s+)?\w+\s*\)?)\s*[-=]>\s*\{?\s*(?:return\s+)?)?"
    r"(?:\w+\s*\.\s*){0,3}"
    r"(?P<verb>[a-z]\w*)\s*\("
)
_FUNCTION_NAME = re.compile(
    r"\s*(?:\(\s*)?(?:[\w.]+\s*(?:::|\.)\s*|::\s*)?(?P<verb>[a-z]\w*)(?:\s+_|\(_\))?\s*"
)
_STATEMENT_CALL = re.compile(
    r"(?<=[;{}\n])[ \t]*(?P<wrapper>(?:Optional\s*\.\s*(?:of|ofNullable)|Option|\()\s*\(?\s*)?"
    r"(?P<call>(?!(?:if|for|while|switch|when|return|throw|catch|new|try|else)\b)(?:\w+\s*\.\s*){0,3}"
    r"(?P<verb>[a-z]\w*)\s*\()"
)
_FILL = re.compile(
    r"(?<=[;{}\n>])[ \t]*(?P<name>\w+)\s*(?:\.\s*(?:add|append|addOne)\s*\(|\+=)\s*"
    r"(?P<value>(?:\w+\s*\.\s*){0,3}"
    r"(?P<verb>[a-z]\w*)\s*\()"
)
_CAST = re.compile(r"\s*as\?\s*(?P<type>[\w.]+)")
_ERROR_PROJECTION = re.compile(
    r"\s*\??\.\s*(?:left|failed|swap|exceptionOrNull|errorOrNull|leftOrNull|getLeft)\b"
)
"""A call that returns the error of a result: `records.flatMap(r => process(r).left.toOption)`."""
_STATEMENT_END = re.compile(r"[ \t]*[;\n}]")


@dataclass(frozen=True, slots=True)
class OutcomeValue:
    """An expression that holds results, or the name of a list to which they are added, and the end
    of the code that uses that name."""

    at: int
    end: int
    name: str = ""
    scope_end: int = 0
    is_failure: bool = False
    """Whether the value is that of a cast to a type of failures, `process(r) as? Failed`."""


def outcome_values(text: Text, uses: re.Pattern[str], span: Block) -> Iterator[OutcomeValue]:
    """Yields the values in a span that hold results of processing records."""
    plain = text.plain
    for match in islice(_MAP.finditer(plain, *span), _MOST):
        opened = match.end() - 1
        end = text.block_of(opened)[1] + 1 if plain[opened] == "{" else text.closed(opened + 1)
        begin, code = text.chain(opened), plain[opened + 1 : end - 1]
        verb = _OUTCOME_CALL.match(code) or _FUNCTION_NAME.fullmatch(code)
        if verb and is_processing(verb["verb"]) and uses.search(plain, begin, end):
            rest = text.closed(opened + 1 + verb.end()) if code[verb.end() - 1] == "(" else end
            is_failure = bool(_ERROR_PROJECTION.match(plain, rest, end))
            yield OutcomeValue(begin, end, is_failure=is_failure)
    for match in islice(_YIELD.finditer(plain, *span), _MOST):
        verb = _OUTCOME_CALL.match(plain, match.end())
        if verb and is_processing(verb["verb"]) and uses.search(plain, match.start(), verb.end()):
            yield OutcomeValue(match.start(), text.closed(verb.end()))
    for match in islice(_FILL.finditer(plain, *span), _MOST):
        end = text.closed(match.end())
        if is_processing(match["verb"]) and uses.search(plain, match.end(), end):
            yield OutcomeValue(match.start("name"), end, match["name"], span[1])
    for match in islice(_STATEMENT_CALL.finditer(plain, *span), _MOST):
        begin, end = match.start("call"), text.closed(match.end())
        if not is_processing(match["verb"]) or not uses.search(plain, match.end(), end):
            continue
        is_failure = False
        if match["wrapper"]:
            cast = _CAST.match(plain, end)
            is_failure = bool(cast and failure_of_type(cast["type"]))
            begin, end = match.start("wrapper"), text.closed(begin)
        yield OutcomeValue(begin, end, is_failure=is_failure)
    for match in islice(ASSIGNMENT.finditer(plain, *span), _MOST):
        end = text.call_end(match.end())
        if not is_processing(match["verb"]) or not uses.search(plain, match.end(), end):
            continue
        if _STATEMENT_END.match(plain, end):
            yield OutcomeValue(match.start("name"), end, match["name"], text.block(end)[1])
        else:
            yield OutcomeValue(match.start("call"), end)


def is_processing(verb: str) -> bool:
    """Whether a call of this name may process a record, and not only ask about it."""
    is_other = QUESTION.fullmatch(verb) or re.fullmatch(TAKES_APART, verb)
    return not is_other or verb.startswith(("parse", "decode"))
