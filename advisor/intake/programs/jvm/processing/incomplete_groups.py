"""Groups of polled records that JVM code leaves out because they have fewer records than others:
`rs.grouped(100).filter(_.size == 100)`.

The last group of a poll has the records that remain. The position of the consumer is after all the
records that `poll()` returned (KafkaConsumer javadoc), so no other poll returns them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.jvm.errors import flags as jvm_flags
from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.records.derived_names import log_arguments
from advisor.intake.programs.jvm.text import Block, Text, blanked

_MOST = 40
_GROUPING = re.compile(
    r"\b(?:chunked|grouped|sliding|windowed|(?:Lists|ListUtils|Iterables)\s*\.\s*partition)\s*\("
)
_SIZE = r"\s*\.\s*(?:size|count|length(?=[\s()]*==))\b\s*(?:\(\s*\))?\s*"
_LIMIT = r"\s*(?![01]\b)\w"
_LEFT_OUT = re.compile(
    r"\b(?:withF|f)ilter\s*[({]\s*(?:\(?\s*\w+\s*\)?\s*[-=]>\s*)?\{?\s*(?:return\s+)?\w+"
    rf"{_SIZE}(?:==|>=|>){_LIMIT}"
    r"|\bfilterNot\s*[({]\s*(?:\(?\s*\w+\s*\)?\s*[-=]>\s*)?\w+"
    rf"{_SIZE}(?:!=|<){_LIMIT}|\bif\s+\w+{_SIZE}(?:==|>=){_LIMIT}"
    r"|\bwithPartial\s*\(\s*false\b"
)
"""A function that takes only the groups of one size. Scala's `for` has an `if` without brackets."""
_CONDITION = re.compile(rf"\bif\s*\(\s*(?P<name>\w+){_SIZE}(?P<op>==|>=|!=|<){_LIMIT}[\w.]*\s*\)")
_ITEM = r"\bfor\s*\([^;(){{}}]*\b{0}\s*(?:\bin\b|:|<-)|\b{0}\s*(?:->|=>)"
"""A name that is bound to one group after another."""
_JUMP = re.compile(r"\b(?:continue|return)\b(?:@\w+)?")


def incomplete_groups(text: Text, span: Block) -> Iterator[int]:
    """Yields the places in a span where the records of a group are left out by their number."""
    grouping = _GROUPING.search(text.plain, *span)
    if grouping is None:
        return
    yield from (match.start() for match in _LEFT_OUT.finditer(text.plain, grouping.end(), span[1]))
    for condition in islice(_CONDITION.finditer(text.plain, *span), _MOST):
        is_item = condition["name"] == "it" or re.compile(_ITEM.format(condition["name"])).search(
            text.plain, span[0], condition.start()
        )
        if is_item and _leaves_out(text, condition):
            yield condition.start()


def _leaves_out(text: Text, condition: re.Match[str]) -> bool:
    """Whether a group that is too small is not processed."""
    then, other = jvm_flags.branches(text, condition.end())
    is_smaller = condition["op"] in ("!=", "<")
    if is_smaller and _JUMP.search(then):
        return only_logs(_JUMP.sub("", then))
    block = text.block(condition.start())
    end = text.controlled_block(condition.end())[1]
    code = blanked(text.plain, log_arguments(text, block))
    is_used_later = re.compile(rf"\b{condition['name']}\b").search(code, end, block[1])
    return not is_smaller and not is_used_later and (not other.strip() or only_logs(other))
