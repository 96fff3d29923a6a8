"""Statements of Scala as those that Java has for them: `catch { case e: E => … }` and a `Try` that
is asked for its error as `catch (e: E) { … }`, and `c.commitSync` with its brackets.

Lines stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.jvm.text import Block, Text, spliced

Change = tuple[int, int, str]

_MOST, _MOST_CASES = 100, 8
_SCALA = re.compile(r"\bdef\s")
_BARE_CALL = re.compile(r"\.\s*(?:commit(?:Sync|Async)|flush)\b(?!\s*[(_])(?=\s*(?:[;\n})]))")
_CATCH = re.compile(r"\bcatch\s*\{(?=\s*case\b)")
_CASE = re.compile(r"\bcase\b(?P<taken>(?:(?!=>)[^\n{};]){1,160})=>")
_NAMED = re.compile(r"\s*(?P<name>\w+)\s*(?::\s*(?P<type>[\w.]+(?:\s*\|\s*[\w.]+){0,6}))?\s*")
_NON_FATAL = re.compile(r"\s*(?:NonFatal|Failure|Left)\s*\(\s*(?P<name>\w+)(?:\s*:\s*\w+)?\s*\)\s*")
_DONE = re.compile(r"\s*(?:Success\s*\(.*\)|_)\s*")
_TRY = re.compile(r"(?<=[;{}\n])(?P<margin>[ \t]*)Try\s*(?P<opened>[({])")
_IGNORES = re.compile(r"[ \t]*(?=[;\n}])")
_MATCH = re.compile(r"\s*match\s*\{")
_RECOVERS = re.compile(r"\s*\.\s*(?:recover|recoverWith)\s*\{")
_FAILS = re.compile(r"\s*\.\s*failed\s*\.\s*foreach\s*\{\s*\(?(?P<name>\w+)\)?\s*=>")
_GETS = re.compile(r"\s*\.\s*get\b(?!\s*\()(?=[ \t]*[;\n}])")
_BARE_TRY = re.compile(r"(?<=[;{}\n])[ \t]*try[ \t]+(?!\{)(?=\S)")
_HANDLED = re.compile(r"\s*(?:catch|finally)\b")


@dataclass(frozen=True, slots=True)
class _Case:
    """What a `case` takes, and where what it does begins and ends; `at` is where it stands."""

    taken: str
    at: int
    begin: int
    end: int


def without_scala(code: str) -> str:
    """The same program with these as statements."""
    if not _SCALA.search(code):
        return code
    for change in (_with_brackets, _with_braces, _without_cases, _without_results):
        code = change(code)
    return code


def _with_brackets(code: str) -> str:
    text = Text.of(code)
    calls = islice(_BARE_CALL.finditer(text.plain), _MOST)
    return spliced(code, [(call.end(), call.end(), "()") for call in calls])


def _with_braces(code: str) -> str:
    """Braces around the one expression of a `try`."""
    text, changes = Text.of(code), list[Change]()
    for match in islice(_BARE_TRY.finditer(text.plain), _MOST):
        begin, end = text.statement(match.end())
        caught = re.compile(r"\bcatch\s*\{").search(text.plain, begin, end)
        stop = caught.start() if caught else end
        if caught or _HANDLED.match(text.plain, end):
            changes += [(begin, begin, "{ "), (stop, stop, " } ")]
    return spliced(code, changes)


def _without_cases(code: str) -> str:
    """Each case of a `catch` as one of its own."""
    text, changes = Text.of(code), list[Change]()
    for match in islice(_CATCH.finditer(text.plain), _MOST):
        block = text.block_of(match.end() - 1)
        own = _cases(text, block)
        heads = [_caught(case.taken) for case in own]
        if own and all(heads) and not (changes and match.start() < changes[-1][1]):
            changes += _clauses(match.start(), block, own, heads, code)
    return _without_cases(spliced(code, changes)) if changes else code


def _clauses(
    at: int, block: Block, cases: Sequence[_Case], heads: Sequence[str], code: str
) -> list[Change]:
    """The heads of these clauses in the place of the cases."""
    changes, behind = list[Change](), at
    for number, (case, head) in enumerate(zip(cases, heads, strict=True)):
        lines = "\n" * code.count("\n", behind, case.begin)
        closes = "" if number == 0 else "} "
        changes.append((behind, case.begin, f"{closes}catch ({head}) {{{lines}"))
        behind = case.end
    return changes


def _cases(text: Text, block: Block) -> list[_Case]:
    """The cases between two braces, but for those of another block in it."""
    found = [match for match in islice(_CASE.finditer(text.plain, *block), _MOST)
             if text.block(match.start()) == block][:_MOST_CASES]  # fmt: skip
    ends = [match.start() for match in found[1:]] + [block[1]]
    return [_Case(match["taken"], match.start(), match.end(), end)
            for match, end in zip(found, ends, strict=True)]  # fmt: skip


def _caught(taken: str) -> str:
    """What a clause of Java's names for what a case takes; empty for a condition."""
    if fatal := _NON_FATAL.fullmatch(taken):
        return f"{fatal['name']}: Exception"
    if named := _NAMED.fullmatch(taken):
        return f"{named['name']}: {named['type'] or 'Throwable'}"
    return ""


def _without_results(code: str) -> str:
    """A `Try` that is a statement, and what is done for its error, as `try`."""
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
            changes.append((end - 1, begin, f"}} {made or ''}"))
            changes += [behind] if behind else []
    return spliced(code, sorted(changes))


def _of_result(text: Text, code: str, end: int) -> tuple[int, Change | None, str | None] | None:
    """What stands behind a `Try`: up to where it is replaced, what else is, and the clause that is
    put there, or None where errors are thrown again. None if it is something else."""
    plain = text.plain
    if got := _GETS.match(plain, end):
        return got.end(), None, None
    if _IGNORES.match(plain, end):
        return end, None, "catch (e: Throwable) { }"
    if fails := _FAILS.match(plain, end):
        return fails.end(), None, f"catch ({fails['name']}: Throwable) {{"
    if head := _MATCH.match(plain, end) or _RECOVERS.match(plain, end):
        block = text.block_of(head.end() - 1)
        cases = _cases(text, block)
        failed = [case for case in cases if not _DONE.fullmatch(case.taken)]
        others = [case for case in cases if _DONE.fullmatch(case.taken)]
        is_idle = all(not code[it.begin : it.end].strip("() \n\t;") for it in others)
        name = _caught(failed[0].taken) if len(failed) == 1 and is_idle else ""
        if not name or not _IGNORES.match(plain, block[1] + 1):
            return None
        lines = "\n" * code.count("\n", end, failed[0].begin)
        kept = code.count("\n", failed[0].end, block[1])
        behind = (failed[0].end, block[1], "\n" * kept) if failed[0].end < block[1] else None
        return failed[0].begin, behind, f"catch ({name}) {{{lines}"
    return None
