"""Loops of Kotlin and Scala that count what they take, as those that do not.

`for ((i, r) in rs.withIndex())` is `for (r in rs)`, and `forEachIndexed { i, r -> … }` is
`forEach { r -> … }`.

A condition that asks for the number is one of which nothing is known. Lines stay as they are.
"""

from __future__ import annotations

import re
from functools import partial

_OF = r"(?P<of>[\w.]+(?:\([^(){}\n]{0,80}\))?)"
_NAMED = r"(?:\s*:\s*[\w.<>, ]{1,60})?"
_FORMS = (
    (
        re.compile(
            rf"\bfor\s*\(\s*\(\s*\w+\s*,\s*(?P<name>\w+)\s*\)\s*in\s+{_OF}\s*\.\s*withIndex\s*\(\s*\)"
        ),
        "for ({name} in {of}",
    ),
    (
        re.compile(
            rf"\.\s*withIndex\s*\(\s*\)\s*\.\s*(?P<of>\w+)\s*\{{\s*\(\s*\w+\s*,\s*(?P<name>\w+){_NAMED}\s*\)\s*->"
        ),
        ".{of} {{ {name} ->",
    ),
    (
        re.compile(
            rf"\.\s*(?P<of>forEach|map|onEach|filter|flatMap)Indexed(?:NotNull)?\s*\{{\s*\w+{_NAMED}\s*,"
            rf"\s*(?P<name>\w+){_NAMED}\s*->"
        ),
        ".{of} {{ {name} ->",
    ),
    (
        re.compile(
            rf"\bfor\s*\(\s*\(\s*(?P<name>\w+)\s*,\s*\w+\s*\)\s*<-\s*{_OF}\s*\.\s*zipWithIndex\b"
        ),
        "for ({name} <- {of}",
    ),
    (
        re.compile(
            r"\.\s*zipWithIndex\s*\.\s*(?P<of>\w+)\s*\{\s*case\s*\(\s*(?P<name>\w+)\s*,\s*\w+\s*\)\s*=>"
        ),
        ".{of} {{ {name} =>",
    ),
)


def without_indexes(code: str) -> str:
    """The same program without the numbers of these loops."""
    if not re.search(r"\b(?:fun|def)\s", code):
        return code
    for pattern, form in _FORMS:
        code = pattern.sub(partial(_written, form), code)
    return code


def _written(form: str, match: re.Match[str]) -> str:
    return form.format(**match.groupdict()) + "\n" * match[0].count("\n")
