"""Facts that only a program's code decides, and whether a file is a program.

A program is read for what breaks a guarantee. No reading of a text shows that nothing does: a
function of another file may drop a record. So what the text does not show stays assumed, and an
answer that rests on it says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

NOTE = (
    "The program was read for what loses or repeats records. Nothing found is no proof that there "
    "is nothing: what its code does not show is assumed."
)
"""Said of a program that was read."""

OF_CODE = frozenset(
    {
        "abort", "commit", "commit.order", "delivery.errors", "processing", "processing.errors",
        "processing.order", "resend", "sink", "state",
    }
)  # fmt: skip
"""Facts of the application that its code decides and no configuration states."""

KINDS = frozenset({"java-code", "python-dict", "spark-options", "spring-code"})
"""Kinds of files in which code may stand."""

_USES = re.compile(
    r"\.\s*(?:poll|consume|getone|getmany|produce|send|send_and_wait|readStream|writeStream|"
    r"foreachBatch|subscribe|addSource|process)\b|\b(?:StreamsBuilder|Topology)\b"
    r"|\bfor\s+\w+\s+in\s+\w*consumer\b|@\w*KafkaListener\b"
)
"""What a program does with a client, beside making it."""
MAKES_CLIENT = re.compile(
    r"\bKafka(?:Producer|Consumer|ShareConsumer|Streams)\s*(?:<[^;(){}]{0,99}>|\[[^;(){}]{0,99}\])?\s*\("
)
"""Where a program of Java, Kotlin or Scala makes a client, which another class may use."""

TOPOLOGY_MADE = re.compile(r"\b(?:StreamsBuilder|new\s+Topology\s*\()")
_OTHER_CLIENT = re.compile(
    r"\b(?:Properties|Kafka(?:Producer|Consumer|ShareConsumer)|AdminClient)\b"
)

ASSIGNS = (
    "assign() takes the partitions that it names and no other: none that is added to the topic "
    "later, and nobody takes them over from a member that dies (KafkaConsumer javadoc, Manual "
    "Partition Assignment). That is not advised on; subscribe() to the topic"
)
"""Said of a reader that chooses its partitions itself."""

_WHOLE_COMMENT = re.compile(r"^[ \t]*(?:#|//|\*).*$", re.MULTILINE)
_ASSIGN = re.compile(r"\w[ \t]*\.\s*assign\s*\(")
_SUBSCRIBE = re.compile(r"(?<!\w)subscribe\s*\(")

TOPOLOGY = (
    "this is what Kafka Streams does with the records, and its settings are elsewhere. Give them, "
    "too: the file of the application (application.yml, application.properties), or the class that "
    "makes KafkaStreams."
)
"""Said of a topology without its settings."""

LISTENERS = (
    "this is code with Spring for Apache Kafka, and the settings of its clients are elsewhere. "
    "Give them, too: the file of the application (application.yml, application.properties)."
)
"""Said of listeners and senders without their settings."""


LISTENS = re.compile(r"^[ \t]*import[ \t]+org\.springframework\.kafka\.", re.MULTILINE)
"""What only code with Spring for Apache Kafka imports."""


def has_settings_elsewhere(texts: Sequence[str]) -> bool:
    """Whether a program leaves the settings of its clients to the file of its application."""
    is_alone = len(texts) == 1 and is_topology(texts[0])
    return is_alone or any(LISTENS.search(text) for text in texts)


def is_topology(text: str) -> bool:
    """Whether a program of Java's languages says what Kafka Streams does with records, and leaves
    its settings and its start to a framework or another class."""
    others = MAKES_CLIENT.search(text) or _OTHER_CLIENT.search(text)
    return bool(TOPOLOGY_MADE.search(text)) and not others


def manual_assignment_line(text: str) -> int:
    """The line where a program chooses its partitions itself, and subscribes to none; else 0.

    A callback of `subscribe` may assign what the group gives it (confluent-kafka, on_assign).
    """
    if "TopicPartition" not in text or ".assign" not in text:
        return 0
    code = _WHOLE_COMMENT.sub("", text)
    match = _ASSIGN.search(code)
    is_alone = match and "TopicPartition" in code and not _SUBSCRIBE.search(code)
    return code.count("\n", 0, match.start()) + 1 if match and is_alone else 0


def is_program(kind: str, text: str) -> bool:
    """Whether a file of this kind holds code that works with records, or makes what does, and not
    settings alone."""
    works = _USES.search(text) or (kind == "java-code" and MAKES_CLIENT.search(text))
    return kind in KINDS and bool(works)
