"""`try` statements for errors that are values: Scala's `Try { … }` and Kotlin's
`runCatching { … }`, with the code that handles their errors. Line numbers do not change.
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.normal_form.scala_statements import Change, cases, catch_parameter
from advisor.intake.programs.jvm.surroundings import MATCH
from advisor.intake.programs.jvm.text import Block, Text, spliced

_MOST_MATCHES = 100
_SUCCESS = re.compile(r"\s*(?:Success\s*\(.*\)|_)\s*")
_TRY = re.compile(r"(?<=[;{}\n])(?P<margin>[ \t]*)(?:Try|runCatching)\s*(?P<opened>[({])")
_STATEMENT_END = re.compile(r"[ \t]*(?=[;\n}])")
_RECOVER = re.compile(r"\s*\.\s*(?:recover|recoverWith)\s*\{")
_FAILURE_CALLBACK = re.compile(
    r"\s*\.\s*(?:failed\s*\.\s*foreach|onFailure)\s*\{(?:\s*\(?(?P<name>\w+)\)?\s*[-=]>)?"
)
_GET = re.compile(r"\s*\.\s*(?:get\b(?!\s*\()|getOrThrow\s*\(\s*\))(?=[ \t]*[;\n}])")
_STATEMENT_BLOCK = re.compile(
    r"\b(?:for[Ee]ach\w*|onEach|for|while|if|else|try|finally|breakable|run)\b[^;{}]*$"
    r"|\)\s*(?::\s*Unit\s*=?)?\s*$"
)
"""The code before a block whose last expression is not used as a value."""


def without_error_values(code: str) -> str:
    """Returns the program with `try` statements in place of such values."""
    text, changes = Text.of(code), list[Change]()
    for match in islice(_TRY.finditer(text.plain), _MOST_MATCHES):
        opened = match.end() - 1
        is_block = match["opened"] == "{"
        end = (text.block_of(opened)[1] if is_block else text.closed(match.end()) - 1) + 1
        if end <= match.end() or (changes and opened < changes[-1][1]):
            continue
        if handling := _result_handling(text, code, end):
            resume, more_changes, clause = handling
            head = f"{match['margin']}try {{" if clause is not None else f"{match['margin']}{{"
            changes.append((match.start(), match.end(), head))
            changes += [(end - 1, resume, f"}} {clause or ''}"), *more_changes]
    return spliced(code, sorted(changes))


def _result_handling(
    text: Text, code: str, end: int
) -> tuple[int, list[Change], str | None] | None:
    """Returns how the result of a `Try` is used: the end of the replaced code, further changes, and
    the new `catch` clause, or None for the clause if errors are rethrown. Returns None if the use
    is not supported."""
    plain = text.plain
    if get := _GET.match(plain, end):
        return get.end(), [], None
    if _STATEMENT_END.match(plain, end):
        return None if _is_block_value(text, end) else (end, [], "catch (e: Throwable) { }")
    if callback := _FAILURE_CALLBACK.match(plain, end):
        after = text.block_of(plain.index("{", callback.start()))[1] + 1
        joined = list[Change]()
        while (more := _FAILURE_CALLBACK.match(plain, after)) and more["name"] == callback["name"]:
            joined.append((after - 1, more.end(), "; " + "\n" * more[0].count("\n")))
            after = text.block_of(plain.index("{", more.start()))[1] + 1
        is_complete = _STATEMENT_END.match(plain, after) and not _is_block_value(text, after)
        name = callback["name"] or "it"
        return (callback.end(), joined, f"catch ({name}: Throwable) {{") if is_complete else None
    if head := MATCH.match(plain, end) or _RECOVER.match(plain, end):
        block = text.block_of(head.end() - 1)
        return _case_handling(text, code, end, block)
    return None


def _case_handling(
    text: Text, code: str, end: int, block: Block
) -> tuple[int, list[Change], str | None] | None:
    """Returns the same as `_result_handling`, for the cases of a `match` or `recover`."""
    all_cases = cases(text, block)
    failures = [case for case in all_cases if not _SUCCESS.fullmatch(case.pattern)]
    successes = [case for case in all_cases if _SUCCESS.fullmatch(case.pattern)]
    is_idle = all(not code[case.begin : case.end].strip("() \n\t;") for case in successes)
    names = [catch_parameter(case.pattern) for case in failures] if is_idle else []
    are_adjacent = failures == all_cases[-len(failures) :] or failures == all_cases[: len(failures)]
    is_complete = _STATEMENT_END.match(text.plain, block[1] + 1)
    if not names or not (all(names) and are_adjacent and is_complete):
        return None
    changes = list[Change]()
    for before, case, name in zip(failures, failures[1:], names[1:], strict=False):
        lines = "\n" * code.count("\n", before.end, case.begin)
        changes.append((before.end, case.begin, f"}} catch ({name}) {{{lines}"))
    if failures[-1].end < block[1]:
        lines_left = code.count("\n", failures[-1].end, block[1])
        changes.append((failures[-1].end, block[1], "\n" * lines_left))
    lines = "\n" * code.count("\n", end, failures[0].begin)
    return failures[0].begin, changes, f"catch ({names[0]}) {{{lines}"


def _is_block_value(text: Text, end: int) -> bool:
    """Whether the expression that ends at `end` is the value of its block."""
    enclosing = text.around(end - 1)
    is_last = text.plain[text.after_whitespace(end) :][:1] == "}"
    return is_last and bool(enclosing) and not _STATEMENT_BLOCK.search(enclosing[-1][2])
