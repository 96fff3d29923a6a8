"""Transactions of a producer that are aborted and not made again.

What was sent in a transaction that is aborted is gone for readers of what is committed, and nothing
but the program can send it again (KafkaProducer javadoc, `abortTransaction`). Where the program
polls, too, what is read again decides (`transactions`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.facts import ABANDONED_TRANSACTION
from advisor.intake.programs.jvm.errors import error_branches
from advisor.intake.programs.jvm.errors.handlers import is_retried
from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.text import Text

_MOST = 50
_ABORT = re.compile(r"\b\w+\s*\??\.\s*abortTransaction\s*(?:\(\s*\))?")
_CLOSE = re.compile(r"\b\w+\s*\??\.\s*close\s*\(\s*\)")
_CATCH = re.compile(r"\bcatch\s*\((?P<taken>[^(){}]{1,300})\)\s*\{")
_TYPE = re.compile(r"\b[A-Z]\w*(?:Exception|Error|Throwable)\b")
_ENDS = re.compile(
    r"(?:ProducerFenced|OutOfOrder\w*|InvalidProducerEpoch|\w*Authorization|UnsupportedVersion"
    r"|Interrupted|Wakeup|Cancellation|Duplicate\w*|Illegal\w*)(?:Exception)"
)
"""Errors after which a producer can only be closed, and those of who ends the program."""
_COMMIT = re.compile(r"\.\s*commitTransaction\b")
_POLLS = re.compile(r"\.\s*poll\s*\(|@KafkaListener\b")


def abandoned_transaction(text: Text) -> tuple[int, str]:
    """Where the first transaction is aborted and the program goes on, and why that loses it; 0 if
    there is none."""
    if _POLLS.search(text.plain):
        return 0, ""
    return min(((at, ABANDONED_TRANSACTION) for at in _aborts(text)), default=(0, ""))


def _aborts(text: Text) -> Iterator[int]:
    """Where a handler of what stood in a transaction aborts it, or only writes of it, in one of its
    ways."""
    whole = (-1, len(text.plain))
    for match in islice(_CATCH.finditer(text.plain), _MOST):
        types = _TYPE.findall(match["taken"])
        block = text.block_of(match.end() - 1)
        attempt = text.attempt(match.start())
        if attempt is None or (types and all(map(_ENDS.fullmatch, types))):
            continue
        abort = _ABORT.search(text.plain, *block)
        if not abort and not _COMMIT.search(text.plain, *attempt):
            continue
        body = text.plain[block[0] + 1 : block[1]]
        ways = error_branches.branches(text, match.start(), block, attempt) or [body]
        rests = (_CLOSE.sub("", _ABORT.sub("", way)) for way in ways)
        is_left = any(only_logs(rest, in_function=True) for rest in rests)
        if is_left and not is_retried(text, attempt, whole):
            yield abort.start() if abort else match.start()
