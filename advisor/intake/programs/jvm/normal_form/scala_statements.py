"""Java's form of Scala statements: `catch { case e: E => … }` becomes `catch (e: E) { … }`, and
`c.commitSync` gets its parentheses.

Line numbers do not change.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.conditions import checks_attempts, is_harmless
from advisor.intake.programs.jvm.surroundings import HANDLER_CLAUSE
from advisor.intake.programs.jvm.text import Block, Text, spliced

Change = tuple[int, int, str]

_MOST_MATCHES, _MOST_CASES = 100, 8
_CASE_LENGTH, _ARROW_LENGTH = len("case"), len("=>")
_SCALA = re.compile(r"\bdef\s")
_BARE_CALL = re.compile(r"\.\s*(?:commit(?:Sync|Async)|flush)\b(?!\s*[(_])(?=\s*(?:[;\n})]))")
_CATCH = re.compile(r"\bcatch\s*\{(?=\s*case\b)")
_CATCH_BY_NAME = re.compile(r"\bcatch\s+(?P<name>[a-z]\w*)\b(?!\s*[(.])")
_CASE = re.compile(r"\bcase\b(?P<pattern>(?:(?!=>)[^\n{};]){1,160})=>")
_TYPED = re.compile(r"\s*(?P<name>\w+)\s*(?::\s*(?P<type>[\w.]+(?:\s*\|\s*[\w.]+){0,6}))?\s*")
_NON_FATAL = re.compile(r"\s*(?:NonFatal|Failure|Left)\s*\(\s*(?P<name>\w+)(?:\s*:\s*\w+)?\s*\)\s*")
_GUARD = re.compile(r"\sif\b(?P<condition>.*)", re.DOTALL)
_ALTERNATIVES = re.compile(
    r"\s*(?:(?P<name>\w+)\s*@\s*)?"
    r"(?P<types>\(?\s*\w+\s*:\s*[\w.]+(?:\s*\|\s*\w+\s*:\s*[\w.]+){0,6}\s*\)?)\s*"
)
"""A pattern of several types: `_: A | _: B`, `e @ (_: A | _: B)`."""
_EXTRACTOR = re.compile(r"\s*(?P<type>[A-Z]\w*)\s*\((?P<arguments>[^=]*)\)\s*")
_DUPLICATE = "DuplicateKeyException"
_IDENTITY_YIELD = re.compile(
    r"\bfor\s*[{(]\s*(?P<name>\w+)\s*<-\s*(?P<source>[^;{}\n]{1,200}?)\s*[})]\s*yield\s+(?P=name)"
    r"\b(?=[ \t]*[;\n})])"
)
"""A comprehension that yields its elements unchanged."""
_ARGUMENTS = r"(?:[^(){}\n]|\((?:[^(){}\n]|\([^(){}\n]*\)){0,60}\)){1,120}"
_JOINED_ATTEMPTS = re.compile(
    rf"\bfor\s*\{{\s*(?P<name>\w+)\s*<-\s*Try\s*\((?P<first>{_ARGUMENTS})\)\s*[;\n]\s*"
    rf"(?P<result>\w+)\s*<-\s*Try\s*\(\s*(?P=name)(?P<then>\s*\.{_ARGUMENTS})\)\s*\}}\s*"
    r"yield\s+(?P=result)\b"
)
"""A comprehension of two attempts, of which the second calls a method of the first one's value."""
_BARE_TRY = re.compile(r"(?<=[;{}\n=])[ \t]*try[ \t]+(?!\{)(?=\S)")


@dataclass(frozen=True, slots=True)
class Case:
    """A `case` at the offset `at`: its pattern, and where its code begins and ends."""

    pattern: str
    at: int
    begin: int
    end: int


def without_scala_syntax(code: str) -> str:
    """Returns the program with these statements in Java's form."""
    if not _SCALA.search(code):
        return code
    code = _IDENTITY_YIELD.sub(lambda match: match["source"] + "\n" * match[0].count("\n"), code)
    code = _JOINED_ATTEMPTS.sub(
        lambda match: f"Try({match['first']}{match['then']})" + "\n" * match[0].count("\n"), code
    )
    for rewrite in (_with_named_handlers, _with_parentheses, _with_try_braces, _with_catch_clauses):
        code = rewrite(code)
    return code


def _with_named_handlers(code: str) -> str:
    """Returns the program with the cases of a named handler in its place, as in `catch handler`."""
    text, changes = Text.of(code), list[Change]()
    for match in islice(_CATCH_BY_NAME.finditer(text.plain), _MOST_MATCHES):
        definition = rf"\b(?:val|def)\s+{match['name']}\b[^={{}}\n]{{0,120}}=\s*\{{"
        if handler := re.search(definition, text.plain):
            block = text.block_of(handler.end() - 1)
            handler_cases = " ".join(code[block[0] : block[1] + 1].split("\n"))
            changes.append((*match.span("name"), handler_cases))
    return spliced(code, changes)


def _with_parentheses(code: str) -> str:
    text = Text.of(code)
    calls = islice(_BARE_CALL.finditer(text.plain), _MOST_MATCHES)
    return spliced(code, [(call.end(), call.end(), "()") for call in calls])


def _with_try_braces(code: str) -> str:
    """Returns the program with braces around the single expression of each `try`."""
    text, changes = Text.of(code), list[Change]()
    for match in islice(_BARE_TRY.finditer(text.plain), _MOST_MATCHES):
        begin, end = text.statement(match.end())
        handler = re.compile(r"\bcatch\s*\{").search(text.plain, begin, end)
        stop = handler.start() if handler else end
        if handler or HANDLER_CLAUSE.match(text.plain, end):
            changes += [(begin, begin, "{ "), (stop, stop, " } ")]
    return spliced(code, changes)


def _with_catch_clauses(code: str) -> str:
    """Returns the program with a `catch` clause for each case of a `catch`."""
    text, changes = Text.of(code), list[Change]()
    for match in islice(_CATCH.finditer(text.plain), _MOST_MATCHES):
        block = text.block_of(match.end() - 1)
        clauses = cases(text, block)
        heads = [
            catch_parameter(code[case.at + _CASE_LENGTH : case.begin - _ARROW_LENGTH])
            for case in clauses
        ]
        if clauses and all(heads) and not (changes and match.start() < changes[-1][1]):
            changes += _clauses(match.start(), clauses, heads, code)
    return _with_catch_clauses(spliced(code, changes)) if changes else code


def _clauses(at: int, cases: Sequence[Case], heads: Sequence[str], code: str) -> list[Change]:
    """Replaces the cases with clauses that have these heads."""
    changes, end, closing = list[Change](), at, ""
    for case, head in zip(cases, heads, strict=True):
        lines = "\n" * code.count("\n", end, case.begin)
        guard = _GUARD.search(case.pattern)
        checks_count = guard and checks_attempts(guard["condition"])
        condition = f" if ({guard['condition'].strip()}) {{" if guard and checks_count else ""
        changes.append((end, case.begin, f"{closing}catch ({head}) {{{condition}{lines}"))
        rethrow = f" }} else {{ throw {head.partition(':')[0]} }}" if condition else ""
        end, closing = case.end, f"{rethrow}}} "
    return [*changes, (end, end, closing[:-2])]


def cases(text: Text, block: Block) -> list[Case]:
    """Returns the cases of a block, without those of nested blocks."""
    matches = [match for match in islice(_CASE.finditer(text.plain, *block), _MOST_MATCHES)
             if text.block(match.start()) == block][:_MOST_CASES]  # fmt: skip
    ends = [match.start() for match in matches[1:]] + [block[1]]
    return [Case(match["pattern"], match.start(), match.end(), end)
            for match, end in zip(matches, ends, strict=False)]  # fmt: skip


def catch_parameter(pattern: str) -> str:
    """Returns the parameter of a Java `catch` for the pattern of a case, without its guard. Empty
    for any other pattern. A guard that checks for duplicates gives a duplicate key error."""
    if guard := _GUARD.search(pattern):
        head = catch_parameter(pattern[: guard.start()])
        is_duplicate = head and is_harmless(guard["condition"])
        return f"{head.partition(':')[0]}: {_DUPLICATE}" if is_duplicate else head
    if (alternatives := _ALTERNATIVES.fullmatch(pattern)) and re.search(r"[|@]", pattern):
        names = re.sub(r"\b\w+\s*:|[()\s]", "", alternatives["types"])
        return f"{alternatives['name'] or '_'}: {names.replace('|', ' | ')}"
    if non_fatal := _NON_FATAL.fullmatch(pattern):
        return f"{non_fatal['name']}: Exception"
    if extractor := _EXTRACTOR.fullmatch(pattern):
        name = re.search(r"\b[a-z]\w*", extractor["arguments"])
        is_type = extractor["type"].endswith(("Exception", "Error"))
        type_name = (
            extractor["type"] if is_type else _DUPLICATE if is_harmless(pattern) else "Exception"
        )
        return f"{name[0] if name else '_'}: {type_name}"
    if typed := _TYPED.fullmatch(pattern):
        return f"{typed['name']}: {typed['type'] or 'Throwable'}"
    return ""
