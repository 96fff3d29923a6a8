"""Files and options of a command, or of a form, as the flat fields of a pipeline."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

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
from advisor.catalog.texts import is_free_field, kept_of_field
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
from advisor.intake.application_file import ApplicationFile, applications
from advisor.intake.cluster.disagreements import FOLDERS, weaker
from advisor.intake.cluster.identity import Server
from advisor.intake.env_files import settled, unanswered
from advisor.intake.file_groups import Group, in_order
from advisor.intake.file_text import FileProblem
from advisor.intake.framework_variables import Bound, bound
from advisor.intake.given_values import filled_in
from advisor.intake.options import against_program, twice, weigh_options
from advisor.intake.origins import Joined, Origin, line_of_key, placed
from advisor.intake.reading import DEFAULT, Item, Subject
from advisor.intake.registry import Parsed
from advisor.intake.startup import Starts, beneath_notes, without_bootstrap
from advisor.intake.text import with_line_feeds
from advisor.intake.variables import Variables
from advisor.reasoning.fields import field_of

_HEADS = {"family", "version", "kafka"}
"""What decides which settings there are."""
_OF_SERVERS = {Component.TOPIC, Component.BROKER}
_OF_ONE = {*Component} - _OF_SERVERS
_CLIENTS = {Component.PRODUCER, Component.CONSUMER, Component.STREAMS}
_SHOWS = "was seen, does not show it: the topic is not as that file has it. Leave one out"
_TWIN = "its id is that of {}, which has other advertised.listeners: a cluster has each id once."
_LAID_OVER = (
    "a pipeline has one. Leave one out, or, where it is laid over the other, give that one on the "
    "command line with --{}"
)


@dataclass(slots=True)
class Inputs:
    """What was stated, where each field stands, what was left out, and what is wrong.

    `items` is what files state: a product may refuse what two of them say together. `only` names
    the clients that are asked for, `chosen` those that a file had, `program` whether one is code,
    `idle` why the files of applications say nothing by themselves.
    """

    fields: dict[str, str] = field(default_factory=dict)
    origins: dict[str, Origin] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    inherited: set[str] = field(default_factory=set)
    marks: dict[str, int] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)
    """By field: the rank of the name that states it (`Item.rank`)."""
    items: list[Item] = field(default_factory=list)
    servers: dict[str, Server] = field(default_factory=dict)
    """Whose settings a file holds, where they are one server's."""
    subject: dict[str, tuple[Subject, dict[str, Value]]] = field(default_factory=dict)
    """Of which topic, cluster and clients a file is, and what it states."""
    stating: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The files that state each field."""
    variables: Variables = field(default_factory=Variables)
    only: tuple[str, ...] = ()
    chosen: set[str] = field(default_factory=set)
    program: bool = False
    precedence: dict[str, int] = field(default_factory=dict)
    """By file: what the one with the higher number states replaces what the other does."""
    next_precedence: int = 2
    starts: Starts = field(default_factory=Starts)
    """What files start an application in, of which others are."""
    idle: list[str] = field(default_factory=list)
    detected_family: str = ""
    """The client of the files, where only its version was stated."""

    def check_chosen(self) -> None:
        """Raises `FileProblem` for a client that was asked for and is in no file."""
        for name in self.only:
            if name not in self.chosen:
                words = "no file has a client or profile of that name or line"
                raise FileProblem(f"--only {name!r}: {words}.")

    def state(self, name: str, text: str, origin: Origin) -> None:
        """Sets a field; what comes later replaces it."""
        self.fields[name] = kept_of_field(name, text)
        self.inherited.discard(name)
        self.origins[name] = origin

    def add_pipeline(self, source: str, text: str) -> None:
        """Adds a whole pipeline file."""
        self.precedence[source] = 0
        file = read_pipeline(text.removeprefix(MARK))
        self._tell(source, file.notes, file.problems)
        lines = {name: line_of_key(text, name) for name in file.fields}
        for name in _HEADS & file.fields.keys():
            self._replace(name, file.fields[name], Origin(source, lines[name]))
        try:
            fields, intake = weigh_options(file.fields, self._product(), lines, self.items)
        except SettingError:  # of a version that is not known, which is told where it is judged
            fields, intake = file.fields, Intake()
        self._tell(source, intake.notes, intake.problems)
        for name, value in fields.items():
            line = lines.get(name) or lines.get(f"streams.{name.partition('.')[2]}", 0)
            self._replace(name, value, Origin(source, line), mark=hash(value))
        self._take(source, intake)

    def add_texts(self, texts: Sequence[tuple[str, str]], kind: str = "") -> None:
        """Adds files of any kind, each with its name; those of one application are read as one.
        Raises `FileProblem`."""
        given = texts = [(name, with_line_feeds(text)) for name, text in texts]
        texts, notes = (texts, []) if kind else filled_in(texts)
        variables = Bound(texts) if kind else bound(texts)
        texts = variables.texts
        self.detected_family = self.detected_family or self._family_of(texts, kind)
        self.next_precedence += 2
        texts, notes = (texts, notes) if kind else settled(*without_bootstrap(texts, notes))
        self.notes += notes
        self.starts = starts = Starts() if kind else Starts.of(texts)
        is_read = kinds.of_application((text for _, text in texts), kind) is not None
        self.notes += [] if self.only else starts.notes(is_read=is_read)
        self.notes += [] if starts.found or kind else beneath_notes(texts, is_read=is_read)
        names = [name for name, _ in texts]
        whole = [variables.files] if variables.files else applications(names)
        together = set[str]()
        for files in whole if len(set(names)) == len(names) else []:
            own = [(name, text) for name, text in texts if name in files]
            if reader := kinds.of_application([text for _, text in own], kind):
                own.sort(key=lambda row: files.index(row[0]))
                self._add_application([*own, *variables.stated], reader)
                together |= {*files}
        others = [(name, text) for name, text in texts if name not in together]
        for group in in_order(others, kind, alone=len(texts) == 1):
            if len(group.files) > 1:
                self._add_joined(group)
            else:
                self.add_text(*group.files[0], group.kind, group.above)
        self.notes = unanswered(self.notes, given)
        started = any(item.component in _CLIENTS for item in self.items)
        self.problems += [] if started or self.problems else self.idle

    def _family_of(self, texts: Iterable[tuple[str, str]], kind: str) -> str:
        """The client that one of the files speaks of, where its version was stated alone."""
        if "version" not in self.fields or "family" in self.fields:
            return ""
        newest = Product(Family.JAVA, versions(Family.JAVA)[0], kafka_versions()[0])
        families = (read(text, newest, kind).heads.get("family", "") for _, text in texts)
        return next(filter(None, families), "")

    def _add_application(self, texts: Sequence[tuple[str, str]], reader: Reader) -> None:
        joined = Joined.of(texts)
        files = [
            ApplicationFile.named(name, text.removeprefix(MARK), before)
            for (name, text), before in zip(texts, joined.starts, strict=True)
        ]
        try:
            product, family = self._product(), self._chosen_family()
            intake = read_application(
                reader, files, product, family, self.items, self.only, self.starts.profiles
            )
        except SettingError as error:
            raise FileProblem(self.located(error.problem)) from error
        self._take_joined(intake, joined)

    def _add_joined(self, group: Group) -> None:
        """Adds files that are read as one text."""
        try:
            intake = self._read("\n".join(text.removeprefix(MARK) for _, text in group.files))
        except SettingError as error:
            raise FileProblem(self.located(error.problem)) from error
        self._take_joined(intake, Joined.of(group.files), group.above)

    def _take_joined(self, intake: Intake, joined: Joined, above: bool = False) -> None:
        names = list(joined.starts.values())
        self.files += names
        self.precedence |= dict.fromkeys(names, self.next_precedence + above)
        self.chosen |= intake.chosen
        self.notes += [joined.placed(note) for note in intake.notes]
        self.problems += [
            joined.placed(problem.message, problem.setting) for problem in intake.problems
        ]
        if not intake.problems:
            self._take(names[0], intake, joined)

    def add_text(self, source: str, text: str, kind: str = "", above: bool = False) -> None:
        """Adds a file of any kind; without `kind` it is detected. It may go before the others of
        its kind (`above`). Raises `FileProblem` for a version that is not known."""
        try:
            intake = self._read(text, kind, self.starts.parsed.pop((source, text, kind), None))
        except SettingError as error:
            raise FileProblem(self.located(error.problem)) from error
        self.files.append(source)
        self.precedence[source] = self.next_precedence + above
        self.chosen |= intake.chosen
        self._tell(source, intake.notes, intake.problems)
        self.idle += [placed(source, problem.message, problem.setting) for problem in intake.idle]
        if not intake.problems:
            self._take(source, intake)

    def _read(self, text: str, kind: str = "", parsed: Parsed | None = None) -> Intake:
        product, family = self._product(), self._chosen_family()
        assumed = "kafka" not in self.fields  # nobody stated the version of the brokers
        return read(
            text, product, kind, family, self.items, self.only, self.starts.profiles,
            assumed=assumed, among=bool(self.items or self.problems), parsed=parsed,
        )  # fmt: skip

    def add_live(self, cluster: str, seen: ClusterState) -> None:
        """Adds what a live cluster said of itself."""
        intake, places = read_live(seen, self._product())
        self._tell(cluster, intake.notes, intake.problems)
        self._take(cluster, intake)
        self.origins |= {name: Origin(f"{cluster}: {place}") for name, place in places.items()}

    def add_options(self, options: Iterable[str]) -> None:
        """Adds options `COMPONENT.KEY=VALUE`; they replace what files state.

        Raises `FileProblem` for one that is not such an option, or for a version that is not known.
        """
        source, given = "--set", [*map(stated, options)]
        last = dict(given)
        self.notes += [f"{source}: {words}" for words in twice(given)]
        try:
            fields, result = weigh_options(last, self._product(), context=self.items)
        except SettingError as error:
            raise FileProblem(self.located(error.problem)) from error
        self._tell(source, result.notes, result.problems)
        self._tell(source, *against_program(last, self.fields, self.origins))
        self._take(source, result)
        for name, text in fields.items():
            self.state(name, text, Origin(source))

    def give_way(self, answers: Mapping[str, str]) -> None:
        """Leaves out what brokers say for every topic where an answer says it of this one."""
        for name in [key for key in self.fields if key in self.inherited and answers.get(key)]:
            self.notes.append(f"{self.origins[name]}: your answer to {name} goes before it.")
            del self.fields[name], self.origins[name]

    def located(self, problem: Problem) -> str:
        """A problem with its file and line, as a compiler says it."""
        name = field_of(problem)
        named = problem.setting in problem.message
        message = problem.message if named else f"{problem.setting}: {problem.message}"
        return f"{self.origins.get(name, name)}: {message}"

    def _take(self, source: str, intake: Intake, joined: Joined | None = None) -> None:
        own = str(hash(intake.server.name)) if intake.server else ""
        for item in intake.items:
            place = str(joined.origin(item.line) if joined else Origin(source, item.line))
            self.items.append(replace(item, line=0, process=item.process or own, place=place))
        if server := intake.server:
            twins = (name for name, other in self.servers.items() if server.has_id_of(other))
            self.problems += [f"{source}: {_TWIN.format(twin)}" for twin in islice(twins, 1)]
            self.servers[source] = server
        self._refuse_others(source, intake)
        self.problems += self.variables.add(intake, source, joined)
        self.program |= intake.program
        if intake.unordered and self.fields.get("need.ordering") in ("on", "true", "yes"):
            self._tell(source, [], [intake.unordered])
        for name, text in intake.heads.items():
            if name not in self.fields:
                self.state(name, text, Origin(source))
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
            self.stating[name].add(origin.source)
        self._default_elsewhere()

    def _refuse_others(self, source: str, intake: Intake) -> None:
        """Reports a file of another topic, cluster or client than a file before it."""
        own = {name: item for name, item in intake.settings.items() if name not in intake.inherited}
        for before, (subject, settings) in self.subject.items():
            if words := intake.subject.mismatch(subject, own, settings):
                self.problems.append(f"{source}: {words.format(before)}.")
                continue
            client = intake.subject.other_client(subject, own, settings)
            if client and self._are_side_by_side(before, source):
                words = f"sets up a {client} with other settings than {before}"
                self.problems.append(f"{source}: {words}: {_LAID_OVER.format(client)}.")
            if intake.subject.hides(own, settings) or subject.hides(settings, own):
                words = f"one of the two states min.insync.replicas, and the other, which {_SHOWS}"
                self.problems.append(f"{source}, {before}: {words}.")
        self.subject[source] = (intake.subject, own)

    def _are_side_by_side(self, one: str, other: str) -> bool:
        """Whether neither of two files goes before the other."""
        first, second = (self.precedence.get(source) for source in (one, other))
        return one != other and first is not None and first == second

    def _default_elsewhere(self) -> None:
        """Lets the product's default count where the whole file of a server that reads a setting
        states nothing weaker."""
        product = self._product()
        for name, stating in self.stating.items():
            part, _, key = name.partition(".")
            whole = {name for name, server in self.servers.items() if server.reads(key, product)}
            silent, own = whole - stating, part == Component.BROKER or name in self.inherited
            if len({self.servers[source].name for source in whole}) < 2 or key == FOLDERS:
                continue
            if not (own and silent and whole & stating):
                continue
            default = product.setting(Component(part), key).default
            now = self._value(name, self.fields[name])
            if default is not None and weaker(key, now, default) == default != now:
                words = f"{name}={self.fields[name]} is not stated by {min(silent)}, whose default "
                self.notes.append(f"{self.origins[name]}: {words}counts: {written(default)}.")
                self.fields[name] = written(default)

    def _replace(
        self, name: str, text: str, origin: Origin, inherited: Collection[str] = (), mark: int = 0,
        rank: int = 0,
    ) -> None:  # fmt: skip
        """Sets a field, and reports a contradiction at the same level.

        Free texts are compared by their marks, and not repeated.
        """
        free, before = is_free_field(name), self.fields.get(name, text)
        if 0 < rank < self.ranks.get(name, 0) or (rank == DEFAULT and name in self.fields):
            words = f"{name} does not count: what goes before it is in {self.origins[name]}"
            self.notes += [f"{origin}: {words}."] if text != before and rank != DEFAULT else []
            return
        now, then = (name, "that") if free else (f"{name}={text}", f"{name}={before}")
        if self._is_weaker_elsewhere(name, before, text, origin):
            words = f"does not count: {then} of {self.origins[name]} is weaker"
            self.notes.append(f"{origin}: {now} {words}.")
            return
        differs = self.marks.get(name, mark) != mark if free else self._differ(name, before, text)
        differs = differs and self.ranks.get(name) != DEFAULT
        if differs and (name in self.inherited) == (name in inherited):
            part, other = name.partition(".")[0], self.origins[name]
            is_topic = part == Component.TOPIC and not self._weaker(name, before, text)
            side_by_side = self._are_side_by_side(other.source, origin.source)
            if side_by_side and (part in _OF_ONE or is_topic) and not (free or name in inherited):
                words = f"{now}, and {then} by {other}: {_LAID_OVER.format(part)}"
                self.problems.append(f"{origin}: {words}.")
            else:
                words = f"{now} replaces {then} of {other}: the two disagree"
                self.notes.append(f"{origin}: {words}.")
        self.state(name, text, origin)
        self.marks[name], self.ranks[name] = mark, rank

    def _is_weaker_elsewhere(self, name: str, before: str, text: str, origin: Origin) -> bool:
        """Whether the file of another server, or one of the same topic, states what promises less:
        of two things that were seen nobody knows which is newer."""
        other = self.origins.get(name)
        sources = [place.source for place in (other, origin) if place]
        servers = {self.servers[source].name for source in sources if source in self.servers}
        seen = [self.subject[source][0] for source in sources if source in self.subject]
        same_topic = len(seen) > 1 and seen[0].is_of_same_topics(seen[1])
        side_by_side = self._are_side_by_side(sources[0], sources[-1])
        of_servers = name.partition(".")[0] in _OF_SERVERS and name not in self.inherited
        both_count = len(servers) > 1 or (of_servers and (same_topic or side_by_side))
        return both_count and self._weaker(name, before, text) == before

    def _weaker(self, name: str, before: str, text: str) -> str | None:
        """The text of two that promises less; None where neither does for certain, or both do."""
        try:
            then, now = (self._value(name, stated) for stated in (before, text))
        except SettingError:  # one that cannot be read is told where it is judged
            return None
        less = weaker(name.partition(".")[2], then, now) if then != now else None
        if less is None:
            return None
        return before if less == then else text

    def _value(self, name: str, text: str) -> Value:
        """What a text means as the value of a field. Raises `SettingError`."""
        part, _, key = name.partition(".")
        return parse(self._product().setting(Component(part), key), text)

    def _differ(self, name: str, one: str, other: str) -> bool:
        """Whether two texts stand for two values: acks=-1 and acks=all do not."""
        part = name.partition(".")[0]
        if one == other or part not in list(Component):
            return one != other
        try:
            return self._value(name, one) != self._value(name, other)
        except SettingError:  # one that cannot be read is told where it is judged
            return True

    def _chosen_family(self) -> str:
        """The client that a person named; one that only a file names does not count."""
        family = self.fields.get("family", "")
        by_file = family in list(Family) and self.origins["family"].source in self.files
        return "" if by_file or family not in list(Family) else family

    def _product(self) -> Product:
        """Which client and brokers the files are for, the client that a file speaks of if nobody
        chose one; an unknown name is reported later."""
        stated = self.fields.get("family") or self.detected_family or Family.JAVA
        family = Family(stated) if stated in list(Family) else Family.JAVA
        version = self.fields.get("version") or versions(family)[0]
        return Product(family, version, self.fields.get("kafka") or kafka_versions()[0])

    def _tell(self, source: str, notes: list[str], problems: list[Problem]) -> None:
        self.notes += [placed(source, note) for note in notes]
        self.problems += [placed(source, problem.message, problem.setting) for problem in problems]


def stated(text: str) -> tuple[str, str]:
    """The field and the value of an option `--set COMPONENT.KEY=VALUE`.

    Raises `FileProblem` for anything else; whether there is such a setting the catalog says.
    """
    name, equals, value = text.partition("=")
    if not equals or "." not in name:
        raise FileProblem(f"--set {text!r}: write COMPONENT.KEY=VALUE, such as producer.acks=1")
    if not value.strip(" "):
        raise FileProblem(f"--set {text!r}: there is no value. Leave it out for the default.")
    return name, value
