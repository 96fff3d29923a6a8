"""Kotlin's `when`, and Scala's `match`, that asks whether something succeeded, and its arm for a
failure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from advisor.intake.programs.jvm.errors import flags as jvm_flags
from advisor.intake.programs.jvm.text import Block, Text

_MOST, _MOST_ARMS = 20, 12
_WHEN = r"\bwhen\s*(?:\(\s*{0}\s*(?:\.\s*is\w+\s*)?\)\s*)?\{{"
_ARM = re.compile(r"[\s;]*(?P<asked>[^{};\n]{1,200}?)\s*->\s*")
_FAILED = re.compile(
    r"\belse\b|\bisFailure\b|\bisLeft\b|^\s*false\s*$|^\s*!(?!=)|[=!]=\s*false\b"
    r"|\bis\s+[\w.]*(?:Failure|Left|Err|Error)\b|!=\s*null"
)
_MATCH = r"(?<=[;{{}}\n])\s*{0}\s+match\s*\{{"
_CASE = re.compile(r"\bcase\s+(?P<taken>[^=]{1,80})=>(?P<body>(?:(?!\bcase\b)[\s\S])*)")
_WRONG = re.compile(r"\s*(?:Failure|Left|Invalid)\b")


def branches_ignoring_failure(
    text: Text, name: str, span: Block, loops: Sequence[Block] = ()
) -> Iterator[Block]:
    """The `when` and `match` between two places that ask for a name, and for a failure do no more
    than write of it; `loops` are those over what was polled."""
    whens = re.compile(_WHEN.format(name)).finditer(text.plain, *span)
    for match in islice(whens, _MOST):
        block = text.block_of(match.end() - 1)
        arms = [*islice(_arms(text, block), _MOST_ARMS)]
        asks = "(" in match[0] or any(re.search(rf"\b{name}\b", asked) for asked, _ in arms)
        failed = [does for asked, does in arms if _FAILED.search(asked)]
        if asks and failed and all(
            jvm_flags.ignores_failure(text, block[0] + 1, does, loops=loops) for does in failed
        ):  # fmt: skip
            yield match.start(), block[1]
    matches = re.compile(_MATCH.format(name)).finditer(text.plain, *span)
    for match in islice(matches, _MOST):
        block = text.block_of(match.end() - 1)
        cases = _CASE.finditer(text.plain, block[0] + 1, block[1])
        failed = [case["body"] for case in cases if _WRONG.match(case["taken"])]
        if failed and all(
            jvm_flags.ignores_failure(text, block[0] + 1, does, loops=loops) for does in failed
        ):
            yield match.start(), block[1]


def _arms(text: Text, block: Block) -> Iterator[tuple[str, str]]:
    """What each arm asks, and what it does."""
    at = block[0] + 1
    while arm := _ARM.match(text.plain, at, block[1]):
        start, end = text.guarded(arm.end())
        yield arm["asked"], text.plain[start:end].removeprefix("{")
        at = end + (text.plain[end : end + 1] in ("}", ";") and end < block[1])
