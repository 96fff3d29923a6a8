"""Kotlin's `when` and Scala's `match` on whether something succeeded, and their branches for a
failure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from advisor.intake.programs.jvm.errors import flags as jvm_flags
from advisor.intake.programs.jvm.surroundings import WHEN_ARM
from advisor.intake.programs.jvm.text import Block, Text

_MAX_MATCHES, _MAX_BRANCHES = 20, 12
_WHEN = r"\bwhen\s*(?:\(\s*{0}\s*(?:\.\s*is\w+\s*)?\)\s*)?\{{"
_FAILURE_CONDITION = re.compile(
    r"\belse\b|\bisFailure\b|\bisLeft\b|^\s*false\s*$|^\s*!(?!=)|[=!]=\s*false\b"
    r"|\bis\s+[\w.]*(?:Failure|Left|Err|Error)\b|!=\s*null"
)
_MATCH = r"(?<=[;{{}}\n])\s*{0}\s+match\s*\{{"
_CASE = re.compile(r"\bcase\s+(?P<pattern>[^=]{1,80})=>(?P<body>(?:(?!\bcase\b)[\s\S])*)")
_FAILURE_PATTERN = re.compile(r"\s*(?:Failure|Left|Invalid)\b")


def branches_ignoring_failure(
    text: Text, name: str, span: Block, loops: Sequence[Block] = ()
) -> Iterator[Block]:
    """Yields the `when` and `match` expressions of a span that check a name and only log a failure.
    `loops` are the loops over polled records."""
    whens = re.compile(_WHEN.format(name)).finditer(text.plain, *span)
    for match in islice(whens, _MAX_MATCHES):
        block = text.block_of(match.end() - 1)
        branches = [*islice(_branches(text, block), _MAX_BRANCHES)]
        checks_name = "(" in match[0] or any(
            re.search(rf"\b{name}\b", condition) for condition, _ in branches
        )
        failures = [body for condition, body in branches if _FAILURE_CONDITION.search(condition)]
        if checks_name and failures and all(
            jvm_flags.ignores_failure(text, block[0] + 1, body, loops=loops) for body in failures
        ):  # fmt: skip
            yield match.start(), block[1]
    matches = re.compile(_MATCH.format(name)).finditer(text.plain, *span)
    for match in islice(matches, _MAX_MATCHES):
        block = text.block_of(match.end() - 1)
        cases = _CASE.finditer(text.plain, block[0] + 1, block[1])
        failures = [case["body"] for case in cases if _FAILURE_PATTERN.match(case["pattern"])]
        if failures and all(
            jvm_flags.ignores_failure(text, block[0] + 1, body, loops=loops) for body in failures
        ):
            yield match.start(), block[1]


def _branches(text: Text, block: Block) -> Iterator[tuple[str, str]]:
    """Yields the condition and the body of each branch of a `when`."""
    at = block[0] + 1
    while branch := WHEN_ARM.match(text.plain, at, block[1]):
        start, end = text.controlled_block(branch.end())
        yield branch["condition"], text.plain[start:end].removeprefix("{")
        at = end + (text.plain[end : end + 1] in ("}", ";") and end < block[1])
