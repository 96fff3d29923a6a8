"""JVM code that runs repeatedly: the bodies of loops, and methods that are called in one."""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.text import METHOD, Text

_MOST, _DEEPEST = 100, 2
_LOOP = re.compile(r"\b(?:while|for|do)\b|\bschedule\w*\s*\(|@Scheduled\b|\bcontinually\b")


def is_in_loop(text: Text, at: int, depth: int = _DEEPEST) -> bool:
    """Whether a place is in a loop, or in a method that is called in one."""
    if any(_LOOP.search(head) for _, _, head in text.around(at)):
        return True
    return depth > 0 and any(is_in_loop(text, call, depth - 1) for call in call_sites(text, at))


def call_sites(text: Text, at: int) -> list[int]:
    """Returns the offsets of calls of the method around a place."""
    method = next(filter(None, (METHOD.search(block[2]) for block in text.around(at)[::-1])), None)
    if method is None:
        return []
    calls = re.finditer(rf"(?<![\w.])(?:this\.)?{method[1]}\s*\(", text.plain)
    return [
        match.start() for match in islice(calls, _MOST) if not _is_definition(text, match.end())
    ]


def _is_definition(text: Text, opening: int) -> bool:
    code = text.plain[text.closed(opening) :][:80]
    return bool(re.match(r"\s*(?:throws\s[\w, .]+|:\s*[\w<>?, ]+)?\s*=?\s*\{", code))
