"""Scala's `for { x <- a; y <- b } yield z`, which makes something of the kind of its parts: what is
to be run, waited for, or asked for its error (The Scala Language Specification, 6.19).
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
_PART = re.compile(r"(?P<name>\w+|\([\w, ]*\))\s*<-[ \t]*")
_LAZY = re.compile(
    r"(?:Z?IO|UIO|Task|Resource|Sync\[\w+\]|F\s*\.)\b|[^\n]*\.\s*transact\s*\(|\w+\.attempt\b"
)
_EAGER = re.compile(r"Future\b")
_OF_ERRORS = re.compile(r"(?:Try|Either|EitherT|Right|Left|allCatch)\b|[^\n]*\.\s*toEither\b")
_RETURNS_ERROR = r"\bdef\s+(\w+)\s*(?:\[[^\]]*\])?\([^;{}]{0,300}?\)\s*:\s*(?:Try|Either)\s*\["
_OF_NONE = re.compile(
    r"(?:Option|Some|List|Seq|Vector|Set|Map|Iterator|\d+)\b|[^\n]*\b(?:to|until)\b"
)
_BY_IMPORT = (
    (re.compile(r"\bimport\s+(?:cats\.effect|zio|doobie|monix)\b"), BEFORE),
    (re.compile(r"\bimport\s+(?:scala\.concurrent|slick)\b"), ASYNCHRONOUS),
    (re.compile(r"\bimport\s+(?:cats|scala\.util)\b"), SKIP),
)
"""What a part is whose kind is not told where it stands."""


@dataclass(frozen=True, slots=True)
class Comprehension:
    """From where to where one stands, and its parts."""

    begin: int
    end: int
    parts: Block

    def makes(self, plain: str, lazy: re.Pattern[str], eager: re.Pattern[str]) -> str:
        """What is wrong where nothing takes it: it is never run, goes on beside, or keeps its
        error; empty where it is a list. The patterns are of what is `lazy`, and of futures."""
        own = "|".join(re.findall(_RETURNS_ERROR, plain)[:_MOST]) or "(?!)"
        errors = re.compile(rf"{_OF_ERRORS.pattern}|(?:this\.)?(?:{own})\s*\(")
        kinds = ((BEFORE, (_LAZY, lazy)), (ASYNCHRONOUS, (_EAGER, eager)), (SKIP, (errors,)))
        parts = [*islice(_PART.finditer(plain, *self.parts), _MOST)]
        for what, patterns in kinds:
            if any(pattern.match(plain, part.end()) for part in parts for pattern in patterns):
                return what
        unnamed = [part.end() for part in parts if part["name"] == "_"]
        if not unnamed or any(_OF_NONE.match(plain, part.end()) for part in parts):
            return ""
        return next((what for pattern, what in _BY_IMPORT if pattern.search(plain)), "")


def comprehensions(text: Text, span: Block) -> Iterator[Comprehension]:
    """Those between two places."""
    for match in islice(_FOR.finditer(text.plain, max(0, span[0]), span[1]), _MOST):
        opened = match.end() - 1
        is_braces = text.plain[opened] == "{"
        closed = text.block_of(opened)[1] + 1 if is_braces else text.closed(opened + 1)
        if made := _YIELD.match(text.plain, closed):
            yield Comprehension(match.start(), _end(text, made.end()), (opened + 1, closed - 1))


def _end(text: Text, at: int) -> int:
    """Behind what is yielded."""
    return text.statement(at)[1]
