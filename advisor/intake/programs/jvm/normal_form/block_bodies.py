"""Block bodies for Kotlin and Scala functions whose body is an expression without a value:
`fun all(rs: Rs) = rs.forEach { handle(it) }`, `def all(rs: Rs): Unit = save(rs)`.

A method reference that a collection calls for each element becomes a block, too:
`rs.forEach(::handle)` becomes `rs.forEach { handle(it) }`. Line numbers do not change.
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.records.derived_names import LOGGED
from advisor.intake.programs.jvm.text import Text, spliced

_MOST_MATCHES, _LONGEST_BODY = 200, 3_000
_FUNCTION = re.compile(
    r"\b(?:fun|def)\s+(?:<[^<>]{0,80}>\s*)?(?:[\w<>?, ]{1,80}\.)?\w+\s*\([^()]{0,300}\)"
    r"\s*(?::\s*(?P<type>[\w<>\[\]?., ]{1,80}?))?\s*(?P<equals>=(?![=>]))\s*(?P<body>(?!\{)\S)"
)
_FOR_EACH = re.compile(
    r"(?:\w+\s*\??\.\s*)?\w+(?:\([^(){}]{0,80}\))?"
    r"(?:\s*\??\.\s*\w+(?:\([^(){}]{0,200}\)|\s*\{[^{}]{0,200}\})?){0,8}?"
    r"\s*\??\.\s*for[Ee]ach(?:Indexed)?\b"
)
_LOOP = re.compile(r"for\s*\([^{}\n]{1,200}\)\s*(?!yield\b)\S")
_TRY = re.compile(r"try\b")
_SCOPE = re.compile(r"(?:runBlocking|coroutineScope|supervisorScope)\b")
_NEXT_CLAUSE = re.compile(r"\s*(?:else|catch|finally)\b")
_FOR_EACH_REFERENCE = re.compile(
    r"\.\s*(?P<loop>(?!foreachBatch\b)for[Ee]ach\w*)\s*\(\s*(?:(?P<receiver>[\w.]*)\s*::\s*)?(?P<name>(?!seek\b)[a-z]\w*)\s*(?:_\s*)?\)"
)


def with_block_bodies(code: str) -> str:
    """Returns the program with blocks for such bodies and method references."""
    return _without_expression_bodies(_without_method_references(code))


def _without_expression_bodies(code: str) -> str:
    text, changes = Text.of(code), list[tuple[int, int, str]]()
    for match in islice(_FUNCTION.finditer(text.plain), _MOST_MATCHES):
        begin, end = text.statement(match.start("body"))
        is_unit = match["type"] == "Unit"
        is_unit |= any(
            pattern.match(text.plain, begin) for pattern in (_FOR_EACH, _LOOP, _SCOPE, _TRY)
        )
        is_unit |= bool(LOGGED.match(text.plain, begin)) and only_logs(text.plain[begin:end])
        is_complete = 0 < end - begin < _LONGEST_BODY and not _NEXT_CLAUSE.match(text.plain, end)
        if is_unit and is_complete:
            head = code[match.start() : match.start("equals")]
            changes.append((match.start(), end, f"{head}{{{code[match.end('equals') : end]} }}"))
    return spliced(code, changes)


def _without_method_references(code: str) -> str:
    text, changes = Text.of(code), list[tuple[int, int, str]]()
    is_scala, is_kotlin = (re.search(rf"\b{word}\s", code) for word in ("def", "fun"))
    for match in islice(_FOR_EACH_REFERENCE.finditer(text.plain), _MOST_MATCHES):
        receiver, name = match["receiver"] or "", match["name"]
        is_resolved = len(text.bodies(name)) == 1
        if not receiver or receiver == "this" or receiver[0].isupper():
            call = name if match["receiver"] is not None or is_scala else f"{name}.accept"
        else:
            call, is_resolved = f"{receiver}.{name}", True
        if is_resolved:
            parameter = "it => " if is_scala else "" if is_kotlin else "it -> "
            argument = (
                f" {{ {parameter}{call}(it) }}"
                if is_scala or is_kotlin
                else f"({parameter}{{ {call}(it); }})"
            )
            lines = "\n" * match[0].count("\n")
            changes.append((*match.span(), f".{match['loop']}{argument}{lines}"))
    return spliced(code, changes)
