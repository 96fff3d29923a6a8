"""Topics that a program makes itself: how many copies they have, and their settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from advisor.catalog import Component
from advisor.intake.clients.created_topics import combine_topics
from advisor.intake.clients.known_settings import decides
from advisor.intake.reading import Reading
from advisor.intake.text import shown

_FACTOR = "replication.factor"
_NOT_PLAIN = "of a topic that is made here is not a plain value: not read. State it with --set"

Pair = tuple[str, str | None, int]
"""A setting, its value, None for what is worked out, and where it stands."""


@dataclass(frozen=True, slots=True)
class CreatedTopic:
    """A topic that is made at a place; of `copies`, 0 is the brokers' default, and None what is
    worked out when the program runs."""

    at: int
    copies: int | None
    configs: list[Pair]


def take_topics(reading: Reading, made: Iterable[CreatedTopic], line: Callable[[int], int]) -> None:
    """States the copies and the settings of the topics that a program makes, as those of a script
    are: of several, the fewest copies count."""
    parts, lines = list[Reading](), list[int]()
    for topic in made:
        if topic.copies is None:
            reading.note(line(topic.at), f"topic.{_FACTOR} {_NOT_PLAIN}")
        part = Reading()
        if topic.copies:
            part.state(Component.TOPIC, _FACTOR, str(topic.copies), line(topic.at))
        for name, value, at in topic.configs:
            if value is not None:
                part.state(Component.TOPIC, name, value, line(at))
            elif decides(name) or name == "configs":
                reading.note(line(at), f"{shown(name)} {_NOT_PLAIN}")
        if part.items:
            parts.append(part)
            lines.append(line(topic.at))
    combine_topics(reading, parts, lines)
