"""Combines the files and options of a command, or of a form, to the flat fields of a pipeline."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from advisor.catalog import (
    Component,
    Family,
    Problem,
    SettingError,
    Value,
    kafka_versions,
    parse,
    versions,
    written,
)
from advisor.catalog.texts import is_free_field, kept_field_text
from advisor.intake import (
    MARK,
    ClusterState,
    Intake,
    Product,
    Reader,
    kinds,
    read,
    read_application,
    read_live,
    read_pipeline,
)
from advisor.intake.application_file import ApplicationFile, group_by_application
from advisor.intake.cluster.disagreements import LOG_DIRS, weaker
from advisor.intake.cluster.identity import Server
from advisor.intake.cluster.racks import count_racks
from advisor.intake.cluster.roles import without_answered_hints
from advisor.intake.cluster.topic_defaults import with_policy
from advisor.intake.code_of_applications import idle_words
from advisor.intake.env_files import drop_overridden, unanswered_notes
from advisor.intake.file_groups import Group, ordered_groups
from advisor.intake.file_text import FileProblem
from advisor.intake.framework_variables import BoundVariables, bind_variables
from advisor.intake.options import check_options, conflicts, drop_replaced_facts, parse_option
from advisor.intake.origins import Joined, Origin, line_of_key, locate
from advisor.intake.placeholder_values import fill_placeholders
from advisor.intake.reading import DEFAULT, Item, Subject
from advisor.intake.registry import Parsed
from advisor.intake.startup import Starts, missing_file_notes, without_bootstrap
from advisor.intake.text import with_line_feeds
from advisor.intake.variables import Variables
from advisor.reasoning.fields import field_of

_VERSION_FIELDS = {"family", "version", "kafka"}
"""Fields that determine which settings exist."""
_ON_SERVERS = {Component.TOPIC, Component.BROKER}
_SINGLE = {*Component} - _ON_SERVERS
_HIDDEN_ISR = "describes topics, does not show it: the topic differs from that file. Leave one out"
_SAME_ID = "its id is that of {}, which has other advertised.listeners: a cluster has each id once."
_MERGED = (
    "a pipeline has one. Leave one out, or, where it is laid over the other, give that one on the "
    "command line with --{}"
)


@dataclass(slots=True)
class Inputs:
    """The fields of a pipeline, their origins, and the notes and problems of all files.

    `items` are the settings of all files, since a product may refuse a combination. `only` are
    clients and profiles that the user chose, `chosen_names` those that exist, `program` says that
    a file is code, `idle` why the files of applications set nothing by themselves.
    """

    fields: dict[str, str] = field(default_factory=dict)
    origins: dict[str, Origin] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    inherited: set[str] = field(default_factory=set)
    marks: dict[str, int] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)
    """By field: the rank of the name that sets it (`Item.rank`)."""
    items: list[Item] = field(default_factory=list)
    servers: dict[str, Server] = field(default_factory=dict)
    """By file: the server that its settings belong to, if they belong to one."""
    subject: dict[str, tuple[Subject, dict[str, Value]]] = field(default_factory=dict)
    """By file: its topics, cluster and clients, and its settings."""
    setters: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By field: the files that set it."""
    variables: Variables = field(default_factory=Variables)
    only: tuple[str, ...] = ()
    chosen_names: set[str] = field(default_factory=set)
    program: bool = False
    precedence: dict[str, int] = field(default_factory=dict)
    """By file: a value of the file with the higher number replaces that of the other."""
    next_precedence: int = 2
    starts: Starts = field(default_factory=Starts)
    """The profiles in which files start an application whose files are others."""
    idle: list[str] = field(default_factory=list)
    detected_family: str = ""
    """The client of the files, if the user gave only its version."""

    def check_chosen(self) -> None:
        """Raises `FileProblem` for a client or profile of `only` that is in no file."""
        for name in self.only:
            if name not in self.chosen_names:
                words = "no file has a client or profile of that name or line"
                raise FileProblem(f"--only {name!r}: {words}.")

    def set_field(self, name: str, text: str, origin: Origin) -> None:
        """Sets a field; a later value replaces it."""
        self.fields[name] = kept_field_text(name, text)
        self.inherited.discard(name)
        self.origins[name] = origin

    def add_pipeline(self, source: str, text: str) -> None:
        """Adds a whole pipeline file."""
        self.precedence[source] = 0
        file = read_pipeline(text.removeprefix(MARK))
        self._report(source, file.notes, file.problems)
        lines = {name: line_of_key(text, name) for name in file.fields}
        for name in _VERSION_FIELDS & file.fields.keys():
            self._replace(name, file.fields[name], Origin(source, lines[name]))
        try:
            fields, intake = check_options(file.fields, self._product(), lines, self.items)
        except SettingError:  # an unknown version is reported where it is judged
            fields, intake = file.fields, Intake()
        self._report(source, intake.notes, intake.problems)
        for name, value in fields.items():
            line = lines.get(name) or lines.get(f"streams.{name.partition('.')[2]}", 0)
            self._replace(name, value, Origin(source, line), mark=hash(value))
        self._add_intake(source, intake)

    def add_texts(self, texts: Sequence[tuple[str, str]], kind: str = "") -> None:
        """Adds files of any kind, each with its name; those of one application are read as one.
        Raises `FileProblem` for an unknown version."""
        originals = texts = [(name, with_line_feeds(text)) for name, text in texts]
        texts, notes = (texts, []) if kind else fill_placeholders(texts)
        bound = BoundVariables(texts) if kind else bind_variables(texts)
        texts = bound.texts
        self.detected_family = self.detected_family or self._family_of(texts, kind)
        self.next_precedence += 2
        texts, notes = (texts, notes) if kind else drop_overridden(*without_bootstrap(texts, notes))
        self.notes += notes
        self.starts = starts = Starts() if kind else Starts.from_texts(texts)
        is_read = kinds.application_reader((text for _, text in texts), kind) is not None
        self.notes += [] if self.only else starts.notes(is_read=is_read)
        is_started = bool(starts.start_profiles or kind)
        self.notes += [] if is_started else missing_file_notes(texts, is_read=is_read)
        names = [name for name, _ in texts]
        applications = [bound.files] if bound.properties else group_by_application(names)
        joined = set[str]()
        for files in applications if len(set(names)) == len(names) else []:
            members = bound.application(files, texts)
            if reader := kinds.application_reader([text for _, text in members], kind):
                self._add_application(members, reader)
                joined |= {*files}
        others = [(name, text) for name, text in texts if name not in joined]
        for group in ordered_groups(others, kind, alone=len(texts) == 1):
            if len(group.files) > 1:
                self._add_joined(group)
            else:
                self.add_text(*group.files[0], group.kind, group.precedes)
        notes = unanswered_notes(self.notes, originals)
        self.notes = without_answered_hints(notes, (one.roles for one in self.servers.values()))
        self.problems += [] if self.problems else idle_words(self.idle, self.items)

    def _family_of(self, texts: Iterable[tuple[str, str]], kind: str) -> str:
        """Returns the client that one of the files names, if the user gave only its version."""
        if "version" not in self.fields or "family" in self.fields:
            return ""
        newest = Product(Family.JAVA, versions(Family.JAVA)[0], kafka_versions()[0])
        families = (read(text, newest, kind).heads.get("family", "") for _, text in texts)
        return next(filter(None, families), "")

    def _add_application(self, texts: Sequence[tuple[str, str]], reader: Reader) -> None:
        joined = Joined.from_texts(texts)
        files = [
            ApplicationFile.from_name(name, text.removeprefix(MARK), before)
            for (name, text), before in zip(texts, joined.starts, strict=True)
        ]
        try:
            product, family = self._product(), self._chosen_family()
            intake = read_application(
                reader, files, product, family, self.items, self.only, self.starts.profiles
            )
        except SettingError as error:
            raise FileProblem(self.locate_problem(error.problem)) from error
        self._add_joined_intake(intake, joined)

    def _add_joined(self, group: Group) -> None:
        """Adds files that are read as one text."""
        try:
            intake = self._read("\n".join(text.removeprefix(MARK) for _, text in group.files))
        except SettingError as error:
            raise FileProblem(self.locate_problem(error.problem)) from error
        self._add_joined_intake(intake, Joined.from_texts(group.files), group.precedes)

    def _add_joined_intake(self, intake: Intake, joined: Joined, precedes: bool = False) -> None:
        names = list(joined.starts.values())
        self.files += names
        self.precedence |= dict.fromkeys(names, self.next_precedence + precedes)
        self.chosen_names |= intake.chosen_names
        self.notes += [joined.locate(note) for note in intake.notes]
        self.problems += [
            joined.locate(problem.message, problem.setting) for problem in intake.problems
        ]
        self.idle += [joined.locate(one.message, "container") for one in intake.idle_problems]
        if not intake.problems:
            self._add_intake(names[0], intake, joined)

    def add_text(self, source: str, text: str, kind: str = "", precedes: bool = False) -> None:
        """Adds a file of any kind; without `kind` it is detected. The file may take precedence over
        the others of its kind. Raises `FileProblem` for an unknown version."""
        try:
            intake = self._read(text, kind, self.starts.parsed.pop((source, text, kind), None))
        except SettingError as error:
            raise FileProblem(self.locate_problem(error.problem)) from error
        self.files.append(source)
        self.precedence[source] = self.next_precedence + precedes
        self.chosen_names |= intake.chosen_names
        self._report(source, intake.notes, intake.problems)
        self.idle += [locate(source, row.message, row.setting) for row in intake.idle_problems]
        if not intake.problems:
            self._add_intake(source, intake)

    def _read(self, text: str, kind: str = "", parsed: Parsed | None = None) -> Intake:
        product, family, stated = self._product(), self._chosen_family(), "kafka" in self.fields
        return read(
            text, product, kind, family, self.items, self.only, self.starts.profiles,
            assumed=not stated, among=bool(self.items or self.problems), stated=stated,
            parsed=parsed,
        )  # fmt: skip

    def add_live(self, cluster: str, seen: ClusterState) -> None:
        """Adds the settings of a live cluster."""
        intake, places = read_live(seen, self._product())
        self._report(cluster, intake.notes, intake.problems)
        self._add_intake(cluster, intake)
        self.origins |= {name: Origin(f"{cluster}: {place}") for name, place in places.items()}

    def add_options(self, options: Iterable[str]) -> None:
        """Adds options `COMPONENT.KEY=VALUE`; they replace the values of files.

        Raises `FileProblem` for a malformed option, or for an unknown version.
        """
        source, pairs = "--set", [*map(parse_option, options)]
        try:
            last = with_policy(dict(pairs), self._product())
            fields, result = check_options(last, self._product(), context=self.items)
        except SettingError as error:
            raise FileProblem(self.locate_problem(error.problem)) from error
        self._report(source, result.notes, result.problems)
        self._report(source, *conflicts(pairs, self.fields, self.origins))
        drop_replaced_facts({*fields, *result.settings}, self.fields, self.origins, self.notes)
        self._add_intake(source, result)
        for name, text in fields.items():
            self.set_field(name, text, Origin(source))

    def drop_answered(self, answers: Mapping[str, str]) -> None:
        """Drops the brokers' defaults for topics that an answer sets for this topic."""
        for name in [key for key in self.fields if key in self.inherited and answers.get(key)]:
            self.notes.append(f"{self.origins[name]}: your answer to {name} takes precedence.")
            del self.fields[name], self.origins[name]

    def locate_problem(self, problem: Problem) -> str:
        """Returns the message of a problem with its file and line, as compilers write it."""
        name = field_of(problem)
        is_named = problem.setting in problem.message
        message = problem.message if is_named else f"{problem.setting}: {problem.message}"
        return f"{self.origins.get(name, name)}: {message}"

    def _add_intake(self, source: str, intake: Intake, joined: Joined | None = None) -> None:
        server_id = str(hash(intake.server.name)) if intake.server else ""
        for item in intake.items:
            place = str(joined.origin(item.line) if joined else Origin(source, item.line))
            self.items.append(replace(item, line=0, process=item.process or server_id, place=place))
        if server := intake.server:
            doubles = [name for name, other in self.servers.items() if server.has_id_of(other)]
            self.problems += [f"{source}: {_SAME_ID.format(name)}" for name in doubles[:1]]
            self.servers[source] = server
        self._refuse_others(source, intake)
        self.problems += self.variables.add(intake, source, joined)
        self.program |= intake.program
        if intake.unordered and self.fields.get("need.ordering") in ("on", "true", "yes"):
            self._report(source, [], [intake.unordered])
        for name, text in intake.heads.items():
            if name not in self.fields:
                self.set_field(name, text, Origin(source))
            elif name == "family" and text != self.fields[name]:
                other = f"{self.origins[name]} for {self.fields[name]}"
                words = f"is for {text}, and {other}: a pipeline has one client."
                self.problems.append(f"{source}: {words}")
            elif not f"{self.fields[name]}.".startswith(f"{text}."):
                words = f"{name} is {text} here, and {self.fields[name]} by {self.origins[name]}"
                self.notes.append(f"{source}: {words}, which counts.")
        ranks = {f"{item.component}.{item.name}": item.rank for item in intake.items}
        for name, value in intake.settings.items():
            if name in intake.inherited and name in self.fields and name not in self.inherited:
                continue
            line, mark = intake.lines[name], intake.marks.get(name, 0)
            origin = joined.origin(line) if joined else Origin(source, line)
            rank = ranks.get(name, 0)
            self._replace(name, written(value), origin, intake.inherited, mark, rank)
            if name in intake.inherited:
                self.inherited.add(name)
            self.setters[name].add(origin.source)
        count_racks(self.items, self.servers.values(), self.fields, self.origins)
        self._apply_defaults()

    def _refuse_others(self, source: str, intake: Intake) -> None:
        """Reports a file for another topic, cluster or client than an earlier file."""
        new = {name: item for name, item in intake.settings.items() if name not in intake.inherited}
        for earlier, (subject, settings) in self.subject.items():
            if words := intake.subject.mismatch(subject, new, settings):
                self.problems.append(f"{source}: {words.format(earlier)}.")
                continue
            client = intake.subject.other_client(subject, new, settings)
            if client and self._share_precedence(earlier, source):
                words = f"sets up a {client} with other settings than {earlier}"
                self.problems.append(f"{source}: {words}: {_MERGED.format(client)}.")
            if intake.subject.hides(new, settings) or subject.hides(settings, new):
                words = f"one of the two sets min.insync.replicas; the other, which {_HIDDEN_ISR}"
                self.problems.append(f"{source}, {earlier}: {words}.")
        self.subject[source] = (intake.subject, new)

    def _share_precedence(self, one: str, other: str) -> bool:
        """Whether two files have the same precedence."""
        first, second = (self.precedence.get(source) for source in (one, other))
        return one != other and first is not None and first == second

    def _apply_defaults(self) -> None:
        """Applies the product's default where the file of a server that reads a setting does not
        set it and the default is weaker."""
        product = self._product()
        for name, sources in self.setters.items():
            part, _, key = name.partition(".")
            readers = {name for name, server in self.servers.items() if server.reads(key, product)}
            missing, applies = readers - sources, part == Component.BROKER or name in self.inherited
            if len({self.servers[source].name for source in readers}) < 2 or key == LOG_DIRS:
                continue
            if not (applies and missing and readers & sources):
                continue
            default = product.setting(Component(part), key).default
            current = self._value(name, self.fields[name])
            weakest = None if default is None else weaker(key, current, default)
            if weakest not in (None, current):
                words = f"{name}={self.fields[name]} is not set by {min(missing)}, so its default "
                counts = "counts" if weakest == default else "counts, too"
                self.notes.append(f"{self.origins[name]}: {words}{counts}: {written(weakest)}.")
                self.fields[name] = written(weakest)

    def _replace(
        self, name: str, text: str, origin: Origin, inherited: Collection[str] = (), mark: int = 0,
        rank: int = 0,
    ) -> None:  # fmt: skip
        """Sets a field, and reports a contradiction at the same level. Free texts are compared by
        their hashes, and not repeated."""
        free, before = is_free_field(name), self.fields.get(name, text)
        if 0 < rank < self.ranks.get(name, 0) or (rank == DEFAULT and name in self.fields):
            words = f"{name} does not count: {self.origins[name]} takes precedence"
            self.notes += [f"{origin}: {words}."] if text != before and rank != DEFAULT else []
            return
        new, old = (name, "that") if free else (f"{name}={text}", f"{name}={before}")
        weakest = self._weaker_in_force(name, before, text, origin)
        if weakest == before:
            words = f"does not count: {old} of {self.origins[name]} is weaker"
            self.notes.append(f"{origin}: {new} {words}.")
            return
        differs = self.marks.get(name, mark) != mark if free else self.differ(name, before, text)
        differs = differs and self.ranks.get(name) != DEFAULT
        if differs and (name in self.inherited) == (name in inherited):
            part, other = name.partition(".")[0], self.origins[name]
            weaker_text = self._weaker_text(name, before, text)
            is_topic = part == Component.TOPIC and weaker_text not in (before, text)
            share = self._share_precedence(other.source, origin.source)
            if weakest not in (None, text):
                both = f"{new} and {old} of {other} both count: {weakest}"
                self.notes.append(f"{origin}: {both}.")
                text = str(weakest)
            elif share and (part in _SINGLE or is_topic) and not (free or name in inherited):
                words = f"{new}, and {old} by {other}: {_MERGED.format(part)}"
                self.problems.append(f"{origin}: {words}.")
            else:
                words = f"{new} replaces {old} of {other}: the two disagree"
                self.notes.append(f"{origin}: {words}.")
        self.set_field(name, text, origin)
        self.marks[name], self.ranks[name] = mark, rank

    def _weaker_in_force(self, name: str, before: str, text: str, origin: Origin) -> str | None:
        """Returns the weaker of two texts if they are of files of several servers, or of the same
        topic: of two observed states, it is unknown which is newer. None if only one counts."""
        other = self.origins.get(name)
        sources = [place.source for place in (other, origin) if place]
        servers = {self.servers[source].name for source in sources if source in self.servers}
        seen = [self.subject[source][0] for source in sources if source in self.subject]
        same_topic = len(seen) > 1 and seen[0].is_of_same_topics(seen[1])
        share = self._share_precedence(sources[0], sources[-1])
        of_servers = name.partition(".")[0] in _ON_SERVERS and name not in self.inherited
        both_count = len(servers) > 1 or (of_servers and (same_topic or share))
        weakest = self._weaker_text(name, before, text) if both_count else None
        # Two topics may have different policies, but a topic has one.
        return weakest if len(servers) > 1 or weakest in (before, text) else None

    def _weaker_text(self, name: str, before: str, text: str) -> str | None:
        """Returns the text that promises less than one of two; None if they are equal, or if
        neither is certainly weaker."""
        try:
            old, new = (self._value(name, value) for value in (before, text))
        except SettingError:  # an invalid value is reported where it is judged
            return None
        weakest = weaker(name.partition(".")[2], old, new) if old != new else None
        if weakest in (None, new):
            return None if weakest is None else text
        return before if weakest == old else written(weakest)

    def _value(self, name: str, text: str) -> Value:
        """Returns the value of a field from its text. Raises `SettingError`."""
        part, _, key = name.partition(".")
        return parse(self._product().setting(Component(part), key), text)

    def differ(self, name: str, one: str, other: str) -> bool:
        """Whether two texts mean different values: acks=-1 and acks=all do not."""
        part = name.partition(".")[0]
        if one == other or part not in list(Component):
            return one != other
        try:
            return self._value(name, one) != self._value(name, other)
        except SettingError:  # an invalid value is reported where it is judged
            return True

    def _chosen_family(self) -> str:
        """Returns the client that the user chose; empty for one that only a file names."""
        family = self.fields.get("family", "")
        by_file = family in list(Family) and self.origins["family"].source in self.files
        return "" if by_file or family not in list(Family) else family

    def _product(self) -> Product:
        """Returns the client and brokers that the files are for: the client that a file names
        unless the user chose one; an unknown name is reported later."""
        name = self.fields.get("family") or self.detected_family or Family.JAVA
        family = Family(name) if name in list(Family) else Family.JAVA
        version = self.fields.get("version") or versions(family)[0]
        return Product(family, version, self.fields.get("kafka") or kafka_versions()[0])

    def _report(self, source: str, notes: list[str], problems: list[Problem]) -> None:
        self.notes += [locate(source, note) for note in notes]
        self.problems += [locate(source, problem.message, problem.setting) for problem in problems]
