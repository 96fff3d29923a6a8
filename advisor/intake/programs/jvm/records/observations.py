"""Code of a JVM program that uses a record without processing it: it reads the coordinates of the
record, validates it, or reports it to traces, metrics and diagnostic contexts.

A commit after such code alone comes before the record is processed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from advisor.intake.programs.jvm.log_only import OBSERVERS
from advisor.intake.programs.jvm.records.derived_names import TAKES_APART, log_arguments
from advisor.intake.programs.jvm.text import Block, Text

_MOST, _MOST_LINKS = 100, 12
_OBSERVING_CALL = re.compile(
    rf"(?<![\w.])(?:this\s*\.\s*)?(?:\w*{OBSERVERS}\w*|ThreadContext)\b(?:\s*\(\s*\))?"
    r"\s*\.\s*(?:set|add|put|record|inc|mark|observe|update|count|gauge|tim(?:e|ing)\b|histogram|tag"
    r"|extract|inject|start|current|with|labels|span|counter|summary|distribution|notice|at[A-Z]"
    r"|log|builder)\w*\s*\("
    r"|(?<![\w.])(?:log[A-Z]\w*|\w+\s*\.\s*(?:info|debug|trace|warn))\s*\("
    r"|\b\w+(?:\s*\.\s*\w+)?\s*\.\s*(?:labels|labelValues)\s*\(\s*(?=[^;{}]*\)\s*\.\s*(?:inc|observe|set)\w*\s*\()"
)
"""A call that only observes the program."""
_CHECK_VERB = (
    r"(?!\w*And[A-Z])(?:is|has|should|can|matches|contains|equals|starts|ends|exists|valid|check|verify|require"
    r"|assert|ensure|notNull|compare)\w*"
)
_CHECK_CALL = re.compile(rf"(?<![\w.])(?:\w+\s*\.\s*){{0,3}}{_CHECK_VERB}\s*\(")
_CONDITION = re.compile(r"\b(?:if|while|switch|when)\s*\(")
_ASSERT = re.compile(r"\bassert\b\s*(?=[^=\s(]|\()")
_CALL = re.compile(r"(\w+)\s*\(")
_LINK = re.compile(r"\s*\??\.\s*\w+\s*\(")
_COORDINATE = (
    r"\b(?:{})\s*\??\.\s*(?:offset|topic|partition|timestamp|timestampType|leaderEpoch"
    r"|serialized(?:Key|Value)Size)\b(?:\s*\(\s*\))?"
)


def observation_spans(text: Text, names: Iterable[str], span: Block) -> Iterator[Block]:
    """Yields the spans of code that only observes or checks records of these names."""
    plain, reach = text.plain, (max(0, span[0]), span[1])
    calls = [(at, end) for at, end in log_arguments(text, span)]
    for pattern in (_OBSERVING_CALL, _CHECK_CALL):
        matches = islice(pattern.finditer(plain, *reach), _MOST)
        calls += [(match.start(), text.closed(match.end())) for match in matches]
    yield from ((at, _end_of_chain(text, end)) for at, end in calls)
    coordinate = re.compile(_COORDINATE.format("|".join(sorted(names)) or "(?!)"))
    yield from (match.span() for match in coordinate.finditer(plain, *reach))
    for match in islice(_ASSERT.finditer(plain, *reach), _MOST):
        yield text.statement(match.start())
    for match in islice(_CONDITION.finditer(plain, *reach), _MOST):
        end = text.closed(match.end())
        verbs = _CALL.findall(plain, match.end(), end)
        if all(re.fullmatch(rf"{TAKES_APART}|{_CHECK_VERB}", verb) for verb in verbs):
            yield match.start(), end


def _end_of_chain(text: Text, end: int) -> int:
    """The end of a chain of calls, one of which ends at a place."""
    for _ in range(_MOST_LINKS):
        link = _LINK.match(text.plain, end)
        if link is None:
            break
        end = text.closed(link.end())
    return end
