"""The interface of a reader, and its result: settings as they were written, each with its line.

A reader knows one kind of file and not the meaning of settings; for that, `check_settings` uses the
catalog.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from advisor.catalog import Component, Family, Problem, Setting, Value, has, lookup
from advisor.intake.application_file import ApplicationFile
from advisor.intake.text import OTHER_CLUSTER, IntakeError, is_secret, shown

MAX_ITEMS = 500
"""More than any configuration has. The search for similar names costs milliseconds per unknown
name."""

NO_PLAIN_VALUE = "is not a plain value here. Write the one that counts"
"""The message for a setting that decides and whose value is known only at run time."""


DEFAULT = 1
"""The rank of a framework's default."""

_NOT_ALPHANUMERIC = re.compile(r"[^A-Za-z0-9]")
_MIN_ISR, _BROKERS_MIN_ISR = "topic.min.insync.replicas", "broker.min.insync.replicas"


@dataclass(frozen=True, slots=True)
class Product:
    """The client and the brokers that the settings are for."""

    family: Family
    version: str
    kafka: str

    def setting(self, component: Component, name: str, *, every: bool = False) -> Setting:
        """Returns the result of the catalog's `lookup` for these versions; raises its errors."""
        return lookup(self.family, self.version, self.kafka, component, name, every=every)

    def has(self, component: Component, name: str) -> bool:
        """Whether these versions have a modelled setting of that name."""
        return has(self.family, self.version, self.kafka, component, name)


@dataclass(frozen=True, slots=True)
class Item:
    """One setting as it is written in the file; `line` counts from 1.

    - `inherited`: the brokers' name of the setting, if it is their default for a topic.
    - `process`: the name of the server or client, in a file of several.
    - `inert`: why the product ignores the setting.
    - `place`: the file and line of a setting of another file.
    - `rank`: the rank of the name, where an application has several names for one setting; 0 where
      it has one. The highest rank takes precedence, whatever the order of the lines.
    """

    component: Component
    name: str
    text: str
    line: int
    inherited: str = ""
    process: str = ""
    inert: str = ""
    place: str = ""
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Profiles:
    """Profiles of an application, some of which are activated when it starts.

    `choices` are sets of profiles that are active together, with the line of the part that requires
    them. The first one applies if no profile is activated; `default` is its name unless a file sets
    another. `read` returns the settings for the given profiles.
    """

    choices: Mapping[tuple[str, ...], int]
    read: Callable[[Sequence[str]], Reading]
    default: str


@dataclass(frozen=True, slots=True)
class Subject:
    """The topics, the cluster and the clients that a file names.

    All names are hashes, which mean nothing to another process: the texts are not stored.

    - `labels`: whether the topics have names of another kind than Kafka's.
    - `brokers`: whether settings of the cluster's brokers are in the file.
    - `clients`: the ids of clients, by component and setting.
    - `places`: the addresses of the voters and of ZooKeeper's servers.
    - `created_clients`: the clients that the file creates.
    - `program`: whether the file is a program.
    - `seen`: whether the file shows the state of a cluster, and creates nothing.
    """

    topics: frozenset[int] = frozenset()
    cluster: int = 0
    brokers: bool = False
    labels: bool = False
    clients: Mapping[tuple[Component, str], int] = field(default_factory=dict)
    places: Mapping[str, frozenset[int]] = field(default_factory=dict)
    created_clients: frozenset[Component] = frozenset()
    program: bool = False
    seen: bool = False

    @classmethod
    def by_name(
        cls, topics: Iterable[str], cluster: str = "", *, brokers: bool = False,
        labels: bool = False, seen: bool = False,
    ) -> Subject:  # fmt: skip
        """Returns the subject with these names of topics and of a cluster."""
        return cls(frozenset(map(hash, topics)), hash(cluster), brokers, labels, seen=seen)

    def mismatch(
        self, other: Subject, settings: Mapping[str, Value], other_settings: Mapping[str, Value]
    ) -> str:
        """Returns why two files with these settings cannot belong to one pipeline, with `{}` for
        the name of the other; empty if they can."""
        clusters = self.cluster and other.cluster and (self.brokers or other.brokers)
        shared = self.places.keys() & other.places.keys()
        elsewhere = any(self.places[name].isdisjoint(other.places[name]) for name in shared)
        if elsewhere or (clusters and self.cluster != other.cluster):
            return f"belongs to another cluster than {{}}: {OTHER_CLUSTER}"
        topics = self.topics and other.topics and self.labels == other.labels
        if (
            topics
            and self.topics.isdisjoint(other.topics)
            and _differ(Component.TOPIC, settings, other_settings)
        ):
            return "belongs to another topic than {}: a pipeline has one topic"
        for component, name in self.clients.keys() & other.clients.keys():
            is_other = self.clients[component, name] != other.clients[component, name]
            if is_other and _differ(component, settings, other_settings):
                whose = f"belongs to another {component} than {{}}"
                return f"{whose}, by its {name}: a pipeline has one"
        return ""

    def other_client(
        self, other: Subject, settings: Mapping[str, Value], other_settings: Mapping[str, Value]
    ) -> Component | None:
        """Returns a client that two files create with different settings, or None. The processing
        of records is part of the consumer."""
        both = (
            self.created_clients & other.created_clients
            if self.program == other.program
            else frozenset()
        )
        if Component.CONSUMER in both and _differ(Component.APPLICATION, settings, other_settings):
            return Component.CONSUMER
        return next(
            (name for name in sorted(both) if _differ(name, settings, other_settings)), None
        )

    def hides(self, settings: Mapping[str, Value], other_settings: Mapping[str, Value]) -> bool:
        """Whether the observed state of a topic shows no min.insync.replicas, and another file sets
        one for it: `kafka-topics --describe` shows every value that is not Kafka's default."""
        return (
            self.seen
            and _MIN_ISR in other_settings
            and not {_MIN_ISR, _BROKERS_MIN_ISR} & settings.keys()
        )

    def is_of_same_topics(self, other: Subject) -> bool:
        """Whether both files name the same topics."""
        return bool(self.topics) and (self.topics, self.labels) == (other.topics, other.labels)


def _differ(component: Component, one: Mapping[str, Value], other: Mapping[str, Value]) -> bool:
    """Whether two files have different settings of a component."""
    texts = (
        {name: value for name, value in settings.items() if name.startswith(f"{component}.")}
        for settings in (one, other)
    )
    return next(texts) != next(texts)


@dataclass(frozen=True, slots=True)
class VariableValue:
    """A variable of a process, or, from a file of variables (`by_file`), possibly of compose. Name
    and value are hashes: the texts are not stored."""

    variable: int
    value: int
    line: int
    by_file: bool = False

    @classmethod
    def by_name(
        cls, variable: str, text: str, line: int, *, by_file: bool = False
    ) -> VariableValue:
        """Returns the value of a variable with this name. The name of a property stands for that of
        the variable that sets it: `kafka.reset` is KAFKA_RESET (Spring Framework,
        SystemEnvironmentPropertySource; SmallRye Config, "Environment Variables")."""
        name = _NOT_ALPHANUMERIC.sub("_", variable).upper()
        return cls(hash(name), hash(text.strip()), line, by_file)


@dataclass(frozen=True, slots=True)
class DefaultedSetting:
    """A setting whose value is the default of a variable, unless the variable is set.

    `default` is the variable with this value, `by_compose` whether compose fills it in, and not the
    process.
    """

    setting: str
    default: VariableValue
    by_compose: bool = False


@dataclass(frozen=True, slots=True)
class StartProfiles:
    """The profiles in which a file starts an application."""

    profiles: tuple[str, ...]
    line: int


@dataclass(slots=True)
class Reading:
    """The content of a file.

    `heads` are answers that are not settings (`family`, `kafka`, `brokers`). `notes` say what was
    ignored and why, `problems` what is wrong; both name the line.
    """

    items: list[Item] = field(default_factory=list)
    heads: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    complete_servers: frozenset[str] = frozenset()
    """Servers (`Item.process`) whose configuration is in this file completely."""

    unordered: Problem | None = None
    """Why records are written in no order: a problem if the user needs ordering."""

    clients: set[tuple[Component, str]] = field(default_factory=set)
    """The clients in the file by component and name (`Item.process`), also those without
    settings."""

    single_client_settings: set[tuple[Component, str]] = field(default_factory=set)
    """Settings of an application that are set for one of its clients only."""

    part_names: set[str] = field(default_factory=set)
    """The parts of the file that the user may choose."""

    problems_unless_chosen: list[Problem] = field(default_factory=list)
    """Problems unless the user chooses a part."""

    read_without: Callable[[Collection[str]], Reading] | None = None
    """Reads the file again without clients of these names, since the defaults of a framework depend
    on the settings of the client."""

    profiles: Profiles | None = None
    """The profiles, if parts of the file apply in some profiles only."""

    subject: Subject = field(default_factory=Subject)
    defaulted_settings: list[DefaultedSetting] = field(default_factory=list)
    variable_values: list[VariableValue] = field(default_factory=list)
    start_profiles: list[StartProfiles] = field(default_factory=list)
    empty_reason: str = ""
    """Why the file sets nothing by itself."""

    compared_items: list[Item] = field(default_factory=list)
    """Items that are not settings and are compared with other files of the application."""

    def add_setting(
        self, component: Component, name: str, text: str, line: int, inherited: str = "",
        process: str = "",
    ) -> None:  # fmt: skip
        """Adds a setting, unless its name shows that it may be a credential.

        Raises `IntakeError` for more than `MAX_ITEMS` settings.
        """
        if len(self.items) + len(self.notes) >= MAX_ITEMS:
            raise IntakeError(f"Line {line}: more than {MAX_ITEMS} settings.")
        if is_secret(name):
            self.note(line, f"{shown(name)} is a credential: dropped, not read")
        else:
            self.items.append(Item(component, name, text, line, inherited, process))

    def lose_disks(self, line: int, stated: str, when: str = "whose pod is deleted") -> None:
        """Adds that a broker restarts with an empty disk; `when` says which broker."""
        self.add_setting(Component.APPLICATION, "disk.lost", "each-restart", line)
        words = f"a broker {when} comes back by itself, on an empty disk"
        self.note(line, f"{stated}: {words} (application.disk.lost)")

    def lose_metadata(self, line: int, stated: str) -> None:
        """Adds that a server with the metadata restarts with an empty disk when its pod is
        deleted."""
        self.add_setting(Component.APPLICATION, "metadata.disk.lost", "each-restart", line)
        words = "it comes back by itself, on an empty disk, when its pod is deleted"
        self.note(line, f"{stated}: {words} (application.metadata.disk.lost)")

    def note(self, line: int, words: str) -> None:
        """Adds a note: something was ignored on purpose."""
        self.notes.append(f"Line {line}: {words}.")

    def add_problem(
        self, component: Component, name: str, line: int, words: str, near: str | None = None
    ) -> None:
        """Adds a problem: something cannot be used. `near` is a similar name."""
        suggestion_text = f" Did you mean {near}?" if near else ""
        problem = Problem(
            component, shown(name), f"Line {line}: {words}.{suggestion_text}", suggestion=near
        )
        self.problems.append(problem)


@dataclass(frozen=True, slots=True)
class Reader:
    """One kind of file.

    `likeness` returns how much a text looks like this kind, from 0 (not at all) to 1 (certain).
    `read` raises `IntakeError`, with the line, for a text of another kind. `read_files` reads
    several files of one application; the last one takes precedence over the first. If `is_yaml`,
    `likeness` gets YAML in block style (`yaml_styles`).
    """

    kind: str
    title: str
    likeness: Callable[[str], float]
    read: Callable[[str], Reading]
    read_files: Callable[[Sequence[ApplicationFile]], Reading] | None = None
    is_yaml: bool = False

    @classmethod
    def of_application(
        cls, kind: str, title: str, likeness: Callable[[str], float],
        read_files: Callable[[Sequence[ApplicationFile]], Reading], *, is_yaml: bool = True,
    ) -> Reader:  # fmt: skip
        """Returns the reader of a kind of which an application may have several files."""

        def read(text: str) -> Reading:
            return read_files([ApplicationFile(text)])

        return cls(kind, title, likeness, read, read_files, is_yaml)
