"""Output of `kafka-topics.sh --describe` for one topic.

Its first line is `Topic: … PartitionCount: … ReplicationFactor: … Configs: name=value,…`
(TopicCommand.TopicDescription). Its replication factor is that of the first partition; the lines of
the other partitions show where it is lower. The configs are all values that differ from the
product's default. The output does not show whether the topic or its brokers set them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.catalog import Component
from advisor.intake.cluster import internal_topics
from advisor.intake.cluster.config_sources import MIN_ISR, SHARED_NAMES
from advisor.intake.reading import Item, Reader, Reading, Subject
from advisor.intake.text import IntakeError, shown

_HEADING = re.compile(
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
_FACTOR, _MAX_FACTOR = "replication.factor", 2**15 - 1
_ASSUMED = 3
"""The number of brokers that is assumed for a cluster."""
_ANY_HEADING = re.compile(r"^Topic:.*\bPartitionCount:", re.MULTILINE)


def read(text: str) -> Reading:
    """Reads the settings of the topic. Raises `IntakeError`, also for more than one topic."""
    reading, first, fewest = Reading(), "", _MAX_FACTOR
    text = _without_internal_topics(reading, text)
    for number, line in enumerate(text.splitlines(), start=1):
        match = _HEADING.match(line.strip())
        if match is None:
            if first and (copies := _copies(line.strip())) < fewest:
                fewest = copies
                reading.add_setting(Component.TOPIC, _FACTOR, str(copies), number)
            continue
        if first:
            words = f"a second topic, {shown(match['topic'])}; one pipeline has one"
            raise IntakeError(f"Line {number}: {words}. Leave only the lines of {first}.")
        first = shown(match["topic"])
        reading.subject = Subject.by_name({match["topic"]}, seen=True)
        fewest = int(match["copies"])
        reading.add_setting(Component.TOPIC, _FACTOR, match["copies"], number)
        for name, value in _configs(match["configs"] or ""):
            reading.add_setting(Component.TOPIC, name, value, number)
            if name in SHARED_NAMES:
                words = "is in force; kafka-configs --describe --all shows whether topic or brokers"
                reading.note(number, f"{name} {words} set it")
    _note_state(reading, text, fewest)
    if not (first or reading.items or reading.notes):
        raise IntakeError("Line 1: no line begins with Topic: and has a PartitionCount.")
    _count_brokers(reading, text)
    return reading


def _without_internal_topics(reading: Reading, text: str) -> str:
    """The text without the lines of Kafka's internal topics, whose settings it takes. If
    `min.insync.replicas` is not shown, it has Kafka's default, 1."""
    lines, topic = text.splitlines(), ""
    for at, line in enumerate(lines):
        heading, partition = _HEADING.match(line.strip()), _PARTITION.match(line.strip())
        if heading:
            topic = internal_topics.internal_name(heading["topic"])
        if topic and heading:
            configs = {MIN_ISR: "1", **dict(_configs(heading["configs"] or ""))}
            pairs = {_FACTOR: heading["copies"], **configs}
            items = [Item(Component.TOPIC, name, value, at + 1) for name, value in pairs.items()]
            internal_topics.take(reading, topic, items)
        if topic and (heading or partition):
            lines[at] = ""
    return "\n".join(lines)


def _count_brokers(reading: Reading, text: str) -> None:
    """Sets the number of brokers if the partitions name more than is assumed. A cluster may have
    brokers without replicas, which the output does not show."""
    rows = [(at, _PARTITION.match(line.strip())) for at, line in enumerate(text.splitlines(), 1)]
    lines_by_broker = {name: at for at, match in rows if match for name in _ids(match["replicas"])}
    if len(lines_by_broker) > _ASSUMED:
        reading.heads["brokers"] = str(len(lines_by_broker))
        words = f"{len(lines_by_broker)} brokers are assumed, as many as its partitions name"
        reading.note(max(lines_by_broker.values()), words)


def _note_state(reading: Reading, text: str, copies: int) -> None:
    """Notes the state of the partitions at the time of the command, and sets the fewest replicas in
    sync if they are fewer than the copies. While replicas are moved, more may be in sync."""
    shrunk = leaderless = first_line = 0
    fewest, fewest_line = copies, 0
    for at, line in enumerate(text.splitlines(), start=1):
        match = _STATE.match(line.strip())
        if match is None:
            continue
        replicas, in_sync = (len(_ids(match[group])) for group in ("replicas", "isr"))
        behind = in_sync < replicas
        first_line = first_line or (at if behind else 0)
        shrunk += behind
        has_no_leader = match["leader"].lower() in ("none", "-1")
        leaderless += has_no_leader
        available = 0 if has_no_leader else in_sync
        if (behind or has_no_leader) and available < fewest:
            fewest, fewest_line = available, at
    if fewest_line:
        reading.add_setting(Component.APPLICATION, "replicas.in.sync", str(fewest), fewest_line)
    if shrunk:
        words = "partition has" if shrunk == 1 else "partitions have"
        more = f", {leaderless} of them without a leader" if leaderless else ""
        text = f"{shrunk} {words} fewer replicas in sync than copies (Isr){more}"
        reading.note(
            first_line, f"{text}: the next failure meets the cluster like this, not as set up"
        )


def _ids(text: str | None) -> set[str]:
    return {name for name in (text or "").split(",") if name}


def _copies(line: str) -> int:
    """The number of replicas of a partition after any reassignment is complete."""
    match = _PARTITION.match(line)
    if match is None:
        return _MAX_FACTOR
    replicas, removing = (_ids(match[group]) for group in ("replicas", "removing"))
    return len(replicas - removing)


def _configs(text: str) -> Iterator[tuple[str, str]]:
    """Yields names and values. `a=1,b=x,y` has two settings: a part without `=` continues the value
    before it."""
    pairs: list[list[str]] = []
    for part in text.split(","):
        name, is_new, value = part.partition("=")
        if is_new:
            pairs.append([name, value])
        elif pairs and part:
            pairs[-1][1] += f",{part}"
    yield from ((name, value) for name, value in pairs)


def _likeness(text: str) -> float:
    return 1.0 if _ANY_HEADING.search(text) else 0.0


READERS = (Reader("topics-describe", "Output of kafka-topics --describe", _likeness, read),)
