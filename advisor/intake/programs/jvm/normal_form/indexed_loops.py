"""Removal of the index from loops over records in Kotlin and Scala.

`for ((i, r) in rs.withIndex())` becomes `for (r in rs)`, and `forEachIndexed { i, r -> … }` becomes
`forEach { r -> … }`.

The value of a condition on the index is unknown. Line numbers do not change.
"""

from __future__ import annotations

import re
from functools import partial

_COLLECTION = r"(?P<source>[\w.]+(?:\([^(){}\n]{0,80}\))?)"
_TYPE = r"(?:\s*:\s*[\w.<>, ]{1,60})?"
_REPLACEMENTS = (
    (
        re.compile(
            rf"\bfor\s*\(\s*\(\s*\w+\s*,\s*(?P<name>\w+)\s*\)\s*in\s+{_COLLECTION}\s*\.\s*withIndex\s*\(\s*\)"
        ),
        "for ({name} in {source}",
    ),
    (
        re.compile(
            rf"\.\s*withIndex\s*\(\s*\)\s*\.\s*(?P<method>\w+)\s*\{{\s*\(\s*\w+\s*,\s*(?P<name>\w+){_TYPE}\s*\)\s*->"
        ),
        ".{method} {{ {name} ->",
    ),
    (
        re.compile(
            rf"\.\s*(?P<method>forEach|map|onEach|filter|flatMap)Indexed(?:NotNull)?\s*\{{\s*\w+{_TYPE}\s*,"
            rf"\s*(?P<name>\w+){_TYPE}\s*->"
        ),
        ".{method} {{ {name} ->",
    ),
    (
        re.compile(
            rf"\bfor\s*\(\s*\(\s*(?P<name>\w+)\s*,\s*\w+\s*\)\s*<-\s*{_COLLECTION}\s*\.\s*zipWithIndex\b"
        ),
        "for ({name} <- {source}",
    ),
    (
        re.compile(
            r"\.\s*zipWithIndex\s*\.\s*(?P<method>\w+)\s*\{\s*case\s*\(\s*(?P<name>\w+)\s*,\s*\w+\s*\)\s*=>"
        ),
        ".{method} {{ {name} =>",
    ),
)


def without_indexes(code: str) -> str:
    """Returns the program without the indexes of these loops."""
    if not re.search(r"\b(?:fun|def)\s", code):
        return code
    for pattern, template in _REPLACEMENTS:
        code = pattern.sub(partial(_replacement, template), code)
    return code


def _replacement(template: str, match: re.Match[str]) -> str:
    return template.format(**match.groupdict()) + "\n" * match[0].count("\n")
