"""Output of `kafka-configs.sh --describe` for a topic, a broker or the brokers' defaults.

A setting's line is `name=value sensitive=… synonyms={SOURCE:name=value, …}`. The first synonym is
the source of the value (ConfigCommand.describeResourceConfig). With `--all` a topic's line may show
a value of the brokers (see `config_sources`). Defaults of the product are not read. A cluster-wide
default of the brokers counts for every topic that does not set its own value.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from advisor.catalog import Component
from advisor.intake.cluster import internal_topics
from advisor.intake.cluster.config_sources import (
    DEFAULT,
    DYNAMIC_BROKER,
    DYNAMIC_DEFAULT,
    MIN_ISR,
    SHARED_NAMES,
    level,
)
from advisor.intake.deployments.commands import take_quota
from advisor.intake.reading import Item, Reader, Reading, Subject
from advisor.intake.text import IntakeError, shown

_HEADING = re.compile(
    r"^(?:Dynamic|All) configs for (?P<kind>topic|broker)s? (?P<name>\S+) are:"
    r"|^(?:Default|All) configs for (?P<all>broker|topic)s in the cluster are:"
    r"|^(?:Dynamic|All|Default) configs for (?P<other>[\w-]+)"
)
_ANY_CLIENT = re.compile(r"Quota configs for [^']*\bthe default [^']*$")
"""The default quota, which names no user or client (ConfigCommand.scala, describeQuotaConfigs)."""
_QUOTA = re.compile(r"^Quota configs for .*\bproducer_byte_rate=(?P<rate>[\d.]{1,20})")
_SETTING = re.compile(
    r"^\s+(?P<name>[\w.-]+)=(?P<value>.*?) sensitive=(?P<hidden>true|false)"
    r" synonyms=\{(?:(?P<source>\w+):)?"
)
_NEXT_SYNONYM = re.compile(
    rf", (?!{DYNAMIC_BROKER})[A-Z_]+:(?P<name>[\w.-]+)=(?P<value>.*?)"
    r"(?:, [A-Z_]+:[\w.-]+=.*)?\}\s*$"
)
"""The next synonym, which counts on a broker without a value."""
_ONE_BROKER = "is set on one running broker: on brokers without a value the next synonym counts"
_CLUSTER_UNCLEAN = re.compile(rf"{DYNAMIC_DEFAULT}:(unclean\.leader\.election\.enable)=(\w+)")
"""Counts for __consumer_offsets, whatever the topic states. A value in a file is for
controllers."""
_CLUSTER_MIN_ISR = re.compile(rf"{DYNAMIC_DEFAULT}:{re.escape(MIN_ISR)}=(\d+)")
"""Counts for __consumer_offsets, too, unless it sets its own value."""
_ANY_HEADING = re.compile(r"^(?:Dynamic|All|Default) configs for .* are:", re.MULTILINE)


def read(text: str) -> Reading:
    """Reads the settings that are not defaults. Raises `IntakeError`, also for two topics."""
    reading = Reading()
    component: Component | None = None
    topic, internal, defaults, broker, complete = "", "", 0, "", set[str]()
    brokers, single = set[str](), list[tuple[Item, Item]]()
    for number, line in enumerate(text.splitlines(), start=1):
        if quota := _QUOTA.match(line):
            take_quota(reading, quota["rate"], number, of_all=_ANY_CLIENT.match(line) is not None)
        elif heading := _HEADING.match(line):
            component, internal = _component(heading), ""
            if component is Component.TOPIC and internal_topics.is_internal(heading["name"] or ""):
                internal = heading["name"]
            elif component is Component.TOPIC and topic not in ("", heading["name"]):
                words = f"a second topic, {shown(heading['name'] or '')}; one pipeline has one"
                raise IntakeError(f"Line {number}: {words}.")
            is_named = component is Component.TOPIC and heading["name"] and not internal
            topic = heading["name"] if is_named else topic
            broker = heading["name"] or "" if component is Component.BROKER else ""
            brokers |= {broker} - {""}
            complete |= {broker} if broker and line.startswith("All ") else set()
            if component is None:
                reading.note(number, "only topics and brokers are read")
        elif internal and (match := _SETTING.match(line)):
            item = Item(Component.TOPIC, match["name"], match["value"], number)
            internal_topics.take(reading, internal, [item] if match["source"] != DEFAULT else [])
        elif component and (match := _SETTING.match(line)):
            defaults += not _take_line(reading, component, match, number, broker)
            single += _pairs(match, [item for item in reading.items[-1:] if item.line == number])
    _set_other_brokers(reading, single, brokers)
    if not topic and not _ANY_HEADING.search(text):
        raise IntakeError("Line 1: no line names the topic or broker of these configs.")
    reading.complete_servers = frozenset(complete)
    reading.subject = Subject.by_name({topic} - {""})
    if topic and not (reading.items or reading.notes or defaults):
        reading.note(1, "nothing is set on this topic: values of its brokers count, or defaults")
    if defaults:
        words = "1 value is a default" if defaults == 1 else f"{defaults} values are defaults"
        reading.notes.append(f"{words} of the product: not taken as stated.")
    return reading


def _component(heading: re.Match[str]) -> Component | None:
    kind = heading["kind"] or heading["all"]
    return Component(kind) if kind else None


def _take_line(
    reading: Reading, component: Component, match: re.Match[str], line: int, broker: str
) -> bool:
    """Takes the setting of a line, for `broker` if it is not empty. Returns False for a default of
    the product."""
    source = match["source"] or ""
    if source == DEFAULT:
        return False
    name, value = match["name"], match["value"]
    if default := _CLUSTER_UNCLEAN.search(match.string):
        reading.add_setting(Component.BROKER, default[1], default[2], line)
    if default := _CLUSTER_MIN_ISR.search(match.string):
        reading.add_setting(*internal_topics.OFFSETS_MINIMUM, default[1], line, MIN_ISR)
    if component is Component.TOPIC and source:
        component = level(name, source)
    inherited = ""
    if component is Component.BROKER and name in SHARED_NAMES and source == DYNAMIC_DEFAULT:
        component, inherited = Component.TOPIC, name
    if match["hidden"] == "true":
        reading.note(line, f"{shown(name)} is a credential: dropped, not read")
        return True
    if value not in ("", "null"):
        reading.add_setting(component, name, value, line, inherited, broker)
    return True


def _pairs(match: re.Match[str], items: Iterable[Item]) -> Iterator[tuple[Item, Item]]:
    """The items of a line that only one running broker sets, each with the item that counts on
    brokers without a value."""
    other = _NEXT_SYNONYM.search(match.string, match.end())
    if match["source"] != DYNAMIC_BROKER or other is None:
        return
    for item in items:
        yield item, replace(item, name=other["name"], text=other["value"], process=_ONE_BROKER)


def _set_other_brokers(
    reading: Reading, one_broker: Iterable[tuple[Item, Item]], brokers: Collection[str]
) -> None:
    """Sets the values of brokers that do not set their own, unless all brokers are listed with
    one."""
    one_broker, owners = [*one_broker], dict[str, set[str]]()
    for item, _ in one_broker:
        owners.setdefault(item.name, set()).add(item.process)
    for item, other in one_broker:
        if len(brokers) > 1 and owners[item.name] >= {*brokers}:
            continue
        reading.note(item.line, f"{shown(item.name)} {_ONE_BROKER}")
        reading.add_setting(
            other.component, other.name, other.text, other.line, process=other.process
        )


def _likeness(text: str) -> float:
    return 1.0 if _ANY_HEADING.search(text) else 0.0


READERS = (Reader("configs-describe", "Output of kafka-configs --describe", _likeness, read),)
