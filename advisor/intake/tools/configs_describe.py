"""What `kafka-configs.sh --describe` prints of a topic, a broker or the brokers' defaults.

A setting's line is `name=value sensitive=… synonyms={SOURCE:name=value, …}`; the first synonym is
where the value comes from (ConfigCommand.describeResourceConfig). With `--all` a topic's line may
show a value of the brokers (see levels); a product's own default is not taken. A value
that the cluster keeps for all brokers counts for every topic without its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from advisor.catalog import Component
from advisor.intake.cluster import internal_topics
from advisor.intake.cluster.config_sources import (
    DEFAULT,
    MIN_ISR,
    OF_CLUSTER,
    ON_BOTH,
    ON_BROKER,
    level,
)
from advisor.intake.deployments.commands import take_quota
from advisor.intake.reading import Item, Reader, Reading, Subject
from advisor.intake.text import IntakeError, shown

_HEAD = re.compile(
    r"^(?:Dynamic|All) configs for (?P<kind>topic|broker)s? (?P<name>\S+) are:"
    r"|^(?:Default|All) configs for (?P<all>broker|topic)s in the cluster are:"
    r"|^(?:Dynamic|All|Default) configs for (?P<other>[\w-]+)"
)
_OF_ALL = re.compile(r"Quota configs for [^']*\bthe default [^']*$")
"""A quota for all who have none of their own: no name is in it (ConfigCommand.scala,
describeQuotaConfigs)."""
_QUOTAS = re.compile(r"^Quota configs for .*\bproducer_byte_rate=(?P<rate>[\d.]{1,20})")
_LINE = re.compile(
    r"^\s+(?P<name>[\w.-]+)=(?P<value>.*?) sensitive=(?P<hidden>true|false)"
    r" synonyms=\{(?:(?P<source>\w+):)?"
)
_NEXT = re.compile(
    rf", (?!{ON_BROKER})[A-Z_]+:(?P<name>[\w.-]+)=(?P<value>.*?)(?:, [A-Z_]+:[\w.-]+=.*)?\}}\s*$"
)
"""What counts on a broker that has no value of its own: the next of the synonyms."""
_ALONE = "is set on one running broker: where another has none, the next of the synonyms counts"
_UNCLEAN = re.compile(rf"{OF_CLUSTER}:(unclean\.leader\.election\.enable)=(\w+)")
"""Counts for __consumer_offsets, whatever the topic states; a file's line is the controllers'."""
_LEAST = re.compile(rf"{OF_CLUSTER}:{re.escape(MIN_ISR)}=(\d+)")
"""The same, unless __consumer_offsets has its own."""
_ANYWHERE = re.compile(r"^(?:Dynamic|All|Default) configs for .* are:", re.MULTILINE)


def read(text: str) -> Reading:
    """The settings that were made by hand. Raises `IntakeError`, also for two topics."""
    reading = Reading()
    component: Component | None = None
    topic, own, left, broker, whole = "", "", 0, "", set[str]()
    brokers, alone = set[str](), list[tuple[Item, Item]]()
    for number, line in enumerate(text.splitlines(), start=1):
        if quota := _QUOTAS.match(line):
            take_quota(reading, quota["rate"], number, of_all=_OF_ALL.match(line) is not None)
        elif head := _HEAD.match(line):
            component, own = _component(head), ""
            if component is Component.TOPIC and internal_topics.is_internal(head["name"] or ""):
                own = head["name"]
            elif component is Component.TOPIC and topic not in ("", head["name"]):
                words = f"a second topic, {shown(head['name'] or '')}; one pipeline has one"
                raise IntakeError(f"Line {number}: {words}.")
            is_named = component is Component.TOPIC and head["name"] and not own
            topic = head["name"] if is_named else topic
            broker = head["name"] or "" if component is Component.BROKER else ""
            brokers |= {broker} - {""}
            whole |= {broker} if broker and line.startswith("All ") else set()
            if component is None:
                reading.note(number, "only topics and brokers are read")
        elif own and (match := _LINE.match(line)):
            item = Item(Component.TOPIC, match["name"], match["value"], number)
            internal_topics.take(reading, own, [item] if match["source"] != DEFAULT else [])
        elif component and (match := _LINE.match(line)):
            left += not _take(reading, component, match, number, broker)
            alone += _on_one(match, [item for item in reading.items[-1:] if item.line == number])
    _state_others(reading, alone, brokers)
    if not topic and not _ANYWHERE.search(text):
        raise IntakeError("Line 1: no line says whose configs these are.")
    reading.complete_servers = frozenset(whole)
    reading.subject = Subject.by_name({topic} - {""})
    if topic and not (reading.items or reading.notes or left):
        reading.note(1, "nothing is set on this topic: what its brokers say counts, or a default")
    if left:
        words = "1 value is the product's" if left == 1 else f"{left} values are the product's"
        reading.notes.append(f"{words} own default: not taken as stated.")
    return reading


def _component(head: re.Match[str]) -> Component | None:
    kind = head["kind"] or head["all"]
    return Component(kind) if kind else None


def _take(
    reading: Reading, component: Component, match: re.Match[str], line: int, broker: str
) -> bool:
    """Takes a line, of a broker if it names one; False if its value is the product's own."""
    source = match["source"] or ""
    if source == DEFAULT:
        return False
    name, value = match["name"], match["value"]
    if kept := _UNCLEAN.search(match.string):
        reading.state(Component.BROKER, kept[1], kept[2], line)
    if kept := _LEAST.search(match.string):
        reading.state(*internal_topics.OFFSETS_MINIMUM, kept[1], line, MIN_ISR)
    if component is Component.TOPIC and source:
        component = level(name, source)
    inherited = ""
    if component is Component.BROKER and name in ON_BOTH and source == OF_CLUSTER:
        component, inherited = Component.TOPIC, name
    if match["hidden"] == "true":
        reading.note(line, f"{shown(name)} is a credential: dropped, not read")
        return True
    if value not in ("", "null"):
        reading.state(component, name, value, line, inherited, broker)
    return True


def _on_one(match: re.Match[str], items: Iterable[Item]) -> Iterator[tuple[Item, Item]]:
    """A line's item that one running broker has alone, and what counts where another has none."""
    other = _NEXT.search(match.string, match.end())
    if match["source"] != ON_BROKER or other is None:
        return
    for item in items:
        yield item, replace(item, name=other["name"], text=other["value"], process=_ALONE)


def _state_others(
    reading: Reading, alone: Iterable[tuple[Item, Item]], brokers: Collection[str]
) -> None:
    """States what brokers without a value of their own have, unless all are listed with theirs."""
    alone, owners = [*alone], dict[str, set[str]]()
    for item, _ in alone:
        owners.setdefault(item.name, set()).add(item.process)
    for item, other in alone:
        if len(brokers) > 1 and owners[item.name] >= {*brokers}:
            continue
        reading.note(item.line, f"{shown(item.name)} {_ALONE}")
        reading.state(other.component, other.name, other.text, other.line, process=other.process)


def _likeness(text: str) -> float:
    return 1.0 if _ANYWHERE.search(text) else 0.0


READERS = (Reader("configs-describe", "Output of kafka-configs --describe", _likeness, read),)
