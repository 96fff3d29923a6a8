"""Which JVM code runs repeatedly: what stands in a loop, and methods that are called in one."""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.text import METHOD, Text

_MOST, _DEEPEST = 100, 2
_LOOPS = re.compile(r"\b(?:while|for|do)\b|\bschedule\w*\s*\(|@Scheduled\b|\bcontinually\b")


def is_in_loop(text: Text, at: int, depth: int = _DEEPEST) -> bool:
    """Whether a place is in a loop, or in a method that is called in one."""
    if any(_LOOPS.search(head) for _, _, head in text.around(at)):
        return True
    return depth > 0 and any(is_in_loop(text, call, depth - 1) for call in call_sites(text, at))


def call_sites(text: Text, at: int) -> list[int]:
    """Where the method is called that a place is in."""
    method = next(filter(None, (METHOD.search(block[2]) for block in text.around(at)[::-1])), None)
    if method is None:
        return []
    found = re.finditer(rf"(?<![\w.])(?:this\.)?{method[1]}\s*\(", text.plain)
    return [
        match.start() for match in islice(found, _MOST) if not _is_definition(text, match.end())
    ]


def _is_definition(text: Text, opened: int) -> bool:
    behind = text.plain[text.closed(opened) :][:80]
    return bool(re.match(r"\s*(?:throws\s[\w, .]+|:\s*[\w<>?, ]+)?\s*=?\s*\{", behind))
