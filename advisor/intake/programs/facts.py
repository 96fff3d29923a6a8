"""Facts of the application that programs show: how they process and how they send messages."""

from __future__ import annotations

import re
from collections.abc import Mapping

from advisor.catalog import Component
from advisor.intake.reading import Reading

STARTS_AT_END = (
    "a reader that begins at the end of a partition passes over what was written while it was "
    "away, wherever its group is. Leave this away if it is not how the messages are read; state "
    "consumer.auto.offset.reset=latest to see what that skips."
)
STARTS_ELSEWHERE = (
    "a reader that begins at an offset by time, or by the end of a partition, and not where "
    "its group is, passes over what was written before it while it was away. Leave this away if it "
    "is not how the messages are read."
)
DROPS = (
    "nothing takes the records that this one returns, and the next commit is behind them. Leave it "
    "away, or process them."
)
PARALLEL_CONSUMER = (
    "Confluent's parallel consumer hands records to threads of its own, tries them again and "
    "commits by itself. That is not read. Leave it away, and state what it does, such as "
    "application.commit=after-processing; of UNORDERED, application.processing.order=any."
)
SHARE_CONSUMER = (
    "this is a client of a share group (KIP-932), which has no position and keeps no order. That "
    "is not advised on."
)
RESULT = "nothing takes the result of this send, so that one that fails goes unnoticed"
DROPPED = "what this send calls back does nothing with its error"
ONLY_WRITTEN = (
    "a send that fails is only written down here, and the program goes on without it: send it "
    "again, or end. Where somebody sends again what is written, state "
    "application.delivery.errors=handled"
)
CONTINUES_WITHOUT_MESSAGE = "the program goes on without a message whose send fails"
ABANDONED_TRANSACTION = (
    "a transaction that fails is aborted here, and the program goes on without what it had sent: "
    "send that again in another one, or end"
)
SUCCESS = re.compile(
    r"(?i)_?(?:ok|okay|success\w*|succeeded|done|failed|rc|(?:is|was|has)_?(?:ok|success\w*|saved"
    r"|stored|written|sent|done|accepted|inserted|delivered|processed|handled))"
)
"""What a result is called that says whether something succeeded."""
BEFORE, SKIP, CLOSE = "before-processing", "skip", "close"
PARALLEL, ASYNCHRONOUS = "parallel", "asynchronous"
IGNORED = "ignored"
"""What a program does with messages: values of the application's settings."""
_PROCESSED: Mapping[tuple[str, str], str] = {
    ("commit", "before-processing"): "the offset is committed before its message is processed",
    ("processing", ASYNCHRONOUS): "others process this message, and nothing waits for them",
    ("processing", PARALLEL): "several threads process messages of one poll at the same time",
    ("processing.errors", "skip"): "a message that fails is passed over",
    ("delivery.errors", IGNORED): CONTINUES_WITHOUT_MESSAGE,
    ("processing.errors", "close"): "after an error the consumer is closed",
}


def add_ignored_send_errors(reading: Reading, line: int, words: str = RESULT) -> None:
    """States that nobody hears of a send that fails."""
    reading.state(Component.APPLICATION, "delivery.errors", "ignored", line)
    reading.note(line, f"{words} (application.delivery.errors)")


def add_skipped_messages(reading: Reading, line: int, words: str) -> None:
    """States that the code goes on without a message that it cannot process."""
    reading.state(Component.APPLICATION, "processing.errors", SKIP, line)
    reading.note(line, f"{words} (application.processing.errors={SKIP})")


def add_processing_facts(reading: Reading, lines: Mapping[str, int]) -> None:
    """States what a program does with the messages that it reads, by the lines that say so."""
    worse = {CLOSE: SKIP, PARALLEL: ASYNCHRONOUS}
    for (name, value), words in _PROCESSED.items():
        if (line := lines.get(value)) and worse.get(value) not in lines:
            reading.state(Component.APPLICATION, name, value, line)
            reading.note(line, f"{words} (application.{name}={value})")
