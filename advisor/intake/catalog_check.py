"""What was read, judged by the catalog: what is weighed, what is not, what is wrong."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

from advisor.catalog import (
    Component,
    Family,
    Kind,
    Problem,
    SettingError,
    UnknownSetting,
    Value,
    forgotten_segments,
    is_format,
    is_own_assignor,
    not_advised,
    of_share_group,
    old_format,
    old_protocol,
    parse,
    refused_assignor,
    refused_by_servers,
    refused_combination,
    refused_tiering,
    settings_of,
    unworkable,
    versions,
)
from advisor.catalog.nearest import nearest
from advisor.catalog.texts import is_free, trimmed
from advisor.intake.clients.known_settings import (
    OF_AUTHORIZERS,
    OF_SERIALIZERS,
    SLIP,
    known_keys,
    other_client,
    owner,
    versions_with,
)
from advisor.intake.clients.librdkafka_bindings import of_bindings
from advisor.intake.clients.placeholders import FILLED_IN, to_fill_in
from advisor.intake.clients.setting_notes import PLUGINS, hint, remark
from advisor.intake.clients.several_clients import disagreeing, ids_of, set_up_by, with_own_lines
from advisor.intake.clients.streams_properties import overruling
from advisor.intake.cluster.disagreements import FOLDERS, weaker
from advisor.intake.cluster.folders_in_memory import (
    TEMPORARY_WORDS,
    as_log_dirs,
    in_memory,
    metadata_in_temporary,
)
from advisor.intake.cluster.identity import mistaken, of_other_clusters, places_of, server_of
from advisor.intake.cluster.mode import KRAFT, early_access, is_asked, with_mode, without_roles
from advisor.intake.cluster.quorum import ONE_SERVER, lone_servers, with_controllers, with_ensemble
from advisor.intake.cluster.roles import readers, roles_of, unread
from advisor.intake.cluster.tiered_storage import with_remote_metadata
from advisor.intake.cluster.topic_defaults import as_stated, never, with_inherited
from advisor.intake.intake import Intake
from advisor.intake.reading import Item, Product, Reading
from advisor.intake.scopes import stated_together
from advisor.intake.spark import query as spark_query
from advisor.intake.text import shown

_CLIENTS = (Component.PRODUCER, Component.CONSUMER)
_OF_ONE = (*_CLIENTS, Component.APPLICATION)
"""What a pipeline has one of: several that differ are refused."""
_OF_SERVERS = (Component.BROKER, Component.TOPIC)
_VERSION = re.compile(r"[0-9.]{1,20}(?:-IV[0-9]{1,3})?")
_REPLICAS = re.compile(r"[0-9:,* ]{1,250}")
_OF_APPLICATION = re.compile(r"(?:[\w-]{1,60}\.){0,5}(producer|consumer)\.([\w.]{2,80})", re.ASCII)
"""A client's setting with what an application of its own puts before it."""
_OPEN_ENDED = ("listener.name.", *PLUGINS, *OF_AUTHORIZERS)
_OF_CONFLUENT_SERVER = "confluent."


def is_open_ended(component: Component, name: str) -> bool:
    """Whether a key is real by its beginning, of which no list can hold all."""
    of_server = component in _OF_SERVERS and name.startswith(_OF_CONFLUENT_SERVER)
    return of_server or name.startswith(_OPEN_ENDED)


def weigh(reading: Reading, product: Product, context: Iterable[Item] = ()) -> Intake:
    """Sorts what was read into settings, notes and problems.

    `context` are items that are judged elsewhere; a client reads them, too.

    A real setting that the catalog does not weigh is a note; a name near a real one is a problem
    that says which. What comes twice counts with its last value. Raises `SettingError` for a
    version that is not known.
    """
    settings_of(product.family, product.version, product.kafka, Component.TOPIC)
    reading.items = [*of_bindings(reading.items, product.family)]
    if product.family is Family.SPARK:
        spark_query.resolve_options(reading)
    notes, problems = list(dict.fromkeys(reading.notes)), list(reading.problems)
    intake = Intake(heads=dict(reading.heads), notes=notes, problems=problems)
    intake.items = [_kept(item) for item in reading.items if _may_be_kept(item, product)]
    intake.server, intake.unordered = server_of(reading.items), reading.unordered
    own = with_own_lines((item.component, item.line) for item in reading.items)
    intake.subject = replace(
        reading.subject, clients=ids_of(reading.items, own), places=places_of(reading.items),
        whole=set_up_by(reading, own),
    )  # fmt: skip
    scale = _Scale(product, intake)
    elsewhere = dict(unread(reading.items, product))
    items = [item for item in reading.items if item not in elsewhere]
    lost = list(in_memory(items))
    of_servers = as_log_dirs(with_controllers([*items, *(fact for _, fact, _ in lost)], product))
    of_servers = with_remote_metadata(of_servers, product)
    of_servers = with_mode(with_ensemble(of_servers, product), product)
    counted = with_inherited(of_servers, product)
    for item in _in_order(counted):
        scale.take(item)
    for item, _, words in lost:
        scale.note(item, words)
    for item, words in chain(
        disagreeing(reading.items, product, sorted(reading.clients)),
        overruling(reading.items, product),
    ):
        scale.refuse_client(item, words)
    scale.default_elsewhere(roles_of(reading.items, reading.whole))
    for item, words in elsewhere.items():
        scale.refuse_value(item)
        scale.note(item, words)
    scale.judge_servers(reading.items)
    scale.judge_together([*context, *reading.items])
    return scale.intake


def _in_order(items: Iterable[Item]) -> list[Item]:
    """The items, the one that counts last: of Kafka Streams a new name (StreamsConfig,
    deserializationExceptionHandler; KIP-1056), of others that of the higher rank."""

    def place(item: Item) -> tuple[bool, int]:
        is_of_streams = item.component is Component.STREAMS
        return not (is_of_streams and item.name.startswith("default.")), item.rank

    return sorted(items, key=place)


@dataclass(slots=True)
class _Scale:
    product: Product
    intake: Intake
    processes: dict[str, list[str]] = field(default_factory=dict)
    """Who states each field, where a file holds the settings of several brokers."""

    filled_in: list[Item] = field(default_factory=list)
    """Placeholders for values that decide: something fills the file in before it is read."""

    def _refuse_filled_in(self) -> None:
        """Adds the settings that decide and are filled in elsewhere, all in one problem."""
        if self.filled_in:
            names = list(dict.fromkeys(item.inherited or item.name for item in self.filled_in))
            first = self.filled_in[0]
            self._problem(first, Problem(first.component, names[0], to_fill_in(names)))

    def take(self, item: Item) -> None:
        """Sorts one setting into settings, notes or problems."""
        if item.inert:
            self.note(item, item.inert)
            return
        if of_share_group(self.product.family, item.component, item.name):
            return  # refused with all that makes another client
        try:
            setting = self.product.setting(item.component, item.name)
        except UnknownSetting as error:
            self._unknown(item, error.problem)
            return
        except SettingError as error:
            self._problem(item, error.problem)
            return
        name, lines = f"{item.component}.{setting.name}", self.intake.lines
        try:
            value = parse(setting, item.text)
        except SettingError as error:
            if FILLED_IN.search(item.text):
                self.filled_in.append(item)
            else:
                self._problem(item, as_stated(item, self._of_its_time(item, error.problem)))
            return
        if item.inherited and item.process in self.processes.get(name, ()):
            self._is_stated(item, name, value)
            return
        if self._is_weaker_elsewhere(item, setting.name, name, value):
            return
        if item.inherited and self._is_stated(item, name, value):
            return
        if words := never(item):
            self.refuse_item(replace(item, name=item.inherited), words)
            return
        mark = hash(trimmed(item.text)) if is_free(setting.name) else 0
        now = (value, mark)
        if name in lines and (self.intake.settings[name], self.intake.marks[name]) != now:
            self.note(item, f"replaces line {lines[name]}")
        lines[name], self.intake.settings[name], self.intake.marks[name] = item.line, *now

    def judge_servers(self, items: Collection[Item]) -> None:
        """Says what servers do not start with, and where their metadata may be gone."""
        self._refuse_filled_in()
        for item in metadata_in_temporary(items):
            self.note(item, TEMPORARY_WORDS)
        for item in lone_servers(items, self.product):
            self.note(item, ONE_SERVER)
        for item in items if is_asked(self.product) else ():  # where they say the mode
            if item.component is Component.BROKER and item.name == KRAFT:
                self._refuses_text(item)
        for item, words in (
            *without_roles(items, self.product),
            *early_access(items, self.product),
            *mistaken(items, self.product),
        ):
            self.refuse_item(item, words)
        for item, words in of_other_clusters(items):
            self.refuse_client(item, words)

    def judge_together(self, every: Collection[Item]) -> None:
        """Says what is refused of settings that are not weighed, context all others."""
        for component, stated, of_brokers in stated_together(every):
            self.refuse(component, stated, of_brokers)

    def refuse_value(self, item: Item) -> None:
        """Adds a value that no process starts with, though this one does not read it."""
        try:
            parse(self.product.setting(item.component, item.name), item.text)
        except UnknownSetting:
            return
        except SettingError as error:
            self._problem(item, error.problem)

    def refuse_item(self, item: Item, words: str) -> None:
        """Adds what the product says of a setting that it does not start with."""
        self._problem(item, Problem(item.component, item.name, words, product=True))

    def refuse_client(self, item: Item, words: str) -> None:
        """Adds what no pipeline has."""
        self._problem(item, Problem(item.component, item.name, f"{words}."))

    def _is_weaker_elsewhere(self, item: Item, setting: str, name: str, value: Value) -> bool:
        """Whether another broker states what promises less, so that this one does not count."""
        stating = self.processes.setdefault(name, [])
        whose = stating[-1] if stating else item.process
        stating.append(item.process)
        if item.component in _OF_ONE or name not in self.intake.lines or whose == item.process:
            return False
        now = self.intake.settings[name]
        counts = weaker(setting, now, value)
        if counts is None or now == value:
            return False
        line, stated = self.intake.lines[name], replace(item, name=item.inherited or item.name)
        if counts == now:
            self.note(stated, f"does not count: another broker's on line {line} is weaker")
            return True
        self.note(stated, f"counts: it is weaker than another broker's on line {line}")
        self.intake.lines[name], self.intake.settings[name] = item.line, value
        return True

    def default_elsewhere(self, servers: Mapping[str, frozenset[str]]) -> None:
        """Lets the product's default count, where a server of several that reads a setting states
        nothing weaker. `servers` are those of which all is known, with their roles."""
        product, intake = self.product, self.intake
        for name, stating in self.processes.items():
            part, _, setting = name.partition(".")
            read = readers(setting, product)
            whole = {server for server, roles in servers.items() if not roles.isdisjoint(read)}
            if whole <= {*stating} or whole.isdisjoint(stating) or setting == FOLDERS:
                continue
            default = product.setting(Component(part), setting).default
            now = intake.settings[name]
            if default is not None and weaker(setting, now, default) == default != now:
                intake.settings[name] = default
                words = f"{setting} is not stated by each server, so that its default counts"
                intake.notes.append(f"Line {intake.lines[name]}: {words}: {default}.")

    def _is_stated(self, item: Item, name: str, value: Value) -> bool:
        """Whether the topic's own setting is stated, which goes before the brokers'; says so."""
        stated, at = replace(item, name=item.inherited), self.intake.lines.get(name)
        if at is not None:
            if self.intake.settings[name] != value:
                self.note(stated, f"does not count: line {at} goes before it")
            return True
        self.note(stated, f"counts for a topic that does not state {item.name}")
        self.intake.inherited.add(name)
        return False

    def refuse(
        self, component: Component, stated: Mapping[str, Item], of_brokers: Mapping[str, str]
    ) -> None:
        """Adds what the client would not start with, of settings that are not weighed."""
        texts = {name: item.text for name, item in stated.items()}
        product = self.product
        for problem in (
            refused_combination(product.family, product.version, component, texts),
            refused_by_servers(product.kafka, component, texts),
            refused_assignor(texts, of_brokers),
            refused_tiering(component, texts, of_brokers),
        ):
            if problem:
                self._problem(stated[problem.setting], problem)
        known = {
            name: text
            for name, text in texts.items()
            if self._knows(component, name) or is_open_ended(component, name)
        }
        shared = {
            name: texts[name] for name in texts if of_share_group(product.family, component, name)
        }
        for other in chain(
            not_advised(product.family, component, known | shared),
            old_format(product.kafka, component, known, of_brokers),
            old_protocol(product.kafka, component, known, of_brokers),
            forgotten_segments(component, known, of_brokers),
            unworkable(product.family, product.kafka, component, known, of_brokers),
        ):
            if not any(problem.product for problem in self.intake.problems):
                self._problem(stated[other.setting], other)

    def _unknown(self, item: Item, problem: Problem) -> None:
        product, component = self.product, item.component
        names = known_keys(product, component)
        strict = product.family is Family.LIBRDKAFKA and component in _CLIENTS
        if {item.name, problem.setting} & names or is_open_ended(component, item.name):
            if not self._refuses_text(item):
                self.note(item, remark(item) or "is not taken into account")
        elif own := self._as_application_has_it(item):
            self._problem(item, own)
        elif other := other_client(item.name, product, component):
            self.intake.others += 1
            self.note(item, f"is a setting of the {other}: the {component} passes over it")
        elif f"kafka.{item.name}" in names:
            self.note(item, "needs the prefix kafka. to have an effect in Spark")
        elif not strict and (span := versions_with(item.name, product, component)):
            self.intake.others += 1
            self.note(item, f"is a setting of {span} and does nothing in this version")
        elif not strict and component in _CLIENTS and (whose := owner(item.name)):
            self.intake.others += 1
            self.note(item, f"is a setting of {whose}: the {component} passes over it")
        elif near := nearest(item.name, names, SLIP):
            known = item.name if shown(item.name) == item.name else "of this name"
            message = f"There is no {component} setting {known}. Did you mean {near}?"
            self._problem(item, replace(problem, message=message, suggestion=near))
        elif strict:
            message = f'No such configuration property: "{shown(item.name)}"{hint(item, names)}'
            self._problem(item, replace(problem, message=message, product=True, suggestion=None))
        elif whose := owner(item.name):
            self.intake.others += 1
            self.note(item, f"is a setting of {whose}: the {component} passes over it")
        elif OF_SERIALIZERS.match(item.name):
            self.intake.strangers += 1
            self.note(item, "is a serializer's, and is not taken into account")
        else:
            self.intake.strangers += 1
            words = "is not a setting of Kafka that we know; Kafka would pass over it"
            # A line without a value may be a piece of a key (padded by `=`), or of a JAAS text.
            named = item if item.text.strip(" =") else replace(item, name="")
            self.note(named, f"{words}{hint(named, names)}".removesuffix("."))

    def _of_its_time(self, item: Item, problem: Problem) -> Problem:
        """The problem of a value, with the newest version of the client that still has it."""
        product = self.product
        for version in versions(product.family) if item.component not in _OF_SERVERS else ():
            try:
                setting = replace(product, version=version).setting(item.component, item.name)
                parse(setting, item.text)
            except SettingError:
                continue
            words = f"{problem.message} {version} is the last version with this value: say which "
            return replace(problem, message=f"{words}one you have (--client-version {version}).")
        return problem

    def _as_application_has_it(self, item: Item) -> Problem | None:
        """What a client is said to pass over, and its application surely hands on to it."""
        match = _OF_APPLICATION.fullmatch(item.name)
        if item.component not in (*_CLIENTS, Component.TOPIC) or match is None:
            return None
        part, name = Component(match[1]), match[2]
        if not self._knows(part, name):
            return None
        words = f"{shown(item.name)} is {name} of a {part} as an application's own file has it. "
        words += f"State {name} in a file of the {part}, without what is before it."
        return Problem(item.component, item.name, words)

    def _knows(self, component: Component, name: str) -> bool:
        return name in known_keys(self.product, component)

    def _refuses_text(self, item: Item) -> bool:
        """Whether the product does not start with the value of a setting that is not weighed.

        A free text may be what the product looks up by itself: a class, a file. Lists may be
        empty.
        """
        try:
            setting = self.product.setting(item.component, item.name, every=True)
        except SettingError:
            return False
        is_free_text = setting.kind is Kind.TEXT and not (setting.pattern or setting.items)
        is_empty_list = bool(setting.items) and not item.text.strip()
        if is_free_text or is_empty_list or FILLED_IN.search(item.text):
            return False
        try:
            parse(setting, item.text)
        except SettingError as error:
            self._problem(item, error.problem)
            return True
        return False

    def note(self, item: Item, words: str) -> None:
        """Says of a setting what becomes of it, once."""
        note = f"Line {item.line}: {shown(item.name)} {words}."
        if note not in self.intake.notes:  # a line that others refer to (YAML's <<) is read again
            self.intake.notes.append(note)

    def _problem(self, item: Item, problem: Problem) -> None:
        message = f"Line {item.line}: {problem.message}"
        message += f" {shown(item.name)} is in {item.place}." if item.place else ""
        located = replace(problem, setting=shown(problem.setting), message=message)
        if located not in self.intake.problems:  # each broker of a file is judged context the rest
            self.intake.problems.append(located)


def _kept(item: Item) -> Item:
    """The item without the name of its process, which is a team's own."""
    return replace(item, process=item.process and str(hash(item.process)))


def _may_be_kept(item: Item, product: Product) -> bool:
    """Whether an item holds no text of the team's own, and is what its setting may be."""
    if is_format(item.component, item.name):
        return bool(_VERSION.fullmatch(item.text.strip()))
    if item.name.startswith(PLUGINS):
        of_a_topic = item.name.endswith((".topic.replication.factor", ".topic.retention.ms"))
        return of_a_topic and item.text.strip().isdecimal()
    if "replication.throttled." in item.name:
        return bool(_REPLICAS.fullmatch(item.text))
    try:
        setting = product.setting(item.component, item.name, every=True)
        parse(setting, item.text)
    except SettingError:
        return False
    is_text = setting.kind is Kind.TEXT and not is_own_assignor(setting.name, item.text)
    return not is_text and not is_free(setting.name)
