"""Calls of methods of the file by their class, or by the one object of it, as calls of these:
`A.tell(e)`, `Errors.INSTANCE.tell(e)` and, of Kotlin and Scala, `Errors.tell(e)` of an `object` or
a companion are `tell(e)`. Lines stay as they are.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import islice

from advisor.intake.programs.jvm.text import Block, Text, spliced

_MOST = 300
_CLASS = re.compile(r"\b(?:class|object|record|enum|interface)\s+([A-Z]\w*)[^{}]*$")
_CALL = re.compile(
    r"(?<![\w.@])(?<!new )(?P<of>[A-Z]\w*)\s*\.\s*"
    r"(?:(?:INSTANCE|Companion|getInstance\s*\(\s*\)|instance\s*\(\s*\))\s*\.\s*)?"
    r"(?P<name>[a-z]\w*)\s*\("
)


def without_class_names(code: str) -> str:
    """The same program without these, where one method has that name."""
    text, classes = Text.of(code), defaultdict[str, list[Block]](list)
    for start, end, head in text.heads:
        if made := _CLASS.search(head):
            classes[made[1]].append((start, end))
    changes = list[tuple[int, int, str]]()
    for match in islice(_CALL.finditer(text.plain) if classes else (), _MOST):
        own = classes.get(match["of"], [])
        found = _made(text, match["name"]) if own else []
        if len(found) == 1 and any(start < found[0] < end for start, end in own):
            lines = "\n" * code.count("\n", match.start(), match.start("name"))
            changes.append((match.start(), match.start("name"), lines))
    return spliced(code, changes)


def _made(text: Text, name: str) -> list[int]:
    """Where methods of a name are made, also those whose body is an expression."""
    bodies = [start for start, _ in text.bodies(name)]
    made = rf"\b(?:fun|def)\s+(?:<[^<>]{{0,80}}>\s*)?{name}\s*[(:]"
    return bodies or [match.start() for match in re.finditer(made, text.plain)]
