"""The settings of a live cluster, each with the level at which it was made.

Only weighed settings are read. Defaults of the product are left out, as in a file, because they
are known. `advisor.live` sends the requests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from advisor.catalog import Component, SettingError, Value, kafka_line, lookup, parse, settings_of
from advisor.catalog.facts import examined, facts
from advisor.catalog.versions import at_least
from advisor.intake.cluster.config_sources import (
    DEFAULT,
    IN_FILE,
    MIN_ISR,
    OF_CLUSTER,
    ON_BROKER,
    ON_TOPIC,
    level,
)
from advisor.intake.cluster.disagreements import weaker
from advisor.intake.cluster.mode import KRAFT, ZOOKEEPER, is_asked
from advisor.intake.intake import Intake
from advisor.intake.reading import Product, Reading
from advisor.intake.registry import judge
from advisor.intake.text import shown
from advisor.reasoning.plural import counted

_TOPIC, _BROKER, _APPLICATION = Component.TOPIC, Component.BROKER, Component.APPLICATION
_KEPT_FOR_ALL = "kept by the cluster for all brokers"
_LEVELS: Mapping[str, str] = {
    ON_BROKER: "set on the running broker", OF_CLUSTER: _KEPT_FOR_ALL,
    IN_FILE: "in the broker's file",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """One setting as DescribeConfigs tells it; `source` is Kafka's word for where it was made.

    Of a `secret` one the brokers tell no value, and it has none here.
    """

    name: str
    value: str | None
    source: str
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A consumer group: its members' group.instance.id ("" if none), and where it has committed."""

    name: str
    members: tuple[str, ...]
    partitions: int
    committed: int


@dataclass(frozen=True, slots=True)
class ClusterState:
    """What was asked of one cluster about one topic, and what it said.

    `racks` has every broker, with "" where it names none; `copies` are the replicas of each
    partition. `notes` say what could not be read.
    """

    topic: str
    racks: Mapping[int, str]
    copies: tuple[int, ...]
    on_topic: tuple[Entry, ...] = ()
    on_brokers: Mapping[int, tuple[Entry, ...]] = field(default_factory=dict)
    group: Group | None = None
    notes: tuple[str, ...] = ()


def read_live(seen: ClusterState, product: Product) -> tuple[Intake, Mapping[str, str]]:
    """The settings, judged as those of a file are, and where each was made, by field.

    A value that is in force and that the catalog refuses is a note: the cluster has it. Raises
    `SettingError` for a version that is not known.
    """
    finding = _Found(seen, product)
    finding.collect()
    intake = judge(finding.reading, product)
    notes = [_placed(finding.places, words) for words in intake.notes]
    notes += [
        f"Left out: {_placed(finding.places, problem.message)}" for problem in intake.problems
    ]
    places = {name: finding.places[intake.lines[name] - 1] for name in intake.settings}
    return replace(intake, notes=notes, problems=[]), places


def _placed(places: list[str], message: str) -> str:
    """The place in words, instead of the number that stood for it."""
    head, _, words = message.partition(": ")
    number = head.removeprefix("Line ")
    return f"{places[int(number) - 1]}: {words}" if number.isdecimal() else message


def kafka_of(entries: tuple[Entry, ...]) -> str | None:
    """The line of Kafka whose brokers have exactly these settings; None unless one line has.

    A broker tells every setting it has, so that their names give its release away. Until 3.9
    inter.broker.protocol.version tells lines of the same names apart.
    """
    names = {entry.name for entry in entries}
    by_default = {entry.name: entry.value for entry in entries if entry.source == DEFAULT}
    protocol = "inter.broker.protocol.version"
    fitting = []
    for line in examined("broker"):
        by_name = facts("broker", line)
        public = {name for name, fact in by_name.items() if not fact.internal}
        if public <= names and by_default.keys() <= by_name.keys():
            text = by_default.get(protocol)
            fitting += [line] if text is None or text == by_name[protocol].default else []
    return fitting[0] if len(fitting) == 1 else None


class _Found:
    """What a cluster said, sorted; a setting's line is the number of its place, from 1."""

    def __init__(self, seen: ClusterState, product: Product) -> None:
        self.seen = seen
        self.reading = Reading(notes=list(seen.notes))
        self.places: list[str] = []
        self._made: dict[tuple[Component, str], tuple[str, str]] = {}
        lines = {kafka_of(entries) for entries in seen.on_brokers.values()}
        self._kafka = lines.pop() if len(lines) == 1 else None
        of = (product.family, product.version, self._kafka or kafka_line(product.kafka))
        self._of = of
        self._mode_settings = {KRAFT, ZOOKEEPER} if is_asked(Product(*of)) else set()
        self._weighed = {
            part: {setting.name for setting in settings_of(*of, part)} for part in (_TOPIC, _BROKER)
        }

    def collect(self) -> None:
        """Takes everything."""
        self._cluster()
        self._topic()
        for name in sorted(self._weighed[_BROKER]):
            self._broker(name)
        self._mode()
        self._eligible_replicas()
        self._group()
        for (component, name), (value, place) in self._made.items():
            self.places.append(place)
            self.reading.state(component, name, value, len(self.places))
        self._left_out()

    def _make(self, component: Component, name: str, value: str | None, place: str) -> None:
        if value is not None:
            self._made[component, name] = value, place

    def _note(self, words: str) -> None:
        self.reading.notes.append(f"{words}.")

    def _cluster(self) -> None:
        heads, racks = self.reading.heads, self.seen.racks
        heads["brokers"] = str(len(racks))
        if self._kafka:
            heads["kafka"] = self._kafka
        else:
            words = "Which Kafka the brokers run cannot be told from their settings"
            self._note(f"{words}: answer that question, or the newest that we know is assumed")
        named = set(racks.values())
        if "" not in named:
            self._make(_APPLICATION, "racks", str(len(named)), "broker.rack of every broker")
        elif len(named) > 1:
            self._note("Some brokers name a rack and some do not: racks are not counted")

    def _topic(self) -> None:
        topic, copies = f"topic {shown(self.seen.topic)}", self.seen.copies
        partitions = counted(len(copies), "partition")
        self._make(_TOPIC, "replication.factor", str(min(copies)), f"{topic}, {partitions}")
        if min(copies) < max(copies):
            many = f"from {min(copies)} to {max(copies)} copies"
            self._note(f"The partitions of {topic} have {many}: the fewest count")
        for entry in self.seen.on_topic:
            if entry.source == DEFAULT or entry.secret:
                continue
            part = level(entry.name, entry.source)
            if entry.name in self._weighed[part]:
                made = _LEVELS.get(entry.source, "set elsewhere")
                own = f"set on {topic}" if entry.source == ON_TOPIC else f"{made}, seen on {topic}"
                self._make(part, entry.name, entry.value, own)

    def _broker(self, name: str) -> None:
        entries = {
            broker: entry
            for broker, entries in sorted(self.seen.on_brokers.items())
            for entry in entries
            if entry.name == name and not entry.secret
        }
        made = {broker: entry for broker, entry in entries.items() if entry.source != DEFAULT}
        if not made:
            return
        first = self._weakest(name, entries, next(iter(made)))
        counts = entries[first]
        level_of_it = "its default" if counts.source == DEFAULT else "set elsewhere"
        self._make(_BROKER, name, counts.value, _LEVELS.get(counts.source, level_of_it))
        if len({entry.value for entry in entries.values()}) > 1:
            text = ", ".join(
                f"{entry.value} on broker {broker}" for broker, entry in entries.items()
            )
            self._note(f"{name} differs between brokers ({text}): that of broker {first} counts")
        if (name, counts.source) == (MIN_ISR, OF_CLUSTER):
            kept = f"{name}={counts.value} is {_KEPT_FOR_ALL}"
            self._note(f"{kept} and goes before their files, whatever those say")

    def _weakest(self, name: str, entries: Mapping[int, Entry], first: int) -> int:
        """The broker whose value promises least; the first that made one, where none does for
        certain."""
        values = dict[int, Value]()
        for broker, entry in entries.items():
            try:
                setting = lookup(*self._of, _BROKER, name)
                values[broker] = parse(setting, entry.value or "")
            except SettingError:  # one that cannot be read is told where it is judged
                continue
        for broker, value in values.items():
            now = values.get(first)
            if now is not None and weaker(name, now, value) == value != now:
                first = broker
        return first

    def _mode(self) -> None:
        """What a broker's file says about its metadata mode; `weigh` interprets it."""
        for entry in (e for entries in self.seen.on_brokers.values() for e in entries):
            if entry.name in self._mode_settings and entry.value and entry.source != DEFAULT:
                self._make(_BROKER, entry.name, entry.value, f"{entry.name} {_LEVELS[IN_FILE]}")

    def _eligible_replicas(self) -> None:
        """From 4.1 on, a cluster with them keeps a minimum for all its brokers (KIP-966)."""
        if not self._kafka or not at_least(self._kafka, "4.1"):
            return
        entries = (entry for entries in self.seen.on_brokers.values() for entry in entries)
        if not any((entry.name, entry.source) == (MIN_ISR, OF_CLUSTER) for entry in entries):
            place = f"no {MIN_ISR} is {_KEPT_FOR_ALL}, as it is where this is on"
            self._make(_APPLICATION, "eligible.leader.replicas.version", "0", place)

    def _group(self) -> None:
        group = self.seen.group
        if group is None:
            return
        name = f"group {shown(group.name)}"
        static = set(group.members)
        if static and "" not in static:
            first = min(static)
            self._make(Component.CONSUMER, "group.instance.id", first, f"a member of {name}")
        members = counted(len(group.members), "member")
        committed = f"offsets committed on {group.committed} of {group.partitions} partitions"
        more = "; on the others auto.offset.reset decides"
        open_ = more if group.committed < group.partitions else ""
        self._note(f"{name.capitalize()}: {members}, {committed}{open_}")

    def _left_out(self) -> None:
        entries = [*self.seen.on_topic, *(e for row in self.seen.on_brokers.values() for e in row)]
        made = [entry for entry in entries if entry.source != DEFAULT]
        secret = {entry.name for entry in made if entry.secret}
        taken = self._mode_settings.union(*self._weighed.values())
        others = {entry.name for entry in made} - secret - taken
        if others:
            self._note(
                f"{len(others)} other settings that somebody made are not taken into account"
            )
        if secret:
            self._note(f"{len(secret)} may be credentials: the brokers keep their values back")
        self._note("How producers and consumers are set, a cluster does not know: answer for them")
