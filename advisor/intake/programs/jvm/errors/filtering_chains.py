"""Call chains that filter by a method which returns whether something succeeded:
`rs.stream().allMatch(this::tried)`, `rs.filterNot(tried)`, `all.removeIf(r -> !tried(r))`.

A record that is filtered out because it failed is skipped, unless something checks for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.jvm.errors import classifications, row_counts
from advisor.intake.programs.jvm.errors import flags as jvm_flags
from advisor.intake.programs.jvm.errors.flags import checks_size, is_never_checked
from advisor.intake.programs.jvm.errors.outcomes import QUESTION
from advisor.intake.programs.jvm.errors.results import ACTION
from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.records import dropping_operators
from advisor.intake.programs.jvm.records.poll_chains import steps
from advisor.intake.programs.jvm.surroundings import (
    ASSIGNED,
    ASSIGNED_PAIR,
    CONDITION_START,
    JUMP,
    STATEMENT_START,
)
from advisor.intake.programs.jvm.text import Block, Text

_MAX_MATCHES, _MAX_HEAD = 60, 120
_FILTERS = frozenset({"filter", "filterNot", "withFilter", "takeWhile", "dropWhile", "partition"})
_IN_PLACE = frozenset({"removeIf", "removeAll", "retainAll"})
_COUNTS = frozenset({"count", "size", "length"})
_INVERTED = frozenset({"filterNot", "removeIf", "removeAll", "noneMatch", "none"})
"""Methods that select the elements for which their function returns false."""
_FILTER_CALL = (
    r"\.\s*(?P<method>allMatch|anyMatch|noneMatch|all|any|none|forall|exists|takeWhile|dropWhile"
    r"|filter|withFilter|filterNot|partition|removeIf|removeAll|retainAll|count|find|indexWhere)"
    r"\s*(?P<opened>[({{])\s*(?:\(?\w+\)?\s*[-=]>\s*)?(?P<not>!)?\s*(?:(?:this)?\s*::\s*)?{0}\b"
)
_PROCESSING = re.compile(_FILTER_CALL.format(r"(?:\w+\s*(?:\.|::)\s*){0,3}(?P<verb>[a-z]\w*)"))
"""Such a call with a method that may process a record."""
_CONDITION_END = re.compile(r"\s*\)")
_LAMBDA = re.compile(r"\A\s*\{?\s*(?:case\s*)?\(?\w+\)?\s*[-=]>")


def is_only_filter(text: Text, name: str, span: Block) -> bool:
    """Whether a chain filters by a method of this name, and nothing checks its result."""
    calls = re.compile(_FILTER_CALL.format(name)).finditer(text.plain, *span)
    return any(_is_unchecked(text, match, span) for match in islice(calls, _MAX_MATCHES))


def ignored_results(text: Text, uses: re.Pattern[str], span: Block) -> Iterator[int]:
    """Yields the chains in a span that filter, count or group by whether a record was processed,
    by a method of another file, and nothing checks for those that failed; and operators that drop
    records."""
    begin = max(0, span[0])
    for match in islice(_PROCESSING.finditer(text.plain, begin, span[1]), _MAX_MATCHES):
        is_action = re.fullmatch(ACTION, match["verb"]) and not QUESTION.fullmatch(match["verb"])
        start = text.chain(match.start("opened"))
        uses_record = is_action and uses.search(text.plain, start, match.start())
        if uses_record and not text.bodies(match["verb"]) and _is_unchecked(text, match, span):
            yield match.start()
    yield from classifications.ignored_groups(text, uses, span)
    yield from row_counts.ignored_counts(text, uses, span)
    yield from dropping_operators.dropping_operators(text, uses, span)


def _is_unchecked(text: Text, match: re.Match[str], span: Block) -> bool:
    opened, method = match.start("opened"), match["method"]
    begin, end = text.chain(opened), text.closed(opened + 1)
    before = text.plain[max(0, span[0], begin - _MAX_HEAD) : begin]
    selects_failed = bool(match["not"]) != (method in _INVERTED)
    after = end, text.block(match.start())[1]
    if method in _IN_PLACE:
        return _is_list_unchecked(
            text, text.plain[begin : match.start()].strip(), selects_failed, after
        )
    if condition := CONDITION_START.search(before):
        return _ignores_failure(text, end, selects_failed is not bool(condition["not"]))
    if parts := ASSIGNED_PAIR.search(before):
        return is_never_checked(text, parts[1 if match["not"] else 2], True, after)
    if assigned := ASSIGNED.search(before):
        if method in _FILTERS and not any(step.name in _COUNTS for step in steps(text, end)):
            return _is_list_unchecked(text, assigned[1], selects_failed, after)
        return is_never_checked(text, assigned[1], selects_failed, after)
    if not STATEMENT_START.search(before):
        return False
    return not (selects_failed and method in _FILTERS | {"find"}) or all(
        only_logs(_LAMBDA.sub("", text.plain[step.begin : max(step.begin, step.end)]))
        for step in steps(text, end)
    )


def _is_list_unchecked(text: Text, name: str, has_failed: bool, after: Block) -> bool:
    """Whether nothing is done about failed elements: a list of this name holds only those, or only
    the others."""
    if has_failed:
        return is_never_checked(text, name, True, after)
    return not checks_size(text, name)


def _ignores_failure(text: Text, end: int, value: bool) -> bool:
    """Whether nothing is done where the condition that ends after an offset has this value."""
    closing = _CONDITION_END.match(text.plain, end)
    if closing is None:
        return False
    then, other = jvm_flags.branches(text, closing.end())
    failed, rest = (then, other) if value else (other, then)
    return jvm_flags.ignores_failure(text, closing.end(), failed) and (
        value or not JUMP.search(rest)
    )
