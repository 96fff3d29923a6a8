"""Facts of the application that a program shows: how it processes and how it sends messages."""

from __future__ import annotations

import re
from collections.abc import Mapping

from advisor.catalog import Component
from advisor.intake.reading import Reading

STARTS_AT_END = (
    "a consumer that begins at the end of a partition skips what was written while it was "
    "down, whatever its group has committed. Remove this if it is not how the messages are read; "
    "state consumer.auto.offset.reset=latest to see what that skips."
)
STARTS_ELSEWHERE = (
    "a consumer that begins at an offset by time, or by the end of a partition, and not at the "
    "committed offset of its group, skips what was written before that while it was down. Remove "
    "this if it is not how the messages are read."
)
DROPS = (
    "nothing uses the records that this poll returns, and the next commit is after them. Remove "
    "the poll, or process its records."
)
PARALLEL_CONSUMER = (
    "Confluent's parallel consumer processes records in its own threads, retries them and commits "
    "their offsets. That is not read. Leave it out, and state its behaviour, such as "
    "application.commit=after-processing; for UNORDERED, application.processing.order=any."
)
SHARE_CONSUMER = (
    "this is a client of a share group (KIP-932), which has no position and keeps no order. That "
    "is not covered."
)
RESULT = "nothing checks the result of this send, so that a failed send goes unnoticed"
DROPPED = "the callback of this send ignores its error"
ONLY_WRITTEN = (
    "a failed send is only logged here, and the program continues without the message: send it "
    "again, or end. If somebody sends the logged messages again, state "
    "application.delivery.errors=handled"
)
CONTINUES_WITHOUT_MESSAGE = "the program continues without a message whose send fails"
ABANDONED_TRANSACTION = (
    "a failed transaction is aborted here, and the program continues without its messages: "
    "send them again in another transaction, or end"
)
SUCCESS = re.compile(
    r"(?i)_?(?:ok|okay|success\w*|succeeded|done|failed|rc|(?:is|was|has)_?(?:ok|success\w*|saved"
    r"|stored|written|sent|done|accepted|inserted|delivered|processed|handled))"
)
"""Names of results that say whether an operation succeeded."""
VERBS = (
    r"(?:save|store|insert|write|send|publish|process|handle|upsert|persist|deliver|forward|post|push"
    r"|index|upload|import)"
)
"""Verbs in the names of what acts on a message, and may say whether that succeeded."""
BEFORE, SKIP, CLOSE = "before-processing", "skip", "close"
PARALLEL, ASYNCHRONOUS = "parallel", "asynchronous"
IGNORED = "ignored"
"""What a program does with messages: values of the application's settings."""
_PROCESSING_NOTES: Mapping[tuple[str, str], str] = {
    ("commit", "before-processing"): "the offset is committed before its message is processed",
    ("processing", ASYNCHRONOUS): "this message is processed asynchronously, without waiting",
    ("processing", PARALLEL): "several threads process messages of one poll at the same time",
    ("processing.errors", "skip"): "a message that fails is skipped",
    ("delivery.errors", IGNORED): CONTINUES_WITHOUT_MESSAGE,
    ("processing.errors", "close"): "after an error the consumer is closed",
}


def add_ignored_send_errors(reading: Reading, line: int, words: str = RESULT) -> None:
    """Sets `delivery.errors` to ignored, because nobody checks the result of a send."""
    reading.add_setting(Component.APPLICATION, "delivery.errors", "ignored", line)
    reading.note(line, f"{words} (application.delivery.errors)")


MARKED = (
    "a message is marked as done here before it is processed: if that fails, it is skipped when it "
    "is delivered again. Mark it afterwards"
)
"""What `processing.marks` of both languages finds, in words for a user."""


def add_skipped_messages(reading: Reading, line: int, words: str) -> None:
    """Sets `processing.errors` to skip, because the code continues without a message that fails."""
    reading.add_setting(Component.APPLICATION, "processing.errors", SKIP, line)
    reading.note(line, f"{words} (application.processing.errors={SKIP})")


def add_processing_facts(reading: Reading, lines: Mapping[str, int], marked: int = 0) -> None:
    """Sets the facts of how a program processes messages; `lines` are by the value of each fact.

    A weaker value is left out where a worse one of the same setting applies. `marked` is the line
    where a message is marked as done before it is processed, or 0.
    """
    worse = {CLOSE: SKIP, PARALLEL: ASYNCHRONOUS}
    lines = {SKIP: marked} | dict(lines) if marked else lines
    for (name, value), words in _PROCESSING_NOTES.items():
        if (line := lines.get(value)) and worse.get(value) not in lines:
            reading.add_setting(Component.APPLICATION, name, value, line)
            words = MARKED if (value, line) == (SKIP, marked) else words
            reading.note(line, f"{words} (application.{name}={value})")
