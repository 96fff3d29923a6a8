"""Sends that may throw, and whose error is only logged:
`try { futures.add(producer.send(r)); } catch (Exception e) { log.error(e); }`.

A record that cannot be serialized, or a send that is interrupted, throws from `send` itself
(KafkaProducer.send, javadoc). There is no future to wait for then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from advisor.intake.programs.jvm.errors import result_lists
from advisor.intake.programs.jvm.errors.handlers import (
    Handler,
    chain_swallows_error,
    is_retried,
    swallowing_handlers,
)
from advisor.intake.programs.jvm.errors.outbox import marks_as_sent
from advisor.intake.programs.jvm.text import Text

_MAX_SENDS, _MAX_HEAD = 300, 120
_LOOP = re.compile(
    r"\b(?:for|while|do|for[Ee]ach\w*|map\w*|flatMap|onEach|repeat|schedule\w*)\b[^;{}]*$"
)
_START = frozenset({"main", "run", "call", "start"})
"""Methods that a program starts with."""
_ATTEMPT = re.compile(
    r"\b(?P<attempt>Try|runCatching|Either\s*\.\s*catch\w*|allCatch\s*\.\s*\w+)\s*(?:\.\s*of\s*)?[({]"
    r"\s*(?:\(\s*\)\s*->\s*)?(?:\w+\s*\.\s*)?$"
)
"""The code between an attempt as a value and a send in it."""
_NO_VALUE = re.compile(r"\s*\w+\s*=\s*(?:null|None)\s*")
"""A statement that says that there is no future, or no result."""
_FUNCTION = re.compile(r"\b(?:fun|def)\s+(?:[\w<>?, ]+\.)?(\w+)\s*\([^=]*=\s*\w*\s*[{(]")
"""A function of Kotlin or Scala whose body is an expression."""
_DISCARDING_CALL = re.compile(
    r"\s*(?:\?\s*)?\.\s*(?:toOption|getOrNull|orNull|getOrElse|getOrDefault|fold|recover\w*|onFailure|failed|foreach"
    r"|onSuccess|peek)\b|\s*match\b"
)

_MAPPED = re.compile(
    r"\.\s*(?:map|mapNotNull|flatMap)\s*[({]\s*(?:\(?\w+\)?\s*[-=]>\s*)?\{?\s*"
    r"(?:Try(?:\s*\.\s*of)?|runCatching)\s*$"
)
"""A list of attempts."""
_CLOSING = re.compile(r"\s*[;})]")


def swallowed_sends(text: Text, sends: Iterable[int]) -> Iterator[int]:
    """Yields the sends at these offsets whose own error is only logged, or dropped, so that the
    program continues with other records."""
    places = [*islice(sends, _MAX_SENDS)]
    names = {name for at in places for start, end, _ in text.around(at)
             for name in text.named((start, end))}  # fmt: skip
    names |= {match[1] for at in places if (match := _FUNCTION.search(text.line_to(at)))}
    calls = re.compile(rf"\b(?:{'|'.join(sorted(names - _START)) or '(?!)'})\s*\(")
    places += [call.start() for call in islice(calls.finditer(text.plain), _MAX_SENDS)]
    whole = (-1, len(text.plain))
    handlers = [
        handler
        for handler in swallowing_handlers(text, in_function=True, others=_NO_VALUE.fullmatch)
        if any(handler.attempt[0] < at < handler.attempt[1] for at in places)
        and not is_retried(text, handler.attempt, whole)
        and _is_for_each_record(text, handler)
        and not marks_as_sent(text, handler.attempt)
    ]  # fmt: skip
    for at in places:
        is_swallowed = any(start < at < end for start, end in (it.attempt for it in handlers))
        if is_swallowed or _is_dropped_value(text, at):
            yield at


def _is_for_each_record(text: Text, handler: Handler) -> bool:
    """Whether the attempt of a handler is in a loop, or in a method that takes what it sends."""
    around = [block for block in text.around(handler.attempt[0]) if block[0] < handler.attempt[0]]
    if any(_LOOP.search(head) for _, _, head in around):
        return True
    names = [name for start, end, _ in around for name in text.named((start, end))]
    methods = [block[:2] for block in around if text.named(block[:2])]
    return bool(methods) and names[-1] not in _START and bool(text.parameters(methods[-1]))


def _is_dropped_value(text: Text, at: int) -> bool:
    """Whether the error of a send is a value that is dropped: `Try(k.send(r)).toOption`."""
    first = max(0, at - _MAX_HEAD)
    attempt = _ATTEMPT.search(text.plain[first:at])
    if attempt is None:
        return False
    opened = first + attempt.start() + re.search(r"[({]", attempt[0]).start()  # type: ignore[union-attr]
    end = text.closed(opened + 1)
    if _MAPPED.search(text.plain[first:opened]) and _CLOSING.match(text.plain, end):
        return not result_lists.are_errors_checked(text, opened, end)
    return bool(_DISCARDING_CALL.match(text.plain, end)) and chain_swallows_error(
        text, end, is_last="runCatching" in attempt["attempt"]
    )
