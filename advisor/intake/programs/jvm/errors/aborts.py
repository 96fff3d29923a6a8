"""Transactions of a producer that are aborted and not repeated.

Consumers of committed data never see the records of an aborted transaction, and only the program
can send them again (KafkaProducer javadoc, `abortTransaction`). A program that also polls may read
its input again; `transactions` decides about it.
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

_MAX_MATCHES = 50
_ABORT_CALL = re.compile(r"\b\w+\s*\??\.\s*abortTransaction\s*(?:\(\s*\))?")
_CLOSE_CALL = re.compile(r"\b\w+\s*\??\.\s*close\s*\(\s*\)")
_CATCH = re.compile(r"\bcatch\s*\((?P<error>[^(){}]{1,300})\)\s*\{")
_ERROR_TYPE = re.compile(r"\b[A-Z]\w*(?:Exception|Error|Throwable)\b")
_FATAL_ERROR = re.compile(
    r"(?:ProducerFenced|OutOfOrder\w*|InvalidProducerEpoch|\w*Authorization|UnsupportedVersion"
    r"|Interrupted|Wakeup|Cancellation|Duplicate\w*|Illegal\w*)(?:Exception)"
)
"""Errors after which a producer can only be closed, and errors of a program that is stopped."""
_COMMIT_CALL = re.compile(r"\.\s*commitTransaction\b")
_POLL = re.compile(r"\.\s*poll\s*\(|@KafkaListener\b")


def abandoned_transaction(text: Text) -> tuple[int, str]:
    """Returns the offset of the first transaction that is aborted and not repeated, and the message
    about it; `(0, "")` if there is none."""
    if _POLL.search(text.plain):
        return 0, ""
    return min(
        ((at, ABANDONED_TRANSACTION) for at in _abandoned_transactions(text)), default=(0, "")
    )


def _abandoned_transactions(text: Text) -> Iterator[int]:
    """Yields the offsets where a handler around a transaction only aborts it, or only logs the
    error, in one of its branches."""
    whole = (-1, len(text.plain))
    for match in islice(_CATCH.finditer(text.plain), _MAX_MATCHES):
        error_types = _ERROR_TYPE.findall(match["error"])
        block = text.block_of(match.end() - 1)
        attempt = text.attempt(match.start())
        if attempt is None or (error_types and all(map(_FATAL_ERROR.fullmatch, error_types))):
            continue
        abort = _ABORT_CALL.search(text.plain, *block)
        if not abort and not _COMMIT_CALL.search(text.plain, *attempt):
            continue
        body = text.plain[block[0] + 1 : block[1]]
        branches = error_branches.branches(text, match.start(), block, attempt) or [body]
        rests = (_CLOSE_CALL.sub("", _ABORT_CALL.sub("", branch)) for branch in branches)
        continues = any(only_logs(rest, in_function=True) for rest in rests)
        if continues and not is_retried(text, attempt, whole):
            yield abort.start() if abort else match.start()
