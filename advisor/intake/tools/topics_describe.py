"""What `kafka-topics.sh --describe` prints of one topic.

Its first line is `Topic: … PartitionCount: … ReplicationFactor: … Configs: name=value,…`
(TopicCommand.TopicDescription); the copies that it names are those of the first partition, and the
lines of the others say where they have fewer. The configs
are all values that differ from the product's default; whether the topic or its brokers have them
is not shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.catalog import Component
from advisor.intake.cluster import internal_topics
from advisor.intake.cluster.config_sources import MIN_ISR, ON_BOTH
from advisor.intake.reading import Item, Reader, Reading, Subject
from advisor.intake.text import IntakeError, shown

_HEAD = re.compile(
    r"^Topic:\s*(?P<topic>\S+)\s.*?\bPartitionCount:\s*\d+\s+ReplicationFactor:\s*(?P<copies>\d+)"
    r"(?:\s+Configs:[ \t]*(?P<configs>\S*))?",
)
_PARTITION = re.compile(
    r"^Topic:\s*\S+\s+Partition:\s*(?P<number>\d+)\s.*?\bReplicas:[ \t]*(?P<replicas>[\d,]+)"
    r"(?:.*?\bRemoving Replicas:[ \t]*(?P<removing>[\d,]*))?"
)
_STATE = re.compile(
    r"^Topic:\s*\S+\s+Partition:\s*\d+\s+Leader:\s*(?P<leader>\S+)\s+"
    r"Replicas:[ \t]*(?P<replicas>[\d,]+)\s+Isr:[ \t]*(?P<isr>[\d,]*)"
)
_FACTOR, _MOST = "replication.factor", 2**15 - 1
_ASSUMED = 3
"""How many brokers a cluster has of which nobody says it."""
_ANYWHERE = re.compile(r"^Topic:.*\bPartitionCount:", re.MULTILINE)


def read(text: str) -> Reading:
    """The settings of the topic. Raises `IntakeError`, also for more than one topic."""
    reading, first, fewest = Reading(), "", _MOST
    text = _without_internal(reading, text)
    for number, line in enumerate(text.splitlines(), start=1):
        match = _HEAD.match(line.strip())
        if match is None:
            if first and (copies := _copies(line.strip())) < fewest:
                fewest = copies
                reading.state(Component.TOPIC, _FACTOR, str(copies), number)
            continue
        if first:
            words = f"a second topic, {shown(match['topic'])}; one pipeline has one"
            raise IntakeError(f"Line {number}: {words}. Leave only the lines of {first}.")
        first = shown(match["topic"])
        reading.subject = Subject.by_name({match["topic"]}, seen=True)
        fewest = int(match["copies"])
        reading.state(Component.TOPIC, _FACTOR, match["copies"], number)
        for name, value in _configs(match["configs"] or ""):
            reading.state(Component.TOPIC, name, value, number)
            if name in ON_BOTH:
                words = "is in force; whether topic or brokers say so, kafka-configs --describe"
                reading.note(number, f"{name} {words} --all tells")
    _say_state(reading, text)
    if not (first or reading.items or reading.notes):
        raise IntakeError("Line 1: no line begins with Topic: and has a PartitionCount.")
    _count_brokers(reading, text)
    return reading


def _without_internal(reading: Reading, text: str) -> str:
    """The text without the lines of Kafka's own topics, of which it takes what is weighed. A
    minimum that is not shown is Kafka's default, 1."""
    lines, own = text.splitlines(), ""
    for at, line in enumerate(lines):
        head, row = _HEAD.match(line.strip()), _PARTITION.match(line.strip())
        if head:
            own = internal_topics.internal(head["topic"])
        if own and head:
            configs = {MIN_ISR: "1", **dict(_configs(head["configs"] or ""))}
            pairs = {_FACTOR: head["copies"], **configs}
            items = [Item(Component.TOPIC, name, value, at + 1) for name, value in pairs.items()]
            internal_topics.take(reading, own, items)
        if own and (head or row):
            lines[at] = ""
    return "\n".join(lines)


def _count_brokers(reading: Reading, text: str) -> None:
    """A cluster has every broker that holds a copy; whether it has more is not shown, so that only
    more than is assumed counts."""
    rows = [(at, _PARTITION.match(line.strip())) for at, line in enumerate(text.splitlines(), 1)]
    places = {name: at for at, match in rows if match for name in _ids(match["replicas"])}
    if len(places) > _ASSUMED:
        reading.heads["brokers"] = str(len(places))
        words = f"{len(places)} brokers are taken, as many as its partitions name"
        reading.note(max(places.values()), words)


def _say_state(reading: Reading, text: str) -> None:
    """Says how the partitions were at that moment, which no setting tells."""
    alone = leaderless = number = 0
    fewest, place = _MOST, 0
    for at, line in enumerate(text.splitlines(), start=1):
        match = _STATE.match(line.strip())
        if match is None:
            continue
        replicas, in_sync = (len(_ids(match[group])) for group in ("replicas", "isr"))
        behind = in_sync < replicas
        number = number or (at if behind else 0)
        alone += behind
        has_none = match["leader"].lower() in ("none", "-1")
        leaderless += has_none
        now = 0 if has_none else in_sync
        if (behind or has_none) and now < fewest:
            fewest, place = now, at
    if place:
        reading.state(Component.APPLICATION, "replicas.in.sync", str(fewest), place)
    if alone:
        words = "partition has" if alone == 1 else "partitions have"
        more = f", {leaderless} of them without a leader" if leaderless else ""
        text = f"{alone} {words} fewer replicas in sync than copies (Isr){more}"
        reading.note(number, f"{text}: what fails next finds the cluster so, not as it is set up")


def _ids(text: str | None) -> set[str]:
    return {name for name in (text or "").split(",") if name}


def _copies(line: str) -> int:
    """How many copies a partition has, or will have once those that are moved have moved."""
    match = _PARTITION.match(line)
    if match is None:
        return _MOST
    replicas, removing = (_ids(match[group]) for group in ("replicas", "removing"))
    return len(replicas - removing)


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
