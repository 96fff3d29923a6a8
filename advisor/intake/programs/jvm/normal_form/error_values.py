"""Errors that are values of a statement, as `try`: Scala's `Try { … }` and Kotlin's
`runCatching { … }`, and what is done for their errors. Lines stay as they are.
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.normal_form.scala_statements import Change, cases, caught
from advisor.intake.programs.jvm.text import Block, Text, spliced

_MOST = 100
_DONE = re.compile(r"\s*(?:Success\s*\(.*\)|_)\s*")
_TRY = re.compile(r"(?<=[;{}\n])(?P<margin>[ \t]*)(?:Try|runCatching)\s*(?P<opened>[({])")
_IGNORES = re.compile(r"[ \t]*(?=[;\n}])")
_MATCH = re.compile(r"\s*match\s*\{")
_RECOVERS = re.compile(r"\s*\.\s*(?:recover|recoverWith)\s*\{")
_FAILS = re.compile(
    r"\s*\.\s*(?:failed\s*\.\s*foreach|onFailure)\s*\{(?:\s*\(?(?P<name>\w+)\)?\s*[-=]>)?"
)
_GETS = re.compile(r"\s*\.\s*(?:get\b(?!\s*\()|getOrThrow\s*\(\s*\))(?=[ \t]*[;\n}])")
_OF_STATEMENTS = re.compile(
    r"\b(?:for[Ee]ach\w*|onEach|for|while|if|else|try|finally|breakable|run)\b[^;{}]*$"
    r"|\)\s*(?::\s*Unit\s*=?)?\s*$"
)
"""What stands before braces whose last value is nothing."""


def without_error_values(code: str) -> str:
    """The same program with these."""
    text, changes = Text.of(code), list[Change]()
    for match in islice(_TRY.finditer(text.plain), _MOST):
        opened = match.end() - 1
        is_block = match["opened"] == "{"
        end = (text.block_of(opened)[1] if is_block else text.closed(match.end()) - 1) + 1
        if end <= match.end() or (changes and opened < changes[-1][1]):
            continue
        if handled := _of_result(text, code, end):
            begin, behind, made = handled
            head = f"{match['margin']}try {{" if made is not None else f"{match['margin']}{{"
            changes.append((match.start(), match.end(), head))
            changes += [(end - 1, begin, f"}} {made or ''}"), *behind]
    return spliced(code, sorted(changes))


def _of_result(text: Text, code: str, end: int) -> tuple[int, list[Change], str | None] | None:
    """What stands behind a `Try`: up to where it is replaced, what else is, and the clause that is
    put there, or None where errors are thrown again. None if it is something else."""
    plain = text.plain
    if got := _GETS.match(plain, end):
        return got.end(), [], None
    if _IGNORES.match(plain, end):
        return None if _is_value(text, end) else (end, [], "catch (e: Throwable) { }")
    if fails := _FAILS.match(plain, end):
        behind = text.block_of(plain.index("{", fails.start()))[1] + 1
        is_whole = _IGNORES.match(plain, behind) and not _is_value(text, behind)
        name = fails["name"] or "it"
        return (fails.end(), [], f"catch ({name}: Throwable) {{") if is_whole else None
    if head := _MATCH.match(plain, end) or _RECOVERS.match(plain, end):
        block = text.block_of(head.end() - 1)
        return _of_cases(text, code, end, block)
    return None


def _of_cases(
    text: Text, code: str, end: int, block: Block
) -> tuple[int, list[Change], str | None] | None:
    """The same of cases that a `Try` is matched with, or recovers by."""
    every = cases(text, block)
    failed = [case for case in every if not _DONE.fullmatch(case.taken)]
    others = [case for case in every if _DONE.fullmatch(case.taken)]
    is_idle = all(not code[it.begin : it.end].strip("() \n\t;") for it in others)
    names = [caught(case.taken) for case in failed] if is_idle else []
    are_last = failed == every[-len(failed) :] or failed == every[: len(failed)]
    is_whole = _IGNORES.match(text.plain, block[1] + 1)
    if not names or not (all(names) and are_last and is_whole):
        return None
    behind = list[Change]()
    for before, case, name in zip(failed, failed[1:], names[1:], strict=False):
        lines = "\n" * code.count("\n", before.end, case.begin)
        behind.append((before.end, case.begin, f"}} catch ({name}) {{{lines}"))
    if failed[-1].end < block[1]:
        kept = code.count("\n", failed[-1].end, block[1])
        behind.append((failed[-1].end, block[1], "\n" * kept))
    lines = "\n" * code.count("\n", end, failed[0].begin)
    return failed[0].begin, behind, f"catch ({names[0]}) {{{lines}"


def _is_value(text: Text, end: int) -> bool:
    """Whether what ends at a place is the value of the braces around it."""
    around = text.around(end - 1)
    is_last = text.plain[text.behind_blanks(end) :][:1] == "}"
    return is_last and bool(around) and not _OF_STATEMENTS.search(around[-1][2])
