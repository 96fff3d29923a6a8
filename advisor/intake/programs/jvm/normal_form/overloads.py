"""Overloaded methods of a class get names of their own, so that the methods that their calls refer
to are known: `retry(r)` and `retry(r, 0)` become `retry__1(r)` and `retry__2(r, 0)`.

Only the number of arguments decides. Methods that differ in the types of their parameters keep
their name, and calls of them are not followed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.jvm.text import METHOD, Block, Text, spliced

_CALL = r"(?<![\w.])(?:this\s*\.\s*)?(?P<name>{0})\s*\("
_MOST_METHODS, _MOST_CALLS = 20, 40


def with_distinct_names(code: str) -> str:
    """Returns the program with these names in the methods and in their calls."""
    text = Text.of(code)
    methods: dict[tuple[Block, str], list[tuple[int, Block]]] = {}
    for start, end, head in text.heads:
        if match := METHOD.search(head):
            at = start - len(head) + match.start(1)
            methods.setdefault((text.block(at), match[1]), []).append((at, (start, end)))
    overloaded = ((*key, bodies) for key, bodies in methods.items() if len(bodies) > 1)
    changes = {
        change for scope, name, overloads in islice(overloaded, _MOST_METHODS)
        for change in _changes(text, scope, name, overloads)
    }  # fmt: skip
    return spliced(code, sorted(changes))


def _changes(
    text: Text, scope: Block, name: str, overloads: list[tuple[int, Block]]
) -> Iterator[tuple[int, int, str]]:
    definitions = {at: len(text.parameters(body)) for at, body in overloads}
    counts = Counter(definitions.values())
    for match in islice(
        re.compile(_CALL.format(name)).finditer(text.plain, max(scope[0], 0), scope[1]), _MOST_CALLS
    ):
        at = match.start("name")
        number = definitions.get(at, len(text.arguments(match.end())))
        if counts[number] == 1:
            yield at, at + len(name), f"{name}__{number}"
