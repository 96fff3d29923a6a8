"""Numbers that say that a record was not processed, where the program only warns: of rows that a
statement of SQL changed, of failures, and statuses.
`int n = jdbc.update(…, r.value()); if (n == 0) log.warn(…);`, `if (process(rs) != 0) log.error(…);`

The record then has no effect, and no error is thrown. A log at another level, such as that of a
duplicate, is no warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.jvm.errors import flags as jvm_flags
from advisor.intake.programs.jvm.errors.results import ACTION
from advisor.intake.programs.jvm.log_only import ERROR_LOG
from advisor.intake.programs.jvm.records.derived_names import log_arguments
from advisor.intake.programs.jvm.text import Block, Text

_MOST = 60
_UPDATE = (
    r"(?:(?:\w+\s*\.\s*){1,3}(?:update|executeUpdate|executeLargeUpdate|merge|delete)\w*"
    rf"|(?:\w+\s*\.\s*){{0,3}}{ACTION})\s*\("
)
_COUNT = re.compile(
    r"(?:\b(?:int|long|Integer|Long|va[lr])\s+|[\w>]\s+)(?P<name>\w+)(?:\s*:\s*\w+)?\s*=\s*"
    + _UPDATE
)
_TEST = re.compile(rf"\bif\s*\(\s*{_UPDATE}")
_NO_ROW = re.compile(r"\s*(?:==\s*(?:0|-1)|<\s*[01]|!=\s*[01])\s*\)")
_FAILURES = re.compile(r"\w*(?:[fF]ail|[eE]rr|[rR]eject)\w*")


def ignored_counts(text: Text, uses: re.Pattern[str], span: Block) -> Iterator[int]:
    """Yields the statements of SQL in a span whose lack of effect is only a warning. `uses` matches
    the names of a record."""
    begin = max(0, span[0])
    for match in islice(_COUNT.finditer(text.plain, begin, span[1]), _MOST):
        end = text.closed(match.end())
        if uses.search(text.plain, match.end(), end) and _only_warns(text, match["name"], end):
            yield match.start("name")
    for match in islice(_TEST.finditer(text.plain, begin, span[1]), _MOST):
        end = text.closed(match.end())
        condition = _NO_ROW.match(text.plain, end)
        uses_record = condition and uses.search(text.plain, match.end(), end)
        if condition and uses_record and _is_warning(text, condition.end()):
            yield match.start()


def _only_warns(text: Text, name: str, at: int) -> bool:
    """Whether the only use of a count is a condition that warns if it is 0."""
    scope = at, text.block(at)[1]
    ignored, warns = [*log_arguments(text, scope)], False
    more = r"|\s*(?:>|!=)\s*0\s*\)" if _FAILURES.fullmatch(name) else ""
    tests = re.compile(rf"\bif\s*\(\s*{name}(?:{_NO_ROW.pattern}{more})")
    for test in islice(tests.finditer(text.plain, *scope), _MOST):
        if not _is_warning(text, test.end()):
            return False
        ignored, warns = [*ignored, test.span()], True
    names = islice(re.compile(rf"(?<![\w.]){name}\b").finditer(text.plain, *scope), _MOST)
    return warns and all(any(a <= use.start() < b for a, b in ignored) for use in names)


def _is_warning(text: Text, at: int) -> bool:
    then, _ = jvm_flags.branches(text, at)
    return bool(ERROR_LOG.search(then)) and jvm_flags.ignores_failure(text, at, then)
