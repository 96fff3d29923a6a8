"""What `kafka-topics.sh --describe` prints of one topic.

Its first line is `Topic: … PartitionCount: … ReplicationFactor: … Configs: name=value,…`
(TopicCommand.TopicDescription); the lines of partitions say nothing that is a setting. The configs
are all values that differ from the product's default; whether the topic or its brokers have them
is not shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.catalog import Component
from advisor.intake.levels import ON_BOTH
from advisor.intake.reading import Reader, Reading
from advisor.intake.text import IntakeError, shown

_HEAD = re.compile(
    r"^Topic:\s*(?P<topic>\S+)\s.*?\bPartitionCount:\s*\d+\s+ReplicationFactor:\s*(?P<copies>\d+)"
    r"(?:\s+Configs:[ \t]*(?P<configs>\S*))?",
)
_ANYWHERE = re.compile(r"^Topic:.*\bPartitionCount:", re.MULTILINE)


def read(text: str) -> Reading:
    """The settings of the topic. Raises `IntakeError`, also for more than one topic."""
    reading, first = Reading(), ""
    for number, line in enumerate(text.splitlines(), start=1):
        match = _HEAD.match(line.strip())
        if match is None:
            continue
        if first:
            words = f"a second topic, {shown(match['topic'])}; one pipeline has one"
            raise IntakeError(f"Line {number}: {words}. Leave only the lines of {first}.")
        first = shown(match["topic"])
        reading.state(Component.TOPIC, "replication.factor", match["copies"], number)
        for name, value in _configs(match["configs"] or ""):
            reading.state(Component.TOPIC, name, value, number)
            if name in ON_BOTH:
                words = "is in force; whether topic or brokers say so, kafka-configs --describe"
                reading.note(number, f"{name} {words} --all tells")
    if not first:
        raise IntakeError("Line 1: no line begins with Topic: and has a PartitionCount.")
    return reading


def _configs(text: str) -> Iterator[tuple[str, str]]:
    """`a=1,b=x,y` is two settings: a part without `=` goes on with the value before it."""
    pairs: list[list[str]] = []
    for part in text.split(","):
        name, is_new, value = part.partition("=")
        if is_new:
            pairs.append([name, value])
        elif pairs and part:
            pairs[-1][1] += f",{part}"
    yield from ((name, value) for name, value in pairs)


def _likeness(text: str) -> float:
    return 1.0 if _ANYWHERE.search(text) else 0.0


READERS = (Reader("topics-describe", "Output of kafka-topics --describe", _likeness, read),)
