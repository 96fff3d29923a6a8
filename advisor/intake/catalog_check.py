"""Judges by the catalog what was read: settings that are modelled, notes on others, problems."""

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
    is_share_setting,
    not_advised,
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
from advisor.intake.clients import streams_properties
from advisor.intake.clients.known_settings import (
    AUTHORIZER_SETTINGS,
    SERIALIZER_SETTING,
    TYPO,
    known_keys,
    other_client,
    owner,
    versions_with,
)
from advisor.intake.clients.librdkafka_bindings import mark_binding_settings
from advisor.intake.clients.placeholders import FILLED_IN, filled_in_message
from advisor.intake.clients.setting_notes import PLUGINS, hint, remark
from advisor.intake.clients.several_clients import configured, differences, id_hashes, line_owners
from advisor.intake.cluster.disagreements import LOG_DIRS, weaker
from advisor.intake.cluster.folders_in_memory import (
    TEMPORARY_WORDS,
    as_log_dirs,
    folders_in_memory,
    temporary_metadata,
)
from advisor.intake.cluster.identity import addresses, only_server, other_clusters, refused_ids
from advisor.intake.cluster.mode import KRAFT, early_access, has_modes, with_mode, without_roles
from advisor.intake.cluster.quorum import ONE_SERVER, lone_servers, with_controllers, with_ensemble
from advisor.intake.cluster.roles import reading_roles, server_roles, unread_items
from advisor.intake.cluster.tiered_storage import with_remote_metadata
from advisor.intake.cluster.topic_defaults import for_broker, startup_error, with_inherited
from advisor.intake.intake import Intake
from advisor.intake.reading import Item, Product, Reading
from advisor.intake.scopes import settings_by_scope
from advisor.intake.spark import query as spark_query
from advisor.intake.stored_items import stored_items
from advisor.intake.text import shown

_CLIENTS = (Component.PRODUCER, Component.CONSUMER)
_SINGLE = (*_CLIENTS, Component.APPLICATION)
"""Components of which a pipeline has one: several with different settings are refused."""
_ON_SERVERS = (Component.BROKER, Component.TOPIC)
_WITH_PREFIX = re.compile(r"(?:[\w-]{1,60}\.){0,5}(producer|consumer)\.([\w.]{2,80})", re.ASCII)
"""A client's setting with the prefix that a custom application uses."""
_OPEN_ENDED_PREFIXES = ("listener.name.", *PLUGINS, *AUTHORIZER_SETTINGS)
_CONFLUENT_PREFIX = "confluent."


def is_open_ended(component: Component, name: str) -> bool:
    """Whether a key is real by its prefix, since such keys cannot be listed."""
    is_of_confluent = component in _ON_SERVERS and name.startswith(_CONFLUENT_PREFIX)
    return is_of_confluent or name.startswith(_OPEN_ENDED_PREFIXES)


def check_settings(reading: Reading, product: Product, context: Iterable[Item] = ()) -> Intake:
    """Sorts a reading into settings, notes and problems.

    `context` are items of other files for the same products.

    A real setting that the catalog does not model is a note; a name similar to a real one is a
    problem with a suggestion. The last value of a setting counts. Raises `SettingError` for an
    unknown version.
    """
    settings_of(product.family, product.version, product.kafka, Component.TOPIC)
    reading.items = [*mark_binding_settings(reading.items, product.family)]
    if product.family is Family.SPARK:
        spark_query.resolve_options(reading)
    notes, problems = list(dict.fromkeys(reading.notes)), list(reading.problems)
    intake = Intake(heads=dict(reading.heads), notes=notes, problems=problems)
    intake.items = [*stored_items(reading.items, product)]
    intake.server, intake.unordered = only_server(reading.items), reading.unordered
    clients = line_owners((item.component, item.line) for item in reading.items)
    intake.subject = replace(
        reading.subject, clients=id_hashes(reading.items, clients), places=addresses(reading.items),
        created_clients=configured(reading, clients),
    )  # fmt: skip
    judge = _Judge(product, intake)
    unread = dict(unread_items(reading.items, product))
    items = [item for item in reading.items if item not in unread]
    lost = list(folders_in_memory(items))
    servers = as_log_dirs(with_controllers([*items, *(fact for _, fact, _ in lost)], product))
    servers = with_remote_metadata(servers, product)
    servers = with_mode(with_ensemble(servers, product), product)
    effective = with_inherited(servers, product)
    for item in _by_precedence(effective):
        judge.take(item)
    for item, _, words in lost:
        judge.note(item, words)
    for item, words in chain(
        differences(reading.items, product, sorted(reading.clients)),
        streams_properties.refused_settings(reading, context, product),
    ):
        judge.refuse_client(item, words)
    judge.apply_default(server_roles(reading.items, reading.complete_servers))
    for item, words in unread.items():
        judge.refuse_value(item)
        judge.note(item, words)
    judge.judge_servers(reading.items)
    judge.judge_together([*context, *reading.items])
    return judge.intake


def _by_precedence(items: Iterable[Item]) -> list[Item]:
    """Returns the items by precedence, the highest last: of Kafka Streams a new name
    (StreamsConfig, deserializationExceptionHandler; KIP-1056), of others the higher rank."""

    def place(item: Item) -> tuple[bool, int]:
        is_of_streams = item.component is Component.STREAMS
        return not (is_of_streams and item.name.startswith("default.")), item.rank

    return sorted(items, key=place)


@dataclass(slots=True)
class _Judge:
    product: Product
    intake: Intake
    processes: dict[str, list[str]] = field(default_factory=dict)
    """The processes that set each field, where a file has the settings of several brokers."""

    placeholders: list[Item] = field(default_factory=list)
    """Settings that decide and are placeholders, which are filled in later."""

    def _refuse_placeholders(self) -> None:
        """Adds one problem for all settings that decide and are placeholders."""
        if self.placeholders:
            names = list(dict.fromkeys(item.inherited or item.name for item in self.placeholders))
            first = self.placeholders[0]
            self._problem(first, Problem(first.component, names[0], filled_in_message(names)))

    def take(self, item: Item) -> None:
        """Sorts one setting into settings, notes or problems."""
        if item.inert:
            self.note(item, item.inert)
            return
        if is_share_setting(self.product.family, item.component, item.name):
            return  # refused with all settings of another kind of client
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
                self.placeholders.append(item)
            else:
                self._problem(item, for_broker(item, self._with_last_version(item, error.problem)))
            return
        if item.inherited and item.process in self.processes.get(name, ()):
            self._is_overridden(item, name, value)
            return
        if self._is_weaker(item, setting.name, name, value):
            return
        if item.inherited and self._is_overridden(item, name, value):
            return
        if reason := startup_error(item):
            self.refuse_item(replace(item, name=item.inherited), reason)
            return
        mark = hash(trimmed(item.text)) if is_free(setting.name) else 0
        new = (value, mark)
        if name in lines and (self.intake.settings[name], self.intake.marks[name]) != new:
            self.note(item, f"replaces line {lines[name]}")
        lines[name], self.intake.settings[name], self.intake.marks[name] = item.line, *new

    def judge_servers(self, items: Collection[Item]) -> None:
        """Adds the problems with which servers do not start, and notes on metadata that may be
        lost."""
        self._refuse_placeholders()
        for item in temporary_metadata(items):
            self.note(item, TEMPORARY_WORDS)
        for item in lone_servers(items, self.product):
            self.note(item, ONE_SERVER)
        for item in items if has_modes(self.product) else ():  # if they determine the mode
            if item.component is Component.BROKER and item.name == KRAFT:
                self._is_invalid(item)
        for item, words in (
            *without_roles(items, self.product),
            *early_access(items, self.product),
            *refused_ids(items, self.product),
        ):
            self.refuse_item(item, words)
        for item, words in other_clusters(items):
            self.refuse_client(item, words)

    def judge_together(self, all_items: Collection[Item]) -> None:
        """Adds the problems of settings that are not modelled, in combination with all others."""
        for component, stated, of_brokers in settings_by_scope(all_items):
            self.refuse(component, stated, of_brokers)

    def refuse_value(self, item: Item) -> None:
        """Adds a problem for an invalid value of a setting that this process does not read."""
        try:
            parse(self.product.setting(item.component, item.name), item.text)
        except UnknownSetting:
            return
        except SettingError as error:
            self._problem(item, error.problem)

    def refuse_item(self, item: Item, words: str) -> None:
        """Adds a problem for a setting with which the product does not start."""
        self._problem(item, Problem(item.component, item.name, words, product=True))

    def refuse_client(self, item: Item, words: str) -> None:
        """Adds a problem for a setting that no pipeline can have."""
        self._problem(item, Problem(item.component, item.name, f"{words}."))

    def _is_weaker(self, item: Item, setting: str, name: str, value: Value) -> bool:
        """Whether another broker's value is weaker, so that this one does not count."""
        setters = self.processes.setdefault(name, [])
        other = setters[-1] if setters else item.process
        setters.append(item.process)
        if item.component in _SINGLE or name not in self.intake.lines or other == item.process:
            return False
        current = self.intake.settings[name]
        weaker_value = weaker(setting, current, value)
        if weaker_value is None or current == value:
            return False
        line, named_item = self.intake.lines[name], replace(item, name=item.inherited or item.name)
        if weaker_value == current:
            self.note(named_item, f"does not count: another broker's on line {line} is weaker")
            return True
        words = f"counts: it is weaker than another broker's on line {line}"
        if weaker_value != value:
            words = f"and another broker's on line {line} both count: {weaker_value}"
        self.note(named_item, words)
        self.intake.lines[name], self.intake.settings[name] = item.line, weaker_value
        return True

    def apply_default(self, servers: Mapping[str, frozenset[str]]) -> None:
        """Applies the product's default where it is weaker and one of several servers that read a
        setting does not set it. `servers` are completely configured; each has its roles."""
        product, intake = self.product, self.intake
        for name, setters in self.processes.items():
            component, _, setting = name.partition(".")
            read_by = reading_roles(setting, product)
            affected = {name for name, roles in servers.items() if not roles.isdisjoint(read_by)}
            if affected <= {*setters} or affected.isdisjoint(setters) or setting == LOG_DIRS:
                continue
            default = product.setting(Component(component), setting).default
            current = intake.settings[name]
            weaker_value = None if default is None else weaker(setting, current, default)
            if weaker_value not in (None, current):
                intake.settings[name] = weaker_value
                words = f"{setting} is not set on every server, so that its default counts"
                words += "" if weaker_value == default else ", too"
                intake.notes.append(f"Line {intake.lines[name]}: {words}: {weaker_value}.")

    def _is_overridden(self, item: Item, name: str, value: Value) -> bool:
        """Whether the topic sets it, which takes precedence over the brokers; adds a note."""
        named_item, line = replace(item, name=item.inherited), self.intake.lines.get(name)
        if line is not None:
            if self.intake.settings[name] != value:
                self.note(named_item, f"does not count: line {line} takes precedence")
            return True
        is_topic = item.component is Component.TOPIC
        other = f"a topic that does not set {item.name}" if is_topic else "__consumer_offsets, too"
        self.note(named_item, f"counts for {other}")
        self.intake.inherited.add(name)
        return False

    def refuse(
        self, component: Component, items_by_name: Mapping[str, Item], of_brokers: Mapping[str, str]
    ) -> None:
        """Adds problems for unmodelled settings with which the client does not start."""
        texts = {name: item.text for name, item in items_by_name.items()}
        product = self.product
        for problem in (
            refused_combination(product.family, product.version, component, texts),
            refused_by_servers(product.kafka, component, texts),
            refused_assignor(texts, of_brokers),
            refused_tiering(component, texts, of_brokers),
        ):
            if problem:
                self._problem(items_by_name[problem.setting], problem)
        known = {
            name: text for name, text in texts.items()
            if self._has_key(component, name) or is_open_ended(component, name)
        }  # fmt: skip
        shared = {
            name: texts[name] for name in texts if is_share_setting(product.family, component, name)
        }
        for other in chain(
            not_advised(product.family, component, known | shared),
            old_format(product.kafka, component, known, of_brokers),
            old_protocol(product.kafka, component, known, of_brokers),
            forgotten_segments(component, known, of_brokers),
            unworkable(product.family, product.kafka, component, known, of_brokers),
        ):
            if not any(problem.product for problem in self.intake.problems):
                self._problem(items_by_name[other.setting], other)

    def _unknown(self, item: Item, problem: Problem) -> None:
        product, component = self.product, item.component
        names = known_keys(product, component)
        is_strict = product.family is Family.LIBRDKAFKA and component in _CLIENTS
        if {item.name, problem.setting} & names or is_open_ended(component, item.name):
            if not self._is_invalid(item):
                self.note(item, remark(item) or "is not taken into account")
        elif prefixed := self._prefixed_client_problem(item):
            self._problem(item, prefixed)
        elif other := other_client(item.name, product, component):
            self.intake.other_component_count += 1
            self.note(item, f"is a setting of the {other}: the {component} ignores it")
        elif f"kafka.{item.name}" in names:
            self.note(item, "needs the prefix kafka. to have an effect in Spark")
        elif not is_strict and (version_range := versions_with(item.name, product, component)):
            self.note(item, f"is a setting of {version_range} and does nothing in this version")
        elif not is_strict and component in _CLIENTS and (owner_words := owner(item.name)):
            self.intake.other_component_count += 1
            self.note(item, f"is a setting of {owner_words}: the {component} ignores it")
        elif similar := nearest(item.name, names, TYPO):
            shown_name = item.name if shown(item.name) == item.name else "of this name"
            message = f"There is no {component} setting {shown_name}. Did you mean {similar}?"
            self._problem(item, replace(problem, message=message, suggestion=similar))
        elif is_strict:
            message = f'No such configuration property: "{shown(item.name)}"{hint(item, names)}'
            self._problem(item, replace(problem, message=message, product=True, suggestion=None))
        elif owner_words := owner(item.name):
            self.intake.other_component_count += 1
            self.note(item, f"is a setting of {owner_words}: the {component} ignores it")
        elif SERIALIZER_SETTING.match(item.name):
            self.intake.unknown_count += 1
            self.note(item, "is a setting of a serializer, and is not taken into account")
        else:
            self.intake.unknown_count += 1
            words = "is not a known setting of Kafka; Kafka would ignore it"
            # A line without a value may be part of a key (padded by `=`), or of a JAAS entry.
            shown_item = item if item.text.strip(" =") else replace(item, name="")
            self.note(shown_item, f"{words}{hint(shown_item, names)}".removesuffix("."))

    def _with_last_version(self, item: Item, problem: Problem) -> Problem:
        """Returns the problem of a value, with the last version of the client that accepts it."""
        product = self.product
        for version in versions(product.family) if item.component not in _ON_SERVERS else ():
            try:
                setting = replace(product, version=version).setting(item.component, item.name)
                parse(setting, item.text)
            except SettingError:
                continue
            words = f"{problem.message} {version} is the last version with this value: say which "
            return replace(problem, message=f"{words}one you use (--client-version {version}).")
        return problem

    def _prefixed_client_problem(self, item: Item) -> Problem | None:
        """Returns the problem of a setting that a client would ignore, and that its application
        certainly passes to a client under another name; otherwise None."""
        match = _WITH_PREFIX.fullmatch(item.name)
        if item.component not in (*_CLIENTS, Component.TOPIC) or match is None:
            return None
        client, name = Component(match[1]), match[2]
        if not self._has_key(client, name):
            return None
        words = f"{shown(item.name)} is {name} of a {client} with the prefix of an application. "
        words += f"State {name} in a file of the {client}, without the prefix."
        return Problem(item.component, item.name, words)

    def _has_key(self, component: Component, name: str) -> bool:
        return name in known_keys(self.product, component)

    def _is_invalid(self, item: Item) -> bool:
        """Whether the product does not start with the value of a setting that is not modelled.

        A free text may be a reference that only the product can check: a class, a file. Lists may
        be empty.
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
        """Adds a note on a setting, unless it is there already."""
        note = f"Line {item.line}: {shown(item.name)} {words}."
        if note not in self.intake.notes:  # a merged YAML mapping (`<<`) is read again
            self.intake.notes.append(note)

    def _problem(self, item: Item, problem: Problem) -> None:
        message = f"Line {item.line}: {problem.message}"
        message += f" {shown(item.name)} is in {item.place}." if item.place else ""
        located = replace(problem, setting=shown(problem.setting), message=message)
        if located not in self.intake.problems:  # each broker is judged with the other components
            self.intake.problems.append(located)
