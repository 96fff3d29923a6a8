"""Cleanup of JVM code that runs after an error too: `finally` and try-with-resources.

`close()` of a consumer with automatic commits commits the position (KafkaConsumer javadoc), and a
jump out of `finally` drops the error (The Java Language Specification, 14.20.2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.facts import CLOSE, SKIP
from advisor.intake.programs.jvm.errors.handlers import CATCH
from advisor.intake.programs.jvm.processing.commits import Records
from advisor.intake.programs.jvm.surroundings import FINALLY
from advisor.intake.programs.jvm.text import Block, Text

_MOST = 100
_CONTINUES = re.compile(r"\bcontinue\b|\breturn@")
_RETURNS = re.compile(r"\breturn\b\s*;?\s*$")
_LEAVES = re.compile(r"\b(?:continue|return)\b")
"""Jumps that drop an error in `finally`."""


def cleanup_facts(
    records: Records, uses: re.Pattern[str], poll_at: int
) -> Iterator[tuple[str, int]]:
    """The facts about what cleanup does after an error in processing, each with its offset.

    `uses` matches a use of a record, and `poll_at` is the offset of the poll.
    """
    text, plain = records.text, records.text.plain
    closes = re.compile(rf"\b{records.consumer}\s*\.\s*close\s*\(")
    for match in islice(FINALLY.finditer(plain), _MOST):
        block, attempt = text.block_of(match.end() - 1), text.attempt(match.start())
        if not attempt or not uses.search(plain, *attempt):
            continue
        is_in_block = records.block[0] < attempt[0] < records.block[1]
        jump = (_CONTINUES if is_in_block else _LEAVES).search(plain, *block)
        at = max(records.unconditional_commit(block), jump.start() if jump else -1)
        if at >= 0:
            yield SKIP, at
        elif (close := closes.search(plain, *block)) and not _is_guarded(text, attempt):
            yield CLOSE, close.start()
    for start, end, head in text.around(poll_at):
        resource = re.search(rf"\btry\s*\([^{{]*\b{records.consumer}\b[^{{]*$", head)
        if resource and not _is_guarded(text, (start, end)):
            yield CLOSE, start


def _is_guarded(text: Text, attempt: Block) -> bool:
    """Whether a handler inside may catch what processing throws, and does not return."""
    handlers = islice(CATCH.finditer(text.plain, *attempt), _MOST)
    blocks = (text.block_of(match.end() - 1) for match in handlers)
    return any(not _RETURNS.search(text.plain, *block) for block in blocks)
