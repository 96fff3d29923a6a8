"""Facts that only a program's code decides, and the recognition of programs.

A program is read for statements that break a guarantee. That none is found is no proof: a function
in another file may drop a record. Facts that the code does not show are assumed, and an answer that
depends on them says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

NOTE = (
    "The program was read for statements that lose or repeat records. Nothing found is no proof "
    "that there is nothing: facts that its code does not show are assumed."
)
"""The note on a program that was read."""

PROGRAM_FACTS = frozenset(
    {
        "abort", "commit", "commit.order", "delivery.errors", "processing", "processing.errors",
        "processing.order", "resend", "sink", "state",
    }
)  # fmt: skip
"""Facts of the application that its code decides, and no configuration."""

KINDS = frozenset({"java-code", "python-dict", "spark-options", "spring-code"})
"""Kinds of files that may contain code."""

_USES = re.compile(
    r"\.\s*(?:poll|consume|getone|getmany|produce|send|send_and_wait|readStream|writeStream|"
    r"foreachBatch|subscribe|addSource|process)\b|\b(?:StreamsBuilder|Topology)\b"
    r"|\bfor\s+\w+\s+in\s+\w*consumer\b|@\w*KafkaListener\b"
)
"""A use of a client, other than its constructor."""
MAKES_CLIENT = re.compile(
    r"\bKafka(?:Producer|Consumer|ShareConsumer|Streams)\s*(?:<[^;(){}]{0,99}>|\[[^;(){}]{0,99}\])?\s*\("
)
"""The creation of a client in Java, Kotlin or Scala, which another class may use."""

TOPOLOGY_MADE = re.compile(r"\b(?:StreamsBuilder|new\s+Topology\s*\()")
_OTHER_CLIENT = re.compile(
    r"\b(?:Properties|Kafka(?:Producer|Consumer|ShareConsumer)|AdminClient)\b"
)

ASSIGNS = (
    "assign() reads only the partitions that it names: none that is added to the topic later, and "
    "no other member takes them over from one that dies (KafkaConsumer javadoc, Manual Partition "
    "Assignment). That is not covered; subscribe() to the topic"
)
"""The refusal of a consumer that assigns its partitions itself."""

_WHOLE_COMMENT = re.compile(r"^[ \t]*(?:#|//|\*).*$", re.MULTILINE)
_ASSIGN = re.compile(r"\w[ \t]*\.\s*assign\s*\(")
_SUBSCRIBE = re.compile(r"(?<!\w)subscribe\s*\(")

TOPOLOGY = (
    "this is a topology of Kafka Streams, and its settings are in another file. Give them, too: "
    "the file of the application (application.yml, application.properties), or the class that "
    "creates KafkaStreams."
)
"""The reason why a topology has no settings."""

LISTENERS = (
    "this is code with Spring for Apache Kafka, and the settings of its clients are in another "
    "file. Give them, too: the file of the application (application.yml, application.properties)."
)
"""The reason why listeners and senders have no settings."""


SPRING_KAFKA_IMPORT = re.compile(r"^[ \t]*import[ \t]+org\.springframework\.kafka\.", re.MULTILINE)
"""An import of Spring for Apache Kafka."""


def has_settings_elsewhere(texts: Sequence[str]) -> bool:
    """Whether a program has the settings of its clients in the file of its application."""
    is_alone = len(texts) == 1 and is_topology(texts[0])
    return is_alone or any(SPRING_KAFKA_IMPORT.search(text) for text in texts)


def is_topology(text: str) -> bool:
    """Whether a program in Java, Kotlin or Scala only defines a topology of Kafka Streams, which a
    framework or another class configures and starts."""
    other_client = MAKES_CLIENT.search(text) or _OTHER_CLIENT.search(text)
    return bool(TOPOLOGY_MADE.search(text)) and not other_client


def manual_assignment_line(text: str) -> int:
    """Returns the line where a program assigns its partitions itself; 0 if it subscribes, too.

    A callback of `subscribe` may assign the partitions of the group (confluent-kafka, on_assign).
    """
    if "TopicPartition" not in text or ".assign" not in text:
        return 0
    code = _WHOLE_COMMENT.sub("", text)
    match = _ASSIGN.search(code)
    is_alone = match and "TopicPartition" in code and not _SUBSCRIBE.search(code)
    return code.count("\n", 0, match.start()) + 1 if match and is_alone else 0


def is_program(kind: str, text: str) -> bool:
    """Whether a file of this kind contains code that processes records or creates a client, and
    not only settings."""
    uses_client = _USES.search(text) or (kind == "java-code" and MAKES_CLIENT.search(text))
    return kind in KINDS and bool(uses_client)
