"""Records that are grouped by the outcome of processing them, and whose groups are only logged:
`collect(partitioningBy(r -> tryProcess(r), counting()))`, `rs.groupBy { process(it) }`.

No error is thrown, so the commit after it covers the records that failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.jvm.errors import flags as jvm_flags
from advisor.intake.programs.jvm.errors.collected_errors import is_only_logged
from advisor.intake.programs.jvm.errors.result_lists import enclosing_bracket
from advisor.intake.programs.jvm.errors.results import ACTION
from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.records.derived_names import log_arguments
from advisor.intake.programs.jvm.records.poll_chains import Step, steps
from advisor.intake.programs.jvm.surroundings import ASSIGNED, CONDITION_START, STATEMENT_START
from advisor.intake.programs.jvm.text import Block, Text

_MOST, _HEAD, _DEEPEST = 60, 160, 2
_GROUPING = re.compile(
    r"\b(?P<method>partitioningBy|groupingBy(?:Concurrent)?|groupBy|groupMapReduce|groupMap|countBy"
    r"|associateWith|toMap)\s*[({]\s*(?P<not>!\s*)?(?:\(?\w+\)?\s*[-=]>\s*)?"
    r"(?P<value>[\w:.]+(?:\(\s*\))?\s*,\s*(?:\w+\s*[-=]>\s*)?)?\{?\s*(?:return\s+)?(?P<not_call>!\s*)?"
    rf"(?:(?:this)?\s*::\s*|(?:\w+\s*(?:\.|::)\s*){{0,3}})(?P<verb>{ACTION})\b"
)
"""A call that groups by a method which may process a record, or pairs each record with its
outcome."""
_COLLECT = re.compile(r"\bcollect\s*$")
_NOT_EMPTY = re.compile(
    r"(?:\s*\.\s*(?:size|length|count|intValue|longValue)(?:\(\s*\))?)?\s*(?:>|!=)\s*0[lL]?\s*\)"
    r"|\s*\.\s*(?:isNotEmpty(?:\(\s*\))?|nonEmpty)\s*\)|\s*(?P<empty>\.\s*isEmpty(?:\(\s*\))?)\s*\)"
)
_KEYED = (
    r"(?<![\w.]){0}\s*(?:\.\s*get(?:OrDefault|OrElse|Value)?\s*\(|[\[(])\s*{1}\b[^()\[\]]{{0,20}}"
    r"[)\]](?:\s*!!)?"
)
"""The group of a key."""
_LAMBDA = re.compile(r"\A\s*\{?\s*(?:case\s*)?\(?\s*\w+(?:\s*,\s*\w+)*\s*\)?\s*[-=]>\s*\{?")
_COMPUTES = re.compile(
    r"map\w*|mapValues|eachCount|size|count|toMap|toList|toSeq|view|asScala|asJava|entrySet|values|keys"
    r"|sorted\w*|withDefaultValue"
)
_FOR_EACH = frozenset({"forEach", "foreach"})


def ignored_groups(text: Text, uses: re.Pattern[str], span: Block) -> Iterator[int]:
    """Yields the calls in a span that group records by the outcome of processing, where nothing is
    done about those that failed. `uses` matches the names of a record."""
    for match in islice(_GROUPING.finditer(text.plain, max(0, span[0]), span[1]), _MOST):
        if match["method"] == "toMap" and not match["value"]:
            continue
        begin, end = _chain(text, match)
        if begin >= span[0] and uses.search(text.plain, begin, end):
            negated = bool(match["not"]) or bool(match["not_call"])
            failed = str(negated).lower() if match["method"] == "partitioningBy" else "false"
            if _is_ignored(text, (begin, end), failed):
                yield match.start()


def _chain(text: Text, match: re.Match[str]) -> Block:
    """Returns the span of the chain that groups, around Java's collector."""
    opened = re.compile(r"[({]").search(text.plain, match.end("method"))
    at = opened.start() if opened else match.end("method")
    begin = text.chain(at)
    outer = enclosing_bracket(text, begin)
    if outer >= 0 and _COLLECT.search(text.plain, max(0, outer - 40), outer):
        return text.chain(outer), text.closed(outer + 1)
    end = text.block_of(at)[1] + 1 if text.plain[at] == "{" else text.closed(at + 1)
    while text.plain[end : end + 1] == "(":
        end = text.closed(end + 1)  # Scala's groupMapReduce
    return begin, end


def _is_ignored(text: Text, chain: Block, failed: str) -> bool:
    """Whether code only logs the groups of a chain, or does nothing with the group of a key."""
    begin, end = chain
    before = text.plain[max(0, begin - _HEAD) : begin]
    is_log = any(a < begin < b for a, b in log_arguments(text, (max(0, begin - _HEAD), begin + 1)))
    for step in steps(text, end):
        if step.name in _FOR_EACH:
            return _only_logs(text, step)
        if not _COMPUTES.fullmatch(step.name):
            return False
        end = step.end + (text.plain[step.end : step.end + 1] in (")", "}"))
    if name := ASSIGNED.search(before):
        scope = end, text.block(end)[1]
        groups = [*_ignored_groups(text, name[1], failed, scope)]
        return is_only_logged(text, name[1], scope, _DEEPEST, groups)
    return is_log or bool(STATEMENT_START.search(before))


def _ignored_groups(text: Text, name: str, failed: str, scope: Block) -> Iterator[Block]:
    """Yields the spans of uses of the failed, or the other, records of a map that ignore errors."""
    pattern = re.compile(_KEYED.format(name, "(?P<key>true|false)"))
    for use in islice(pattern.finditer(text.plain, *scope), _MOST):
        if use["key"] != failed or _does_nothing(text, use):
            yield use.span()


def _does_nothing(text: Text, use: re.Match[str]) -> bool:
    """Whether code only logs the failed records."""
    head = text.plain[max(0, use.start() - _HEAD) : use.start()]
    if condition := CONDITION_START.search(head):
        test = _NOT_EMPTY.match(text.plain, use.end())
        if test is None:
            return False
        first, second = jvm_flags.branches(text, test.end())
        has_failed = bool(condition["not"]) is bool(test["empty"])
        on_failure = first if has_failed else second
        return jvm_flags.ignores_failure(text, test.end(), on_failure)
    for step in steps(text, use.end()):
        if step.name in _FOR_EACH:
            return _only_logs(text, step)
    return False


def _only_logs(text: Text, step: Step) -> bool:
    return only_logs(_LAMBDA.sub("", _code(text, step), count=1).strip("{} \n"))


def _code(text: Text, step: Step) -> str:
    return text.plain[step.begin : max(step.begin, step.end)]
