"""Scala's `for { x <- a; y <- b } yield z`, whose value has the type of its generators: an effect
to run, a future to wait for, or a result to check (The Scala Language Specification, 6.19).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.facts import ASYNCHRONOUS, BEFORE, SKIP
from advisor.intake.programs.jvm.text import Block, Text

_MOST = 30
_FOR = re.compile(r"\bfor\s*[{(]")
_YIELD = re.compile(r"\s*\byield\b[ \t]*\n?[ \t]*")
_GENERATOR = re.compile(r"(?P<name>\w+|\([\w, ]*\))\s*<-[ \t]*")
_LAZY_TYPE = re.compile(
    r"(?:Z?IO|UIO|Task|Resource|Sync\[\w+\]|F\s*\.)\b|[^\n]*\.\s*transact\s*\(|\w+\.attempt\b"
)
_EAGER_TYPE = re.compile(r"Future\b")
_ERROR_TYPE = re.compile(r"(?:Try|Either|EitherT|Right|Left|allCatch)\b|[^\n]*\.\s*toEither\b")
_RETURNS_ERROR = r"\bdef\s+(\w+)\s*(?:\[[^\]]*\])?\([^;{}]{0,300}?\)\s*:\s*(?:Try|Either)\s*\["
_COLLECTION_TYPE = re.compile(
    r"(?:Option|Some|List|Seq|Vector|Set|Map|Iterator|\d+)\b|[^\n]*\b(?:to|until)\b"
)
_FACT_BY_IMPORT = (
    (re.compile(r"\bimport\s+(?:cats\.effect|zio|doobie|monix)\b"), BEFORE),
    (re.compile(r"\bimport\s+(?:scala\.concurrent|slick)\b"), ASYNCHRONOUS),
    (re.compile(r"\bimport\s+(?:cats|scala\.util)\b"), SKIP),
)
"""The fact about a comprehension whose generators do not show their type, by its imports."""


@dataclass(frozen=True, slots=True)
class Comprehension:
    """The start and end of a comprehension, and the span of its generators."""

    begin: int
    end: int
    generators: Block

    def fact(self, plain: str, lazy: re.Pattern[str], eager: re.Pattern[str]) -> str:
        """The fact about a comprehension whose value is dropped: BEFORE if it never runs,
        ASYNCHRONOUS if nobody waits for it, SKIP if nobody checks its error; empty if it is a list.
        `lazy` matches an effect, and `eager` a future."""
        methods = "|".join(re.findall(_RETURNS_ERROR, plain)[:_MOST]) or "(?!)"
        error_types = re.compile(rf"{_ERROR_TYPE.pattern}|(?:this\.)?(?:{methods})\s*\(")
        kinds = (
            (BEFORE, (_LAZY_TYPE, lazy)),
            (ASYNCHRONOUS, (_EAGER_TYPE, eager)),
            (SKIP, (error_types,)),
        )
        generators = [*islice(_GENERATOR.finditer(plain, *self.generators), _MOST)]
        for fact, patterns in kinds:
            if any(
                pattern.match(plain, generator.end())
                for generator in generators
                for pattern in patterns
            ):
                return fact
        unnamed = [generator.end() for generator in generators if generator["name"] == "_"]
        if not unnamed or any(
            _COLLECTION_TYPE.match(plain, generator.end()) for generator in generators
        ):
            return ""
        return next((fact for pattern, fact in _FACT_BY_IMPORT if pattern.search(plain)), "")


def comprehensions(text: Text, span: Block) -> Iterator[Comprehension]:
    """Yields the comprehensions in a span."""
    for match in islice(_FOR.finditer(text.plain, max(0, span[0]), span[1]), _MOST):
        opening = match.end() - 1
        is_braces = text.plain[opening] == "{"
        closed = text.block_of(opening)[1] + 1 if is_braces else text.closed(opening + 1)
        if yielded := _YIELD.match(text.plain, closed):
            yield Comprehension(match.start(), _end(text, yielded.end()), (opening + 1, closed - 1))


def _end(text: Text, at: int) -> int:
    """The end of the yielded expression."""
    return text.statement(at)[1]
