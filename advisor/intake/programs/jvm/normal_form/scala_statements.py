"""Statements of Scala as those that Java has for them: `catch { case e: E => … }` as
`catch (e: E) { … }`, and `c.commitSync` with its brackets.

Lines stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.conditions import checks_attempts, is_harmless
from advisor.intake.programs.jvm.text import Block, Text, spliced

Change = tuple[int, int, str]

_MOST, _MOST_CASES = 100, 8
_WORD, _ARROW = len("case"), len("=>")
_SCALA = re.compile(r"\bdef\s")
_BARE_CALL = re.compile(r"\.\s*(?:commit(?:Sync|Async)|flush)\b(?!\s*[(_])(?=\s*(?:[;\n})]))")
_CATCH = re.compile(r"\bcatch\s*\{(?=\s*case\b)")
_CATCH_BY_NAME = re.compile(r"\bcatch\s+(?P<name>[a-z]\w*)\b(?!\s*[(.])")
_CASE = re.compile(r"\bcase\b(?P<taken>(?:(?!=>)[^\n{};]){1,160})=>")
_NAMED = re.compile(r"\s*(?P<name>\w+)\s*(?::\s*(?P<type>[\w.]+(?:\s*\|\s*[\w.]+){0,6}))?\s*")
_NON_FATAL = re.compile(r"\s*(?:NonFatal|Failure|Left)\s*\(\s*(?P<name>\w+)(?:\s*:\s*\w+)?\s*\)\s*")
_GUARD = re.compile(r"\sif\b(?P<asked>.*)", re.DOTALL)
_SEVERAL = re.compile(
    r"\s*(?:(?P<name>\w+)\s*@\s*)?"
    r"(?P<types>\(?\s*\w+\s*:\s*[\w.]+(?:\s*\|\s*\w+\s*:\s*[\w.]+){0,6}\s*\)?)\s*"
)
"""Types that a pattern takes: `_: A | _: B`, `e @ (_: A | _: B)`."""
_TAKEN_APART = re.compile(r"\s*(?P<by>[A-Z]\w*)\s*\((?P<into>[^=]*)\)\s*")
_DONE_BEFORE = "DuplicateKeyException"
_YIELDS_ITSELF = re.compile(
    r"\bfor\s*[{(]\s*(?P<name>\w+)\s*<-\s*(?P<of>[^;{}\n]{1,200}?)\s*[})]\s*yield\s+(?P=name)"
    r"\b(?=[ \t]*[;\n})])"
)
"""A comprehension that is what it takes one of."""
_BARE_TRY = re.compile(r"(?<=[;{}\n])[ \t]*try[ \t]+(?!\{)(?=\S)")
_HANDLED = re.compile(r"\s*(?:catch|finally)\b")


@dataclass(frozen=True, slots=True)
class Case:
    """A `case`: what it takes, where its code begins and ends, and where it stands (`at`)."""

    taken: str
    at: int
    begin: int
    end: int


def without_scala(code: str) -> str:
    """The same program with these as statements."""
    if not _SCALA.search(code):
        return code
    code = _YIELDS_ITSELF.sub(lambda it: it["of"] + "\n" * it[0].count("\n"), code)
    for change in (_with_own_cases, _with_brackets, _with_braces, _without_cases):
        code = change(code)
    return code


def _with_own_cases(code: str) -> str:
    """The cases of a handler that has a name, as `catch tells`."""
    text, changes = Text.of(code), list[Change]()
    for match in islice(_CATCH_BY_NAME.finditer(text.plain), _MOST):
        made = rf"\b(?:val|def)\s+{match['name']}\b[^={{}}\n]{{0,120}}=\s*\{{"
        if found := re.search(made, text.plain):
            block = text.block_of(found.end() - 1)
            own = " ".join(code[block[0] : block[1] + 1].split("\n"))
            changes.append((*match.span("name"), own))
    return spliced(code, changes)


def _with_brackets(code: str) -> str:
    text = Text.of(code)
    calls = islice(_BARE_CALL.finditer(text.plain), _MOST)
    return spliced(code, [(call.end(), call.end(), "()") for call in calls])


def _with_braces(code: str) -> str:
    """Braces around the one expression of a `try`."""
    text, changes = Text.of(code), list[Change]()
    for match in islice(_BARE_TRY.finditer(text.plain), _MOST):
        begin, end = text.statement(match.end())
        handler = re.compile(r"\bcatch\s*\{").search(text.plain, begin, end)
        stop = handler.start() if handler else end
        if handler or _HANDLED.match(text.plain, end):
            changes += [(begin, begin, "{ "), (stop, stop, " } ")]
    return spliced(code, changes)


def _without_cases(code: str) -> str:
    """Each case of a `catch` as one of its own."""
    text, changes = Text.of(code), list[Change]()
    for match in islice(_CATCH.finditer(text.plain), _MOST):
        block = text.block_of(match.end() - 1)
        own = cases(text, block)
        heads = [caught(code[case.at + _WORD : case.begin - _ARROW]) for case in own]
        if own and all(heads) and not (changes and match.start() < changes[-1][1]):
            changes += _clauses(match.start(), own, heads, code)
    return _without_cases(spliced(code, changes)) if changes else code


def _clauses(at: int, cases: Sequence[Case], heads: Sequence[str], code: str) -> list[Change]:
    """The heads of these clauses in the place of the cases."""
    changes, behind, closes = list[Change](), at, ""
    for case, head in zip(cases, heads, strict=True):
        lines = "\n" * code.count("\n", behind, case.begin)
        tried = _GUARD.search(case.taken)
        is_count = tried and checks_attempts(tried["asked"])
        asks = f" if ({tried['asked'].strip()}) {{" if tried and is_count else ""
        changes.append((behind, case.begin, f"{closes}catch ({head}) {{{asks}{lines}"))
        last = f" }} else {{ throw {head.partition(':')[0]} }}" if asks else ""
        behind, closes = case.end, f"{last}}} "
    return [*changes, (behind, behind, closes[:-2])]


def cases(text: Text, block: Block) -> list[Case]:
    """The cases between two braces, but for those of another block in it."""
    found = [match for match in islice(_CASE.finditer(text.plain, *block), _MOST)
             if text.block(match.start()) == block][:_MOST_CASES]  # fmt: skip
    ends = [match.start() for match in found[1:]] + [block[1]]
    return [Case(match["taken"], match.start(), match.end(), end)
            for match, end in zip(found, ends, strict=False)]  # fmt: skip


def caught(taken: str) -> str:
    """What a `catch` of Java names for what a case takes, whatever its guard asks; empty for
    anything else. Where the guard asks for what was done before, that is its error."""
    if guarded := _GUARD.search(taken):
        head = caught(taken[: guarded.start()])
        was_done = head and is_harmless(guarded["asked"])
        return f"{head.partition(':')[0]}: {_DONE_BEFORE}" if was_done else head
    if (several := _SEVERAL.fullmatch(taken)) and re.search(r"[|@]", taken):
        names = re.sub(r"\b\w+\s*:|[()\s]", "", several["types"])
        return f"{several['name'] or '_'}: {names.replace('|', ' | ')}"
    if fatal := _NON_FATAL.fullmatch(taken):
        return f"{fatal['name']}: Exception"
    if apart := _TAKEN_APART.fullmatch(taken):
        name = re.search(r"\b[a-z]\w*", apart["into"])
        is_type = apart["by"].endswith(("Exception", "Error"))
        kind = apart["by"] if is_type else _DONE_BEFORE if is_harmless(taken) else "Exception"
        return f"{name[0] if name else '_'}: {kind}"
    if named := _NAMED.fullmatch(taken):
        return f"{named['name']}: {named['type'] or 'Throwable'}"
    return ""
