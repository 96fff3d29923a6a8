"""Transactions of a producer that are aborted and not made again.

What was sent in a transaction that is aborted is gone for readers of what is committed, and nothing
but the program can send it again (KafkaProducer javadoc, `abortTransaction`). Where the program
polls, too, what is read again decides (`transactions`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.facts import GIVEN_UP
from advisor.intake.programs.jvm.errors.handlers import tries_again
from advisor.intake.programs.jvm.log_only import only_writes
from advisor.intake.programs.jvm.text import Text

_MOST = 50
_ABORT = re.compile(r"\b\w+\s*\??\.\s*abortTransaction\s*(?:\(\s*\))?")
_CLOSE = re.compile(r"\b\w+\s*\??\.\s*close\s*\(\s*\)")
_HANDLER = re.compile(r"\bcatch\s*(?:\([^{}]{1,300}\)\s*)?$")
_CASE = re.compile(r"\bcase\b[^=\n]{1,120}=>")
_POLLS = re.compile(r"\.\s*poll\s*\(|@KafkaListener\b")


def given_up(text: Text) -> tuple[int, str]:
    """Where the first transaction is aborted and the program goes on, and why that loses it; 0 if
    there is none."""
    if _POLLS.search(text.plain):
        return 0, ""
    return min(((at, GIVEN_UP) for at in _aborts(text)), default=(0, ""))


def _aborts(text: Text) -> Iterator[int]:
    for match in islice(_ABORT.finditer(text.plain), _MOST):
        around = text.around(match.start())[-1:]
        if not around or not _HANDLER.search(around[0][2]):
            continue
        start, end, _ = around[0]
        body = text.plain[start + 1 : end]
        cases = [*_CASE.finditer(text.plain, start + 1, end)]
        if own := [case for case in cases if case.end() <= match.start()]:
            later = [case.start() for case in cases if case.start() > match.start()]
            body = text.plain[own[-1].end() : min(later, default=end)]
        rest = _CLOSE.sub("", _ABORT.sub("", body))
        attempt = text.attempt(text.plain.rindex("catch", 0, start))
        whole = (-1, len(text.plain))
        if only_writes(rest, in_function=True) and not (
            attempt and tries_again(text, attempt, whole)
        ):
            yield match.start()
