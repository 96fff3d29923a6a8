"""A variable for each part that a declaration takes out of a list.

Scala's `val Seq(a, _*) = rs.asScala.toSeq` and `val (now, later) = rs.asScala.toList.splitAt(9)`
and Kotlin's `val (a, b) = rs.toList()` become the list in a variable, and a call for each part that
is used. Line numbers do not change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count, islice

from advisor.intake.programs.jvm.text import Block, Text, spliced

_MOST_MATCHES, _MOST_PARTS = 60, 22
_DECLARATION = re.compile(
    r"\bva[lr]\s+(?:(?:Seq|List|Vector|Array|IndexedSeq)\s*\((?P<elements>[^()=\n]{1,120})\)"
    r"|(?P<head>\w+)\s*(?P<cons>::|\+:)\s*(?P<tail>\w+)|(?P<front>\w+)\s*:\+\s*(?P<last>\w+)"
    r"|\((?P<parts>[\w\s,:]{1,120})\))\s*=(?!=)\s*"
)
_SPLIT = re.compile(r"\s*\.\s*(?P<verb>splitAt|span)\s*(?=[({])")
_SPLIT_CALLS = {"splitAt": ("take", "drop"), "span": ("takeWhile", "dropWhile")}
_LIST = re.compile(
    r".*\.\s*(?:to(?:List|MutableList|TypedArray)|sorted\w*|reversed|shuffled|take|map\w*)\s*"
    r"(?:\([^()]*\)|\{[^{}]*\}|\(\s*\))\s*"
)
"""A list of Kotlin, whose first elements a declaration takes."""
_CONS_CASE = re.compile(r"\bcase\s+\w+\s*(?:::|\+:)\s*(?P<tail>[a-z]\w*)\s*=>")


def without_destructurings(code: str) -> str:
    """Returns the program with a variable for each of these parts."""
    text, changes, numbers = Text.of(code), list[tuple[int, int, str]](), count()
    words = re.findall(r"\w+", text.plain) if _DECLARATION.search(text.plain) else []
    for match in islice(_DECLARATION.finditer(text.plain), _MOST_MATCHES):
        begin, end = text.statement(match.end())
        source, calls = _parts(text, match, (begin, end), code)
        if not calls or "\n" in source:
            continue
        used = [(part, call) for part, call in zip(_names(match), calls, strict=False)
                if part != "_" and words.count(part) > 1]  # fmt: skip
        name = source if source.isidentifier() else f"parts{next(numbers)}_"
        declared = [] if name == source else [f"val {name} = {source}"]
        declared += [f"val {part} = {name}.{call}" for part, call in used]
        changes.append((match.start(), end, "; ".join(declared)))
    changes += [
        (*match.span("tail"), "_")
        for match in islice(_CONS_CASE.finditer(text.plain), _MOST_MATCHES)
        if len(re.findall(rf"\b{match['tail']}\b", text.plain)) == 1
    ]
    return spliced(code, sorted(changes))


def _names(match: re.Match[str]) -> Iterator[str]:
    """Yields the names of the parts; `_` for one that has none, or that is the rest of a list."""
    listed = match["elements"] or match["parts"]
    for part in listed.split(",") if listed else ():
        name = part.partition(":")[0].strip()
        yield name if name.isidentifier() else "_"
    yield from (part for part in match.group("head", "tail", "front", "last") if part)


def _parts(text: Text, match: re.Match[str], value: Block, code: str) -> tuple[str, Sequence[str]]:
    """Returns the list that a declaration takes parts of, and the call for each part; no calls if
    its value may be something else than a list."""
    source = code[slice(*value)].strip()
    if match["elements"] or (match["parts"] and _LIST.fullmatch(text.plain, *value)):
        return source, [f"get({index})" for index in range(_MOST_PARTS)]
    if not match["parts"]:
        return source, ("head", "tail") if match["cons"] else ("init", "last")
    for split in islice(_SPLIT.finditer(text.plain, *value), _MOST_MATCHES):
        if text.closed(split.end() + 1) == value[0] + len(source):
            arguments = code[split.end() : value[0] + len(source)]
            source = code[value[0] : split.start()]
            return source, [f"{verb}{arguments}" for verb in _SPLIT_CALLS[split["verb"]]]
    return source, ()
