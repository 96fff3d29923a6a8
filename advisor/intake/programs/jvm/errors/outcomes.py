"""Outcomes in JVM code that are failures of a record, and are only logged.

`switch (process(r)) { case OK -> {} case FAILED -> log.warn(r); }`, Kotlin's `when`, Scala's
`match`, and `if (process(r) == Outcome.FAILED) { log.warn(r); }`: no error is thrown, so the next
record is processed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from advisor.intake.programs.jvm.errors import flags as jvm_flags
from advisor.intake.programs.jvm.errors.outcome_words import (
    ERROR_NAME,
    FAILURE,
    PROPERTY,
    SUCCESS,
    SUCCESS_NAME,
)
from advisor.intake.programs.jvm.records.derived_names import log_arguments
from advisor.intake.programs.jvm.surroundings import ELSE
from advisor.intake.programs.jvm.text import Block, Text

_MAX_MATCHES, _MAX_CASES, _REACH = 60, 24, 200
_DEFAULT_CASE = re.compile(r"\s*(?:else|default|(?:case\s+)?_)\s*")
QUESTION = re.compile(
    r"(?:is|has|contains|exists|can|should|seen|needs|was|check|valid|validate|verify|already|allow"
    r"|classify|parse|decode|read|get|find|kind|type|status|state|decide|evaluate|choose)(?![a-z])\w*"
    r"|\w*IfAbsent"
)
"""The name of a call that only asks a question about a record."""
ASSIGNMENT = re.compile(
    r"(?<=[;{}\n>])\s*(?:final\s+)?(?:va[lr]|[A-Z]\w*(?:<[\w<>?, ]{0,60}>)?)\s+(?P<name>\w+)"
    r"(?:\s*:\s*[\w<>?., ]{1,60})?\s*=(?![=>])\s*(?P<call>(?:\w+\s*\.\s*){0,3}(?P<verb>\w+)\s*\()"
)
_SWITCH = re.compile(
    r"\b(?P<word>when|switch)\s*\((?:\s*val\s+\w+\s*=)?\s*(?P<subject>(?:\w+\s*\.\s*){0,3}\w+)\s*"
    r"(?P<opened>\()?|(?<=[;{}\n])[ \t]*(?P<scala_subject>(?!(?:when|switch|if|for|while|catch)\b)"
    r"(?:\w+\s*\.\s*){0,3}\w+)"
    r"\s*(?:(?P<scala_opened>\()|match\s*\{)"
)
_IF = re.compile(
    r"\bif\s*\(\s*(?P<not>!\s*\(?\s*)?(?P<subject>(?:\w+\s*\.\s*){0,3}\w+)\s*(?P<opened>\()?"
)
_COMPARISON = re.compile(
    r"\s*(?:(?P<op>[!=]=)\s*(?P<to>[\w.]+)|(?P<is>instanceof|!?\s*is)\s+(?P<kind>[\w.]+)(?:<[^<>]*>)?"
    r"(?:\s+\w+|\s*\([^()]*\))?|\.\s*isInstanceOf\s*\[(?P<type>[\w.]+)[^\]]*\])\s*\)+\s*"
)
_STATUS_CHECK = re.compile(
    rf"\bif\s*\(\s*(?P<not>!\s*)?(?P<name>\w+)\s*\.\s*{PROPERTY}\s*(?:\(\s*\))?\s*\)\s*"
)
_PARTITION = re.compile(
    r"\bval\s*\(\s*(?P<name>\w+)\s*,\s*\w+\s*\)\s*=[^;{}\n]{1,160}\.\s*(?:partitionMap\s*[({]|(?P<separate>separate)\b)"
)
_PAIR = re.compile(
    r"\bval\s*\(\s*(?P<first>\w+)\s*,\s*(?P<second>\w+)\s*\)\s*=\s*(?:\w+\s*\.\s*){0,3}"
    r"(?P<verb>\w+)\s*\("
)
"""Variables for the two parts of an outcome: `val (ok, error) = process(r)`."""
_SUCCESS_ACCUMULATOR = re.compile(
    r"(?<=[;{}\n>])\s*(?P<name>\w+)\s*(?:&=|=\s*(?P=name)\s*&&?)\s*(?:\w+\s*\.\s*){0,3}(?P<verb>\w+)\s*\("
)
_NO_ERROR = r"\bif\s*\(\s*{}\s*==\s*null\s*\)\s*(?:\{{\s*)?continue\b\s*;?\s*(?:\}})?"
"""A condition that ends the iteration for a record without an error: the rest handles the error."""
_ERROR_USE = (
    r"\bif\s*\(\s*!?\s*{0}\s*(?:[!=]=|\.)|\b{0}\s*\.\s*for[Ee]ach\b"
    r"|\bfor\s*\([^(){{}};]{{0,80}}(?::|\bin\b|<-)\s*{0}\s*\)"
)
"""A condition on an error, or a loop over several."""
_WHEN_WITHOUT_SUBJECT = re.compile(r"\bwhen\s*(?=\{)")
_BODY_START = re.compile(r"\s*\)\s*\{|\s*match\s*\{")
_CASE = re.compile(
    r"(?P<condition>\b(?:case|is)\b(?:(?!->|=>)[^;{}:\n]){1,160}|\b(?:default|else)\s*|(?<=[\s{;])[A-Z][\w.]*"
    r"(?:\s*,\s*[A-Z][\w.]*)*\s*)(?:->|=>|:(?!:))"
)
_BREAK = re.compile(r"\bbreak\b")


def ignored_failures(
    text: Text, uses: re.Pattern[str], span: Block, loops: Sequence[Block] = ()
) -> Iterator[int]:
    """Yields the offset of each branch on the outcome of processing a record that ignores failures.

    `uses` matches the names of a record, and `loops` are the blocks of the loops over polled
    records.
    """
    begin = max(0, span[0])
    names = {
        match["name"]: match.end()
        for match in islice(ASSIGNMENT.finditer(text.plain, begin, span[1]), _MAX_MATCHES)
        if not QUESTION.fullmatch(match["verb"])
        and uses.search(text.plain, match.end(), text.call_end(match.end()))
    }
    failures = Failures(text, loops, in_function=bool(text.named(span)))
    for ignored_places in (_ignored_in_switches, _ignored_in_conditions, _ignored_variables):
        yield from ignored_places(text, uses, span, names, failures)


def _ignored_in_switches(
    text: Text, uses: re.Pattern[str], span: Block, names: dict[str, int], failures: Failures
) -> Iterator[int]:
    """Offsets of `switch`, `when` or `match` on an outcome whose failures are ignored."""
    begin = max(0, span[0])
    for match in islice(_SWITCH.finditer(text.plain, begin, span[1]), _MAX_MATCHES):
        opened = "scala_opened" if match["scala_subject"] else "opened"
        subject = match["scala_subject"] or match["subject"]
        end = _subject_end(text, uses, (subject, match.end(), bool(match[opened])), names)
        body = _BODY_START.match(text.plain, end) if end else None
        if match["scala_subject"] and not match["scala_opened"] and end:
            body = re.compile("").match(text.plain, match.end())
        if body and failures.are_ignored_in_cases(text.block_of(body.end() - 1)):
            yield match.start()
    for match in islice(_WHEN_WITHOUT_SUBJECT.finditer(text.plain, begin, span[1]), _MAX_MATCHES):
        block = text.block_of(match.end())
        words = set(re.findall(r"\w+", text.plain[block[0] : block[1]]))
        if not words.isdisjoint(names) and failures.are_ignored_in_cases(block):
            yield match.start()


def _ignored_in_conditions(
    text: Text, uses: re.Pattern[str], span: Block, names: dict[str, int], failures: Failures
) -> Iterator[int]:
    """Offsets of conditions on an outcome whose failures are ignored."""
    begin = max(0, span[0])
    for match in islice(_IF.finditer(text.plain, begin, span[1]), _MAX_MATCHES):
        subject = (match["subject"], match.end(), bool(match["opened"]))
        end = _subject_end(text, uses, subject, names)
        comparison = _COMPARISON.match(text.plain, end) if end else None
        is_read = not match["opened"] and _is_read_elsewhere(
            text, match["subject"], names, comparison
        )
        if comparison and not is_read and failures.is_ignored_after(comparison, bool(match["not"])):
            yield match.start()
    for match in islice(_STATUS_CHECK.finditer(text.plain, begin, span[1]), _MAX_MATCHES):
        is_outcome = names.get(match["name"], match.start()) < match.start()
        is_outcome = is_outcome and not _is_read_elsewhere(text, match["name"], names, match)
        if is_outcome and failures.is_ignored_if(
            match.end(), bool(match["failure"]) is not bool(match["not"])
        ):
            yield match.start()


def _is_read_elsewhere(
    text: Text, name: str, names: dict[str, int], condition: re.Match[str] | None
) -> bool:
    """Whether an outcome in a variable is read after its condition, other than by a log."""
    if condition is None or name not in names:
        return False
    end = text.controlled_block(condition.end())[1]
    if other := ELSE.match(text.plain, end + 1):
        end = text.controlled_block(other.end())[1]
    span = end, text.block(names[name])[1]
    logged = [*log_arguments(text, span)]
    uses = re.compile(rf"(?<![\w.]){name}\b").finditer(text.plain, *span)
    return any(not any(start <= use.start() < stop for start, stop in logged) for use in uses)


def _ignored_variables(
    text: Text, uses: re.Pattern[str], span: Block, names: dict[str, int], failures: Failures
) -> Iterator[int]:
    """Offsets of variables for an error, or for the failures among several, that are ignored."""
    begin = max(0, span[0])
    for name, at in names.items():
        if not (ERROR_NAME.fullmatch(name) or FAILURE.search(_declared_type(text, at))):
            continue
        scope = at, text.block(at)[1]
        condition = re.compile(_ERROR_USE.format(name)).search(text.plain, *scope)
        success = re.compile(_NO_ERROR.format(name)).search(text.plain, *scope)
        ends_iteration = success and failures.is_ignored_from(success.end(), scope[1])
        if ends_iteration or (condition and jvm_flags.is_never_checked(
            text, name, True, scope, loops=failures.loops, in_function=failures.in_function
        )):  # fmt: skip
            yield at
    for match in islice(_SUCCESS_ACCUMULATOR.finditer(text.plain, begin, span[1]), _MAX_MATCHES):
        end = text.closed(match.end())
        is_outcome = uses.search(text.plain, match.end(), end) and not QUESTION.fullmatch(
            match["verb"]
        )
        if is_outcome and jvm_flags.is_never_checked(text, match["name"], False, (end, span[1])):
            yield match.start("name")
    for match in islice(_PAIR.finditer(text.plain, begin, span[1]), _MAX_MATCHES):
        end = text.closed(match.end())
        has_error = ERROR_NAME.fullmatch(match["first"]) or ERROR_NAME.fullmatch(match["second"])
        if (
            (has_error or not QUESTION.fullmatch(match["verb"]))
            and uses.search(text.plain, match.end(), end)
            and failures.are_ignored_parts(match, (end, text.block(end)[1]))
        ):
            yield match.start()
    for match in islice(_PARTITION.finditer(text.plain, begin, span[1]), _MAX_MATCHES):
        end = match.end() if match["separate"] else text.closed(match.end())
        scope = end, text.block(end)[1]
        if uses.search(text.plain, match.start(), end) and jvm_flags.is_never_checked(
            text, match["name"], True, scope, loops=failures.loops
        ):
            yield match.start()


def _declared_type(text: Text, at: int) -> str:
    """Returns what precedes the name of the variable whose value ends in a call that opens at `at`:
    `Optional<Failure> ` of `Optional<Failure> f = process(`."""
    statement = re.split(r"[;{}\n]", text.plain[max(0, at - _REACH) : at])[-1]
    return statement.partition("=")[0].strip().rpartition(" ")[0]


def _subject_end(
    text: Text, uses: re.Pattern[str], call: tuple[str, int, bool], names: dict[str, int]
) -> int:
    """Returns the end of a condition's subject that is the outcome of a call with a record, or a
    variable with one; 0 for any other subject."""
    name, at, is_call = call
    if not is_call:
        return at if names.get(name, at) < at else 0
    verb = re.split(r"\W+", name.strip())[-1]
    end = text.closed(at)
    is_outcome = not QUESTION.fullmatch(verb) and verb not in ("if", "while", "for")
    return end if is_outcome and uses.search(text.plain, at, end) else 0


class Failures:
    """Branches for a failure, inside the loops over polled records."""

    def __init__(self, text: Text, loops: Sequence[Block], *, in_function: bool) -> None:
        self._text, self.loops, self.in_function = text, loops, in_function

    def _is_ignored(self, at: int, statements: str) -> bool:
        return jvm_flags.ignores_failure(
            self._text, at, statements, loops=self.loops, in_function=self.in_function
        )

    def is_ignored_from(self, at: int, end: int) -> bool:
        """Whether the rest of an iteration, which only a failure reaches, ignores it."""
        return self._is_ignored(at, self._text.plain[at:end])

    def are_ignored_parts(self, pair: re.Match[str], scope: Block) -> bool:
        """Whether neither the error of an outcome nor its success decides anything in a scope."""
        names = [name for name in (pair["first"], pair["second"]) if name != "_"]
        errors = [name for name in names if ERROR_NAME.fullmatch(name)]
        successes = [name for name in names if SUCCESS_NAME.fullmatch(name)]
        known = [*errors, *successes] if errors else names  # the part beside a success may fail
        parts = [(name, name not in successes) for name in known]
        return bool(errors or successes) and all(
            jvm_flags.is_never_checked(
                self._text, name, is_error, scope, loops=self.loops, in_function=self.in_function
            )
            for name, is_error in parts
        )

    def are_ignored_in_cases(self, block: Block) -> bool:
        """Whether the cases for a failure only log it."""
        span = (block[0], block[1])
        cases = [
            case for case in islice(_CASE.finditer(self._text.plain, *span), _MAX_CASES)
            if self._text.block(case.start()) == block
        ]  # fmt: skip
        ends = [case.start() for case in cases[1:]] + [block[1]]
        bodies = [(case["condition"], self._text.plain[case.end() : end])
                for case, end in zip(cases, ends, strict=False)]  # fmt: skip
        failures = [statements for condition, statements in bodies if FAILURE.search(condition)]
        if not failures and any(SUCCESS.search(condition) for condition, _ in bodies):
            failures = [
                statements for condition, statements in bodies if _DEFAULT_CASE.fullmatch(condition)
            ]
        return bool(failures) and all(
            self._is_ignored(block[0] + 1, _BREAK.sub("", statements)) for statements in failures
        )

    def is_ignored_after(self, comparison: re.Match[str], has_not: bool) -> bool:
        """Whether an `if` that compares an outcome ignores its failure."""
        compared = comparison["to"] or comparison["kind"] or comparison["type"] or ""
        is_failure = FAILURE.search(compared.rpartition(".")[2])
        if not is_failure and not SUCCESS.search(compared.rpartition(".")[2]):
            return False
        is_negated = has_not != (
            comparison["op"] == "!=" or (comparison["is"] or "").startswith("!")
        )
        return self.is_ignored_if(comparison.end(), bool(is_failure) is not is_negated)

    def is_ignored_if(self, end: int, value: bool) -> bool:
        """Whether the failure is ignored where the condition that ends at `end` has this value."""
        first, second = jvm_flags.branches(self._text, end)
        on_failure, on_success = (first, second) if value else (second, first)
        leaves = re.search(r"\b(?:continue|return|break|throw)\b", on_success)
        return self._is_ignored(end, on_failure) and not leaves
