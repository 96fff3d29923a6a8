"""Handlers of JVM code that hand a record to something that may not be there.

Of `dlq?.send(r)`, `dlq.ifPresent(d -> d.send(r))` and `if (dlq != null) { dlq.send(r); }` nothing
is left where there is none (Kotlin, null safety; java.util.Optional), and the record is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.jvm.text import closing_bracket

_MOST, _DEEPEST = 12, 3
_PLACE = r"(?i:dead|letter|dlq|dlt|quarantine|poison|park)"
_NAME = r"(?:this\s*\.\s*)?(?P<name>[a-z]\w*(?:\.[a-z]\w*)*)"
_PERHAPS = re.compile(
    rf"(?:(?<=[;{{}}\n])|\A)[ \t]*(?:[a-z]\w*(?:\.\w+)*\s*\?\s*\.\s*\w+"
    rf"|[a-z]\w*\s*\.\s*ifPresent(?=\s*\()|\w*{_PLACE}\w*\s*\.\s*(?:foreach|forEach)(?=\s*[({{]))"
)
"""A statement that does nothing where there is no such thing."""
_ASKED = re.compile(
    rf"\bif\s*\(\s*(?:{_NAME}\s*(?P<op>[!=]=)\s*null"
    rf"|(?P<not>!\s*)?{_NAME.replace('name', 'of')}\s*\.\s*"
    rf"(?P<has>isPresent|isDefined|nonEmpty|isEmpty)"
    rf"\s*(?:\(\s*\))?|(?P<never>!\s*)?(?P<flag>[\w.]*{_PLACE}\w*(?:\s*\.\s*\w+)?(?:\s*\(\s*\))?))\s*\)\s*"
)
_ELSE = re.compile(r"[\s;]*\belse\b\s*")
_OTHERWISE = re.compile(r"\s*\?:")
_JUMPS = re.compile(r"\b(?:throw|continue|return|break)\b[^;{}\n]*[;}\s]*$")


def branches(body: str, error: str = "", depth: int = _DEEPEST) -> Iterator[str]:
    """What a handler does, and what it does where something is not there."""
    yield body
    if depth == 0:
        return
    for match in islice(_PERHAPS.finditer(body), _MOST):
        end = _end_of_chain(body, match.end())
        if not _OTHERWISE.match(body, end):
            yield from branches(f"{body[: match.start()]}{body[end:]}", error, depth - 1)
            return
    for match in islice(_ASKED.finditer(body), _MOST):
        if match["name"] == error or match.end() >= len(body):
            continue
        does, behind = _block(body, match.end())
        other = ""
        if last := _ELSE.match(body, behind):
            other, behind = _block(body, last.end())
        is_missing = match["op"] == "==" or bool(match["not"]) != (match["has"] == "isEmpty")
        missing, rest = (does, other) if is_missing or match["never"] else (other, does)
        name = match["name"] or match["of"]
        if name and not re.search(rf"\b{re.escape(name)}\s*(?:\?|!!)?\s*\.", rest + body[behind:]):
            continue
        later = "" if _JUMPS.search(missing) else body[behind:]
        yield from branches(f"{body[: match.start()]}{missing}\n{later}", error, depth - 1)
        return


def _block(body: str, at: int) -> tuple[str, int]:
    """What stands behind a condition, and where it ends."""
    if body[at : at + 1] == "{":
        end = closing_bracket(body, at + 1, len(body))
        return body[at + 1 : end - 1], end
    end = min((found for mark in ";\n" if (found := body.find(mark, at)) >= 0), default=len(body))
    return body[at:end], end


def _end_of_chain(body: str, at: int) -> int:
    """Where a chain of calls ends whose first name ends at a place."""
    link = re.compile(r"\s*(?:(?P<opened>[({])|\??\s*\.\s*\w+)")
    while match := link.match(body, at):
        at = closing_bracket(body, match.end(), len(body)) if match["opened"] else match.end()
        if at == match.end() and match["opened"]:
            return len(body)
    return at
