"""Error handlers of JVM code that pass a record to a target that may be missing.

`dlq?.send(r)`, `dlq.ifPresent(d -> d.send(r))` and `if (dlq != null) { dlq.send(r); }` do nothing
where the target is missing (Kotlin, null safety; java.util.Optional), and the record is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.jvm.surroundings import ELSE, LAST_JUMP
from advisor.intake.programs.jvm.text import closing_bracket

_MAX_MATCHES, _MAX_DEPTH = 12, 3
_DEAD_LETTER = r"(?i:dead|letter|dlq|dlt|quarantine|poison|park)"
_TARGET_NAME = r"(?:this\s*\.\s*)?(?P<name>[a-z]\w*(?:\.[a-z]\w*)*)"
_OPTIONAL_CALL = re.compile(
    rf"(?:(?<=[;{{}}\n])|\A)[ \t]*(?:[a-z]\w*(?:\.\w+)*\s*\?\s*\.\s*\w+"
    rf"|[a-z]\w*\s*\.\s*ifPresent(?=\s*\()|\w*{_DEAD_LETTER}\w*\s*\.\s*(?:foreach|forEach)(?=\s*[({{]))"
)
"""A statement that does nothing where its target is missing."""
_PRESENCE_CHECK = re.compile(
    rf"\bif\s*\(\s*(?:{_TARGET_NAME}\s*(?P<op>[!=]=)\s*null"
    rf"|(?P<not>!\s*)?{_TARGET_NAME.replace('name', 'optional')}\s*\.\s*"
    rf"(?P<query>isPresent|isDefined|nonEmpty|isEmpty)"
    rf"\s*(?:\(\s*\))?|(?P<negated>!\s*)?(?P<flag>[\w.]*{_DEAD_LETTER}\w*(?:\s*\.\s*\w+)?(?:\s*\(\s*\))?))\s*\)\s*"
)
_ELVIS = re.compile(r"\s*\?:")


def branches(body: str, error: str = "", depth: int = _MAX_DEPTH) -> Iterator[str]:
    """Yields the body of a handler, and the code that runs where one or more targets are missing.

    A check of `error`, the name of the handler's error, is no check of a target.
    """
    yield body
    if depth == 0:
        return
    for match in islice(_OPTIONAL_CALL.finditer(body), _MAX_MATCHES):
        end = _chain_end(body, match.end())
        if not _ELVIS.match(body, end):
            yield from branches(f"{body[: match.start()]}{body[end:]}", error, depth - 1)
            return
    for match in islice(_PRESENCE_CHECK.finditer(body), _MAX_MATCHES):
        if match["name"] == error or match.end() >= len(body):
            continue
        first, following = _guarded_code(body, match.end())
        second = ""
        if last := ELSE.match(body, following):
            second, following = _guarded_code(body, last.end())
        is_missing = match["op"] == "==" or bool(match["not"]) != (match["query"] == "isEmpty")
        if_missing, if_present = (
            (first, second) if is_missing or match["negated"] else (second, first)
        )
        name = match["name"] or match["optional"]
        if name and not re.search(
            rf"\b{re.escape(name)}\s*(?:\?|!!)?\s*\.", if_present + body[following:]
        ):
            continue
        later = "" if LAST_JUMP.search(if_missing) else body[following:]
        yield from branches(f"{body[: match.start()]}{if_missing}\n{later}", error, depth - 1)
        return


def _guarded_code(body: str, at: int) -> tuple[str, int]:
    """Returns the code that a condition guards, and its end."""
    if body[at : at + 1] == "{":
        end = closing_bracket(body, at + 1, len(body))
        return body[at + 1 : end - 1], end
    end = min(
        (position for mark in ";\n" if (position := body.find(mark, at)) >= 0), default=len(body)
    )
    return body[at:end], end


def _chain_end(body: str, at: int) -> int:
    """Returns the end of the chain of calls whose first name ends at an offset."""
    link = re.compile(r"\s*(?:(?P<opened>[({])|\??\s*\.\s*\w+)")
    while match := link.match(body, at):
        at = closing_bracket(body, match.end(), len(body)) if match["opened"] else match.end()
        if at == match.end() and match["opened"]:
            return len(body)
    return at
