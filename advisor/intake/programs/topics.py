"""Topics that a program creates: their number of replicas and their settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from advisor.catalog import Component
from advisor.intake.clients.created_topics import combine_topics
from advisor.intake.clients.known_settings import decides
from advisor.intake.reading import Reading
from advisor.intake.text import shown

_FACTOR = "replication.factor"
_NOT_PLAIN = "of a topic that is created here is not a plain value: not read. State it with --set"

Pair = tuple[str, str | None, int]
"""A setting, its value or None if it is computed, and its place in the source."""


@dataclass(frozen=True, slots=True)
class CreatedTopic:
    """A topic that a program creates. `copies` is its number of replicas: 0 is the brokers'
    default, None a number that is computed at run time."""

    at: int
    copies: int | None
    configs: list[Pair]


def take_topics(
    reading: Reading, topics: Iterable[CreatedTopic], line: Callable[[int], int]
) -> None:
    """Adds the replicas and the settings of the topics that a program creates, as for a script:
    of several topics, the fewest replicas count. `line` returns the line of a place."""
    readings, lines = list[Reading](), list[int]()
    for topic in topics:
        if topic.copies is None:
            reading.note(line(topic.at), f"topic.{_FACTOR} {_NOT_PLAIN}")
        topic_reading = Reading()
        if topic.copies:
            topic_reading.add_setting(Component.TOPIC, _FACTOR, str(topic.copies), line(topic.at))
        for name, value, at in topic.configs:
            if value is not None:
                topic_reading.add_setting(Component.TOPIC, name, value, line(at))
            elif decides(name) or name == "configs":
                reading.note(line(at), f"{shown(name)} {_NOT_PLAIN}")
        if topic_reading.items:
            readings.append(topic_reading)
            lines.append(line(topic.at))
    combine_topics(reading, readings, lines)
