"""What a reader is, and what it gives: settings as they were written, each with its line.

A reader knows one kind of file and nothing of what settings mean; `weigh` asks the catalog.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from advisor.catalog import Component, Family, Problem, Setting, Value, has, lookup
from advisor.intake.application_file import ApplicationFile
from advisor.intake.text import OTHER_CLUSTER, IntakeError, is_secret, shown

MAX_ITEMS = 500
"""More than any configuration states; an unknown name costs milliseconds to find its neighbours."""

NO_PLAIN_VALUE = "is not a plain value here. Write the one that counts"
"""Said of a setting that decides and is known only where a program runs."""


DEFAULT = 1
"""The rank of what a framework says where nothing is stated."""

_NO_LETTER = re.compile(r"[^A-Za-z0-9]")
_LEAST, _OF_BROKERS = "topic.min.insync.replicas", "broker.min.insync.replicas"


@dataclass(frozen=True, slots=True)
class Product:
    """Which client and brokers the settings are for."""

    family: Family
    version: str
    kafka: str

    def setting(self, component: Component, name: str, *, every: bool = False) -> Setting:
        """The catalog's `lookup` for these versions; raises what that does."""
        return lookup(self.family, self.version, self.kafka, component, name, every=every)

    def has(self, component: Component, name: str) -> bool:
        """Whether these versions have a weighed setting of that name."""
        return has(self.family, self.version, self.kafka, component, name)


@dataclass(frozen=True, slots=True)
class Item:
    """One setting as the file states it; `line` counts from 1.

    `inherited` is what the brokers call it, if it only counts for a topic that does not state it.
    `process` is whose it is, in a file of several. `inert` says why the product passes over it.
    `place` is where another file states it. `rank` is that of the name which states it, where an
    application has several names for one setting: what a higher one states counts, wherever it
    stands; 0 where it has one.
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
    """Profiles of an application, of which somebody chooses some when it starts.

    `choices` are those that are on together, with the line of the part that asks for them; the
    first is what counts where nobody chooses, if no file says so that is `default`. `read` reads
    what counts with some of them.
    """

    choices: Mapping[tuple[str, ...], int]
    read: Callable[[Sequence[str]], Reading]
    default: str


@dataclass(frozen=True, slots=True)
class Subject:
    """Which topics and which cluster a file speaks of, as far as it says so.

    `labels` says that topics have names of another kind than Kafka's. `brokers` is whether
    settings of the cluster's brokers are in the file. `clients` are the ids that clients have, by
    component and setting, `places` where the voters and ZooKeeper's servers are. All names are
    marks, which mean nothing to another process: what a person typed is not kept. `whole` are the
    clients that the file sets up, as a `program` or not; of what was `seen` it sets up nothing.
    """

    topics: frozenset[int] = frozenset()
    cluster: int = 0
    brokers: bool = False
    labels: bool = False
    clients: Mapping[tuple[Component, str], int] = field(default_factory=dict)
    places: Mapping[str, frozenset[int]] = field(default_factory=dict)
    whole: frozenset[Component] = frozenset()
    program: bool = False
    seen: bool = False

    @classmethod
    def named(
        cls, topics: Iterable[str], cluster: str = "", *, brokers: bool = False,
        labels: bool = False, seen: bool = False,
    ) -> Subject:  # fmt: skip
        """Of topics and of a cluster by their names."""
        return cls(frozenset(map(hash, topics)), hash(cluster), brokers, labels, seen=seen)

    def mismatch(
        self, other: Subject, own: Mapping[str, Value], others: Mapping[str, Value]
    ) -> str:
        """Why two files, with what each states, cannot be of one pipeline, with `{}` for the
        other's name; empty if they can."""
        clusters = self.cluster and other.cluster and (self.brokers or other.brokers)
        shared = self.places.keys() & other.places.keys()
        elsewhere = any(self.places[name].isdisjoint(other.places[name]) for name in shared)
        if elsewhere or (clusters and self.cluster != other.cluster):
            return f"is of another cluster than {{}}: {OTHER_CLUSTER}"
        topics = self.topics and other.topics and self.labels == other.labels
        if (
            topics
            and self.topics.isdisjoint(other.topics)
            and _differ(Component.TOPIC, own, others)
        ):
            return "is of another topic than {}: a pipeline has one topic"
        for component, name in self.clients.keys() & other.clients.keys():
            is_other = self.clients[component, name] != other.clients[component, name]
            if is_other and _differ(component, own, others):
                return f"is of another {component} than {{}}, by its {name}: a pipeline has one"
        return ""

    def other_client(
        self, other: Subject, own: Mapping[str, Value], others: Mapping[str, Value]
    ) -> Component | None:
        """A client that two files set up, each with settings of its own; what becomes of records
        is a consumer's, too."""
        both = self.whole & other.whole if self.program == other.program else frozenset()
        if Component.CONSUMER in both and _differ(Component.APPLICATION, own, others):
            return Component.CONSUMER
        return next((name for name in sorted(both) if _differ(name, own, others)), None)

    def hides(self, own: Mapping[str, Value], others: Mapping[str, Value]) -> bool:
        """Whether what was seen of a topic shows no minimum, and another file states one for it:
        `kafka-topics --describe` shows what is not Kafka's default."""
        return self.seen and _LEAST in others and not {_LEAST, _OF_BROKERS} & own.keys()

    def is_of_same_topics(self, other: Subject) -> bool:
        """Whether both name the same topics."""
        return bool(self.topics) and (self.topics, self.labels) == (other.topics, other.labels)


def _differ(component: Component, one: Mapping[str, Value], other: Mapping[str, Value]) -> bool:
    """Whether two files state other settings of a component."""
    texts = (
        {name: value for name, value in own.items() if name.startswith(f"{component}.")}
        for own in (one, other)
    )
    return next(texts) != next(texts)


@dataclass(frozen=True, slots=True)
class Given:
    """A variable that a process has, or, by a file of variables (`by_file`), compose as well. Name
    and value are marks: what a person typed is not kept."""

    variable: int
    value: int
    line: int
    by_file: bool = False

    @classmethod
    def named(cls, variable: str, text: str, line: int, *, by_file: bool = False) -> Given:
        """Of a variable by its name, with its value. A property's name is that of the variable
        which gives it: `kafka.reset` is KAFKA_RESET (Spring Framework,
        SystemEnvironmentPropertySource; SmallRye Config, "Environment Variables")."""
        name = _NO_LETTER.sub("_", variable).upper()
        return cls(hash(name), hash(text.strip()), line, by_file)


@dataclass(frozen=True, slots=True)
class Defaulted:
    """A setting that has the default of a variable, unless that is given another value.

    `default` is the variable with it, `by_compose` whether compose fills it in, and not the
    process.
    """

    setting: str
    default: Given
    by_compose: bool = False


@dataclass(frozen=True, slots=True)
class Started:
    """The profiles that something starts an application in."""

    profiles: tuple[str, ...]
    line: int


@dataclass(slots=True)
class Reading:
    """What a file states.

    `heads` are answers that are not settings (`family`, `kafka`, `brokers`). `notes` say what was
    left out and why, `problems` what is wrong; both name the line.
    """

    items: list[Item] = field(default_factory=list)
    heads: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    whole: frozenset[str] = frozenset()
    """Servers (`Item.process`) of which the file states all that is stated of them."""

    unordered: Problem | None = None
    """Why nothing that is written has an order: a problem where order is asked for."""

    clients: set[tuple[Component, str]] = field(default_factory=set)
    """Clients (`Item.process`) that are there, also those of which nothing is stated."""

    own: set[tuple[Component, str]] = field(default_factory=set)
    """Settings of a client inside an application that are stated for it alone."""

    parts: set[str] = field(default_factory=set)
    """Parts of the file that may be asked for by themselves."""

    unless_alone: list[Problem] = field(default_factory=list)
    """What is wrong unless somebody asks for a part by itself."""

    without: Callable[[Collection[str]], Reading] | None = None
    """Reads the file again without clients of these names, as what a framework says for a client
    depends on what is stated of that one."""

    profiles: Profiles | None = None
    """Where parts of the file count in some profiles alone."""

    subject: Subject = field(default_factory=Subject)
    defaulted: list[Defaulted] = field(default_factory=list)
    given: list[Given] = field(default_factory=list)
    started: list[Started] = field(default_factory=list)
    empty: str = ""
    """Why a file of variables says nothing by itself."""

    compared: list[Item] = field(default_factory=list)
    """What is no setting, and is held against other files of the application."""

    def state(
        self, component: Component, name: str, text: str, line: int, inherited: str = "",
        process: str = "",
    ) -> None:  # fmt: skip
        """Takes a setting, unless its name says that it may be a credential.

        Raises `IntakeError` for more of them than any file has.
        """
        if len(self.items) + len(self.notes) >= MAX_ITEMS:
            raise IntakeError(f"Line {line}: more than {MAX_ITEMS} settings.")
        if is_secret(name):
            self.note(line, f"{shown(name)} is a credential: dropped, not read")
        else:
            self.items.append(Item(component, name, text, line, inherited, process))

    def lose_disks(self, line: int, stated: str, when: str = "whose pod is deleted") -> None:
        """States that a broker whose pod is deleted, or `when` else, is back on an empty disk."""
        self.state(Component.APPLICATION, "disk.lost", "each-restart", line)
        words = f"a broker {when} comes back by itself, on an empty disk"
        self.note(line, f"{stated}: {words} (application.disk.lost)")

    def lose_metadata(self, line: int, stated: str) -> None:
        """States that who keeps the metadata is back on an empty disk when its pod is deleted."""
        self.state(Component.APPLICATION, "metadata.disk.lost", "each-restart", line)
        words = "it comes back by itself, on an empty disk, when its pod is deleted"
        self.note(line, f"{stated}: {words} (application.metadata.disk.lost)")

    def note(self, line: int, words: str) -> None:
        """Something that was left out on purpose."""
        self.notes.append(f"Line {line}: {words}.")

    def wrong(
        self, component: Component, name: str, line: int, words: str, near: str | None = None
    ) -> None:
        """Something that cannot be taken."""
        more = f" Did you mean {near}?" if near else ""
        problem = Problem(component, shown(name), f"Line {line}: {words}.{more}", suggestion=near)
        self.problems.append(problem)


@dataclass(frozen=True, slots=True)
class Reader:
    """One kind of file.

    `likeness` says how much a text looks like it: 0 not at all, 1 beyond doubt. `read` raises
    `IntakeError`, with the line, for a text that is not of this kind. `read_files` reads several
    files of one application, the last of which goes before the first. `is_yaml` says that its
    likeness is asked of YAML in blocks (`yaml_styles`).
    """

    kind: str
    title: str
    likeness: Callable[[str], float]
    read: Callable[[str], Reading]
    read_files: Callable[[Sequence[ApplicationFile]], Reading] | None = None
    is_yaml: bool = False
