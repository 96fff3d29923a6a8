"""Removal of the class name, or its single instance, from calls of the file's methods.

`A.tell(e)` and `Errors.INSTANCE.tell(e)` become `tell(e)`. So does `Errors.tell(e)` for an `object`
or companion object in Kotlin and Scala. Line numbers do not change.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import islice

from advisor.intake.programs.jvm.text import Block, Text, spliced

_MOST_CALLS = 300
_CLASS = re.compile(r"\b(?:class|object|record|enum|interface)\s+([A-Z]\w*)[^{}]*$")
_CALL = re.compile(
    r"(?<![\w.@])(?<!new )(?P<class_name>[A-Z]\w*)\s*\.\s*"
    r"(?:(?:INSTANCE|Companion|getInstance\s*\(\s*\)|instance\s*\(\s*\))\s*\.\s*)?"
    r"(?P<name>[a-z]\w*)\s*\("
)


def without_class_names(code: str) -> str:
    """Returns the program without the class in calls of methods whose name is unique."""
    text, classes = Text.of(code), defaultdict[str, list[Block]](list)
    for start, end, head in text.heads:
        if declaration := _CLASS.search(head):
            classes[declaration[1]].append((start, end))
    changes = list[tuple[int, int, str]]()
    for match in islice(_CALL.finditer(text.plain) if classes else (), _MOST_CALLS):
        blocks = classes.get(match["class_name"], [])
        definitions = _definitions(text, match["name"]) if blocks else []
        if len(definitions) == 1 and any(start < definitions[0] < end for start, end in blocks):
            lines = "\n" * code.count("\n", match.start(), match.start("name"))
            changes.append((match.start(), match.start("name"), lines))
    return spliced(code, changes)


def _definitions(text: Text, name: str) -> list[int]:
    """Returns the offsets of the methods of this name, including those with an expression body."""
    bodies = [start for start, _ in text.bodies(name)]
    definition = rf"\b(?:fun|def)\s+(?:<[^<>]{{0,80}}>\s*)?{name}\s*[(:]"
    return bodies or [match.start() for match in re.finditer(definition, text.plain)]
