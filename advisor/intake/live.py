"""The settings of a live cluster, each with the level at which it was set.

Only settings that the catalog models are read. Defaults of the product are omitted, as in a file.
`advisor.live` sends the requests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from advisor.catalog import Component, SettingError, Value, kafka_line, lookup, parse, settings_of
from advisor.catalog.facts import examined, facts
from advisor.catalog.versions import at_least
from advisor.intake.cluster.config_sources import (
    DEFAULT,
    DYNAMIC_BROKER,
    DYNAMIC_DEFAULT,
    DYNAMIC_TOPIC,
    MIN_ISR,
    STATIC_BROKER,
    level,
)
from advisor.intake.cluster.disagreements import weaker
from advisor.intake.cluster.mode import KRAFT, ZOOKEEPER, has_modes
from advisor.intake.intake import Intake
from advisor.intake.reading import Product, Reading
from advisor.intake.registry import judge
from advisor.intake.text import shown
from advisor.reasoning.plural import counted

_TOPIC, _BROKER, _APPLICATION = Component.TOPIC, Component.BROKER, Component.APPLICATION
_CLUSTER_WIDE = "stored by the cluster for all brokers"
_LEVEL_WORDS: Mapping[str, str] = {
    DYNAMIC_BROKER: "set on the running broker", DYNAMIC_DEFAULT: _CLUSTER_WIDE,
    STATIC_BROKER: "in the broker's file",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """One setting in the response to DescribeConfigs; `source` is Kafka's config source.

    The brokers return no value for a `secret`.
    """

    name: str
    value: str | None
    source: str
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A consumer group: the group.instance.id of each member ("" without one), the number of
    partitions, and of those with a committed offset."""

    name: str
    members: tuple[str, ...]
    partitions: int
    committed: int


@dataclass(frozen=True, slots=True)
class ClusterState:
    """The answers of one cluster about one topic.

    `racks` has the rack of every broker ("" without one), `copies` the number of replicas of each
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
    """Returns the settings, judged like those of a file, and the place of each, by field.

    A value that is in force and that the catalog refuses is a note, since the cluster has it.
    Raises `SettingError` for an unknown version.
    """
    live = _LiveSettings(seen, product)
    live.collect()
    intake = judge(live.reading, product)
    notes = [_with_place(live.places, words) for words in intake.notes]
    notes += [
        f"Left out: {_with_place(live.places, problem.message)}" for problem in intake.problems
    ]
    places = {name: live.places[intake.lines[name] - 1] for name in intake.settings}
    return replace(intake, notes=notes, problems=[]), places


def _with_place(places: list[str], message: str) -> str:
    """Returns the message with the place in words instead of its number."""
    head, _, words = message.partition(": ")
    number = head.removeprefix("Line ")
    return f"{places[int(number) - 1]}: {words}" if number.isdecimal() else message


def detect_kafka(entries: tuple[Entry, ...]) -> str | None:
    """Returns the release line of Kafka whose brokers have exactly these settings; None unless
    there is exactly one.

    A broker returns every setting that it has, so that their names identify its release. Until 3.9,
    inter.broker.protocol.version distinguishes lines with the same names.
    """
    names = {entry.name for entry in entries}
    by_default = {entry.name: entry.value for entry in entries if entry.source == DEFAULT}
    protocol = "inter.broker.protocol.version"
    candidates = []
    for line in examined("broker"):
        by_name = facts("broker", line)
        public = {name for name, fact in by_name.items() if not fact.internal}
        if public <= names and by_default.keys() <= by_name.keys():
            text = by_default.get(protocol)
            candidates += [line] if text is None or text == by_name[protocol].default else []
    return candidates[0] if len(candidates) == 1 else None


class _LiveSettings:
    """Collects the answers of a cluster; the line of a setting is the number of its place, from
    1."""

    def __init__(self, seen: ClusterState, product: Product) -> None:
        self.seen = seen
        self.reading = Reading(notes=list(seen.notes))
        self.places: list[str] = []
        self._settings: dict[tuple[Component, str], tuple[str, str]] = {}
        lines = {detect_kafka(entries) for entries in seen.on_brokers.values()}
        self._kafka = lines.pop() if len(lines) == 1 else None
        versions = (product.family, product.version, self._kafka or kafka_line(product.kafka))
        self._versions = versions
        self._mode_settings = {KRAFT, ZOOKEEPER} if has_modes(Product(*versions)) else set()
        self._modelled = {
            part: {setting.name for setting in settings_of(*versions, part)}
            for part in (_TOPIC, _BROKER)
        }

    def collect(self) -> None:
        """Collects all settings and notes."""
        self._cluster()
        self._topic()
        for name in sorted(self._modelled[_BROKER]):
            self._broker(name)
        self._mode()
        self._eligible_replicas()
        self._group()
        for (component, name), (value, place) in self._settings.items():
            self.places.append(place)
            self.reading.add_setting(component, name, value, len(self.places))
        self._add_summary()

    def _set(self, component: Component, name: str, value: str | None, place: str) -> None:
        if value is not None:
            self._settings[component, name] = value, place

    def _note(self, words: str) -> None:
        self.reading.notes.append(f"{words}.")

    def _cluster(self) -> None:
        heads, racks = self.reading.heads, self.seen.racks
        heads["brokers"] = str(len(racks))
        if self._kafka:
            heads["kafka"] = self._kafka
        else:
            words = "The version of the brokers does not follow from their settings"
            self._note(f"{words}: answer that question, or the newest known version is assumed")
        rack_names = set(racks.values())
        if "" not in rack_names:
            self._set(_APPLICATION, "racks", str(len(rack_names)), "broker.rack of every broker")
        elif len(rack_names) > 1:
            self._note("Some brokers name a rack and some do not: racks are not counted")

    def _topic(self) -> None:
        topic, copies = f"topic {shown(self.seen.topic)}", self.seen.copies
        partitions = counted(len(copies), "partition")
        self._set(_TOPIC, "replication.factor", str(min(copies)), f"{topic}, {partitions}")
        if min(copies) < max(copies):
            range_words = f"from {min(copies)} to {max(copies)} copies"
            self._note(f"The partitions of {topic} have {range_words}: the fewest count")
        for entry in self.seen.on_topic:
            if entry.source == DEFAULT or entry.secret:
                continue
            component = level(entry.name, entry.source)
            if entry.name in self._modelled[component]:
                level_words = _LEVEL_WORDS.get(entry.source, "set elsewhere")
                place = (
                    f"set on {topic}"
                    if entry.source == DYNAMIC_TOPIC
                    else f"{level_words}, seen on {topic}"
                )
                self._set(component, entry.name, entry.value, place)

    def _broker(self, name: str) -> None:
        entries = {
            broker: entry
            for broker, entries in sorted(self.seen.on_brokers.items())
            for entry in entries
            if entry.name == name and not entry.secret
        }
        set_entries = {
            broker: entry for broker, entry in entries.items() if entry.source != DEFAULT
        }
        if not set_entries:
            return
        weakest = self._weakest(name, entries, next(iter(set_entries)))
        weakest_entry = entries[weakest]
        fallback = "its default" if weakest_entry.source == DEFAULT else "set elsewhere"
        self._set(
            _BROKER, name, weakest_entry.value, _LEVEL_WORDS.get(weakest_entry.source, fallback)
        )
        if len({entry.value for entry in entries.values()}) > 1:
            text = ", ".join(
                f"{entry.value} on broker {broker}" for broker, entry in entries.items()
            )
            self._note(
                f"{name} differs between brokers ({text}): the value of broker {weakest} counts"
            )
        if (name, weakest_entry.source) == (MIN_ISR, DYNAMIC_DEFAULT):
            setting_words = f"{name}={weakest_entry.value} is {_CLUSTER_WIDE}"
            self._note(f"{setting_words} and takes precedence over their files")

    def _weakest(self, name: str, entries: Mapping[int, Entry], first: int) -> int:
        """Returns the broker with the weakest value; `first` if no value is certainly weaker."""
        values = dict[int, Value]()
        for broker, entry in entries.items():
            try:
                setting = lookup(*self._versions, _BROKER, name)
                values[broker] = parse(setting, entry.value or "")
            except SettingError:  # an invalid value is reported where it is judged
                continue
        for broker, value in values.items():
            now = values.get(first)
            if now is not None and weaker(name, now, value) == value != now:
                first = broker
        return first

    def _mode(self) -> None:
        """Adds the settings of the metadata mode in the brokers' files, which `check_settings`
        interprets."""
        for entry in (e for entries in self.seen.on_brokers.values() for e in entries):
            if entry.name in self._mode_settings and entry.value and entry.source != DEFAULT:
                self._set(
                    _BROKER, entry.name, entry.value, f"{entry.name} {_LEVEL_WORDS[STATIC_BROKER]}"
                )

    def _eligible_replicas(self) -> None:
        """Adds that eligible leader replicas are off: from 4.1 on, a cluster with them stores a
        min.insync.replicas for all its brokers (KIP-966)."""
        if not self._kafka or not at_least(self._kafka, "4.1"):
            return
        entries = (entry for entries in self.seen.on_brokers.values() for entry in entries)
        if not any((entry.name, entry.source) == (MIN_ISR, DYNAMIC_DEFAULT) for entry in entries):
            place = f"no {MIN_ISR} is {_CLUSTER_WIDE}, as it is where this is on"
            self._set(_APPLICATION, "eligible.leader.replicas.version", "0", place)

    def _group(self) -> None:
        group = self.seen.group
        if group is None:
            return
        name = f"group {shown(group.name)}"
        static = set(group.members)
        if static and "" not in static:
            first = min(static)
            self._set(Component.CONSUMER, "group.instance.id", first, f"a member of {name}")
        members = counted(len(group.members), "member")
        committed = f"offsets committed on {group.committed} of {group.partitions} partitions"
        uncommitted = "; on the others auto.offset.reset decides"
        reset_words = uncommitted if group.committed < group.partitions else ""
        self._note(f"{name.capitalize()}: {members}, {committed}{reset_words}")

    def _add_summary(self) -> None:
        entries = [*self.seen.on_topic, *(e for row in self.seen.on_brokers.values() for e in row)]
        set_entries = [entry for entry in entries if entry.source != DEFAULT]
        secret_names = {entry.name for entry in set_entries if entry.secret}
        read_names = self._mode_settings.union(*self._modelled.values())
        other_names = {entry.name for entry in set_entries} - secret_names - read_names
        if other_names:
            self._note(f"{len(other_names)} other settings that are set are not taken into account")
        if secret_names:
            self._note(
                f"{len(secret_names)} may be credentials: the brokers do not return their values"
            )
        self._note(
            "A cluster does not know the settings of producers and consumers: answer for them"
        )
