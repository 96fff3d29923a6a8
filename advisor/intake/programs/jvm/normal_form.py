"""One form for what can be written in several: classes without their packages, `for (;;)` as
`while (true)`, and a chain of calls, or what stands before braces, in one line.

What stands behind them keeps its line.
"""

from __future__ import annotations

import re

from advisor.intake.programs.jvm.text import QUOTED

_WRITTEN = re.compile(
    rf"(?P<kept>{QUOTED}|^[ \t]*(?:import|package)\b[^\n]*)"
    r"|(?<![\w.])(?:java|javax|kotlin|org\.apache\.kafka|org\.springframework|scala)(?:\.[a-z]\w*)++\."
    r"(?=[A-Z]\w*+(?!\s*(?:\.\s*class|::\s*class)\b))"
    r"|\bfor\s*+\(\s*+;(?P<condition>[^;(){}\n]*+(?:\(\)[^;(){}\n]*+)*+);\s*+\)",
    re.MULTILINE,
)
_BREAK = re.compile(rf"{QUOTED}|(?P<line>\n\s*+)(?P<link>\??\.\s*+[A-Za-z]|(?P<brace>\{{))?")
_HEAD = re.compile(r"[\w)=>]\s*$")
"""What may stand before the braces of it."""


def normal_form(code: str) -> str:
    """The same program in that form."""
    return _without_breaks(_WRITTEN.sub(_normal, code))


def _normal(match: re.Match[str]) -> str:
    if match["kept"] is not None:
        return match["kept"]
    if match["condition"] is None:
        return ""
    return f"while ({match['condition'].strip() or 'true'})" + "\n" * match[0].count("\n")


def _without_breaks(code: str) -> str:
    """The lines of a chain or a head as one, with the ends of its lines behind it."""
    parts, behind, left_out = list[str](), 0, 0
    for match in _BREAK.finditer(code):
        before = code[max(0, match.start() - 80) : match.start()]
        if match["link"] and (not match["brace"] or _HEAD.search(before)):
            parts += [code[behind : match.start()].rstrip(" \t"), " " if match["brace"] else ""]
            left_out += match["line"].count("\n")
            behind = match.start("link")
        elif match["line"] and left_out:
            parts += [code[behind : match.start()], "\n" * left_out]
            behind, left_out = match.start(), 0
    return "".join([*parts, code[behind:]])
