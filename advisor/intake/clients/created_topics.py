"""Topics that a command, a resource or a program creates. A pipeline has one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.catalog import Component
from advisor.intake.clients.known_settings import decides
from advisor.intake.reading import Reading
from advisor.intake.text import shown

_FACTOR = "replication.factor"
ONE = "A pipeline has one topic; leave only that one here"


@dataclass(frozen=True, slots=True)
class Created:
    """A topic that is created. `copies` is None if the brokers' default counts."""

    line: int
    copies: int | None
    configs: tuple[tuple[str, str], ...]
    is_filled_in: bool = False


def combine_topics(reading: Reading, parts: Sequence[Reading], lines: Sequence[int]) -> None:
    """Sets the replication factor and the configs of the topics of a file, by the rules of
    `combine_created`. `parts` are the readings of the topics, and `lines` their first lines."""
    if len(parts) == 1:
        reading.items += parts[0].items
    for part in parts:
        reading.notes += part.notes
        reading.problems += part.problems
    if len(parts) > 1:
        combine_created(
            reading, [_resource(part, line) for part, line in zip(parts, lines, strict=True)]
        )


def _resource(part: Reading, line: int) -> Created:
    texts = {item.name: item.text.strip() for item in part.items}
    copies = texts.pop(_FACTOR, "")
    return Created(line, int(copies) if copies.isdecimal() else None, tuple(texts.items()))


def combine_created(reading: Reading, created: Sequence[Created]) -> None:
    """Sets the settings that count for the topics that are created. For several topics it is the
    lowest replication factor, and the configs that all of them have."""
    first = created[0].line
    copies = [topic for topic in created if topic.copies is not None]
    if copies and any(topic.copies is None and not topic.is_filled_in for topic in created):
        incomplete = next(
            topic for topic in created if topic.copies is None and not topic.is_filled_in
        )
        words = "a topic without a replication factor has the brokers' default, and others state "
        words += f"theirs. {ONE}"
        reading.add_problem(Component.TOPIC, _FACTOR, incomplete.line, words)
    if copies:
        lowest = min(copies, key=lambda topic: topic.copies or 0)
        reading.add_setting(Component.TOPIC, _FACTOR, str(lowest.copies), lowest.line)
    if not copies and not any(topic.is_filled_in for topic in created):
        words = "the brokers' default.replication.factor counts where a topic's copies are not"
        reading.note(first, f"{words} stated")
    common = set.intersection(*(set(topic.configs) for topic in created))
    for name, value in sorted(common):
        reading.add_setting(Component.TOPIC, name, value, first)
    others = {pair for topic in created for pair in topic.configs} - common
    for name in sorted({name for name, _ in others}):
        words = f"{shown(name)}: not every topic that is created here has the same"
        one, other = _differing(created, name)
        if decides(name):
            reading.add_problem(Component.TOPIC, name, one.line, f"{words}. {ONE}")
            words = f"{shown(name)}: this is a topic with another value, or without one"
            reading.add_problem(Component.TOPIC, name, other.line, words)
        else:
            reading.note(one.line, words)
    for topic in created:
        if topic.copies is None and topic.is_filled_in:
            words = "--replication-factor is filled in when the command runs. Write the number"
            reading.add_problem(Component.TOPIC, _FACTOR, topic.line, words)
    if len(created) > 1:
        words = f"{len(created)} topics are created here: the fewest copies of them count"
        reading.note(first, words)


def _differing(created: Sequence[Created], name: str) -> tuple[Created, Created]:
    """The first topic that states a setting, and the first that does not have the same value."""
    values = [dict(topic.configs).get(name) for topic in created]
    one = next(index for index, value in enumerate(values) if value is not None)
    other = next(index for index, value in enumerate(values) if value != values[one])
    return created[one], created[other]
