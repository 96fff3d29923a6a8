"""Functions of Kotlin and Scala whose body is an expression that has no value, with a block:
`fun all(rs: Rs) = rs.forEach { handle(it) }`, `def all(rs: Rs): Unit = save(rs)`.

A collection that hands each to a method of the file by its name calls it in a block, too:
`rs.forEach(::handle)` is `rs.forEach { handle(it) }`. Lines stay as they are.
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.records.derived_names import LOGGED
from advisor.intake.programs.jvm.text import Text, spliced

_MOST, _LONGEST = 200, 3_000
_FUNCTION = re.compile(
    r"\b(?:fun|def)\s+(?:<[^<>]{0,80}>\s*)?(?:[\w<>?, ]{1,80}\.)?\w+\s*\([^()]{0,300}\)"
    r"\s*(?::\s*(?P<type>[\w<>\[\]?., ]{1,80}?))?\s*(?P<equals>=(?![=>]))\s*(?P<body>(?!\{)\S)"
)
_EACH = re.compile(
    r"(?:\w+\s*\??\.\s*)?\w+(?:\([^(){}]{0,80}\))?"
    r"(?:\s*\??\.\s*\w+(?:\([^(){}]{0,200}\)|\s*\{[^{}]{0,200}\})?){0,8}?"
    r"\s*\??\.\s*for[Ee]ach(?:Indexed)?\b"
)
_LOOP = re.compile(r"for\s*\([^{}\n]{1,200}\)\s*(?!yield\b)\S")
_TRY = re.compile(r"try\b")
_SCOPE = re.compile(r"(?:runBlocking|coroutineScope|supervisorScope)\b")
_OTHER_SIDE = re.compile(r"\s*(?:else|catch|finally)\b")
_GIVEN = re.compile(
    r"\.\s*(?P<each>(?!foreachBatch\b)for[Ee]ach\w*)\s*\(\s*(?:(?P<of>[\w.]*)\s*::\s*)?(?P<name>(?!seek\b)[a-z]\w*)\s*(?:_\s*)?\)"
)


def with_blocks(code: str) -> str:
    """The same program with blocks for these."""
    return _without_expressions(_without_references(code))


def _without_expressions(code: str) -> str:
    text, changes = Text.of(code), list[tuple[int, int, str]]()
    for match in islice(_FUNCTION.finditer(text.plain), _MOST):
        begin, end = text.statement(match.start("body"))
        is_unit = match["type"] == "Unit"
        is_unit |= any(kind.match(text.plain, begin) for kind in (_EACH, _LOOP, _SCOPE, _TRY))
        is_unit |= bool(LOGGED.match(text.plain, begin)) and only_logs(text.plain[begin:end])
        whole = 0 < end - begin < _LONGEST and not _OTHER_SIDE.match(text.plain, end)
        if is_unit and whole:
            head = code[match.start() : match.start("equals")]
            changes.append((match.start(), end, f"{head}{{{code[match.end('equals') : end]} }}"))
    return spliced(code, changes)


def _without_references(code: str) -> str:
    text, changes = Text.of(code), list[tuple[int, int, str]]()
    is_scala, is_kotlin = (re.search(rf"\b{word}\s", code) for word in ("def", "fun"))
    for match in islice(_GIVEN.finditer(text.plain), _MOST):
        of, name = match["of"] or "", match["name"]
        is_own = len(text.bodies(name)) == 1
        if not of or of == "this" or of[0].isupper():
            call = name if match["of"] is not None or is_scala else f"{name}.accept"
        else:
            call, is_own = f"{of}.{name}", True
        if is_own:
            head = "it => " if is_scala else "" if is_kotlin else "it -> "
            made = (
                f" {{ {head}{call}(it) }}"
                if is_scala or is_kotlin
                else f"({head}{{ {call}(it); }})"
            )
            lines = "\n" * match[0].count("\n")
            changes.append((*match.span(), f".{match['each']}{made}{lines}"))
    return spliced(code, changes)
