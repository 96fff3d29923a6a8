"""Clients, listener containers and error handlers that the classes of an application set up for
Spring for Apache Kafka.

Sources: Spring Boot's KafkaAutoConfiguration, KafkaAnnotationDrivenConfiguration and
ConcurrentKafkaListenerContainerFactoryConfigurer; Spring for Apache Kafka's
AbstractKafkaListenerContainerFactory, ContainerProperties and DefaultKafkaProducerFactory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from advisor.catalog import Component
from advisor.catalog.texts import is_free
from advisor.intake.clients.known_settings import is_modelled_key
from advisor.intake.frameworks.spring import client_factories, stated_by_code
from advisor.intake.frameworks.spring.client_factories import Client
from advisor.intake.frameworks.spring.container_factories import (
    FACTORIES,
    Container,
    read_container,
)
from advisor.intake.frameworks.spring.error_handlers import (
    HANDLER_CONSTRUCTOR,
    HANDLER_TYPES,
    RECOVERER_CONSTRUCTOR,
    has_dead_letters,
)
from advisor.intake.frameworks.spring.factory_methods import FactoryMethod, factory_methods
from advisor.intake.frameworks.spring.named_containers import Listener, listeners
from advisor.intake.frameworks.spring.retry_topics import Retries, retry_topics
from advisor.intake.frameworks.spring.stated_by_code import DEFAULT_CONTAINER, CodeEntry
from advisor.intake.frameworks.spring.unclear_beans import (
    CONSUMERS,
    refuse_changes,
    refuse_conditions,
    refuse_strays,
)
from advisor.intake.programs.jvm.code import Code
from advisor.intake.programs.jvm.text import without_comments
from advisor.intake.text import IntakeError

_MAX_LENGTH = 100_000
_MAX_CONTAINERS = 12
_TRANSACTION_MANAGERS = ("KafkaTransactionManager", "KafkaAwareTransactionManager")
_SET_UP_CLASS = re.compile(
    r"\b(?:ConcurrentKafkaListenerContainerFactory|DefaultKafka(?:Consumer|Producer)Factory"
    r"|DefaultErrorHandler|DeadLetterPublishingRecoverer|RetryTopicConfiguration|CommonErrorHandler)\b"
    r"|@RetryableTopic\b|\bcontainerFactory\s*="
)
_TRANSACTIONAL_ID = "spring.kafka.producer.properties.[transactional.id]"
_PREFIX = "spring.kafka.producer.transaction-id-prefix"
_IF_AVAILABLE = re.compile(r"\w+\s*\.\s*getIfAvailable\b")
_LINE_WORDS = re.compile(r"Line (\d+): (.*)", re.DOTALL)


@dataclass(slots=True)
class _File:
    """A class with its factory methods and clients, and the entries that it states."""

    name: str
    code: Code
    methods: list[FactoryMethod]
    clients: list[Client] = field(default_factory=list)
    entries: list[CodeEntry] = field(default_factory=list)

    def add(self, line: int, name: str, text: str = "true") -> None:
        """Adds an entry to a line."""
        self.entries.append(CodeEntry(line, name, text))


_BeanMethod = tuple[_File, FactoryMethod]


def stated(texts: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The files of entries that classes state, as names and texts of `stated_by_code`; none if the
    classes set up nothing."""
    files = list[_File]()
    for name, text in texts:
        code_text = without_comments(text[:_MAX_LENGTH])
        code = Code(client_factories.as_clients(code_text))
        files.append(_File(name, code, []))
    if not any(_SET_UP_CLASS.search(file.code.plain) or _SET_UP_CLASS.search(text)
               for file, (_, text) in zip(files, texts, strict=True)):  # fmt: skip
        return []
    all_listeners = list[Listener]()
    for file in files:
        _with_errors(file, partial(_read_file, file, all_listeners))
    files[0].add(1, stated_by_code.READ)
    if not any(row.name == stated_by_code.REFUSED for file in files for row in file.entries):
        _Application(files, all_listeners).add_entries()
    return [(file.name, stated_by_code.encode(file.entries)) for file in files if file.entries]


def _with_errors(file: _File, function: Callable[[], object]) -> None:
    """Calls a function, and adds the error that it raises to the file."""
    try:
        function()
    except IntakeError as error:
        match = _LINE_WORDS.match(str(error))
        line, words = (int(match[1]), match[2]) if match else (1, str(error))
        file.add(line, stated_by_code.REFUSED, words.removesuffix("."))


def _read_file(file: _File, all_listeners: list[Listener]) -> None:
    file.methods += factory_methods(file.code.text, file.code.plain)
    all_listeners += listeners(file.name, file.code)
    refuse_conditions(file.code, file.methods)
    refuse_changes(file.code, file.methods)
    file.clients += client_factories.clients(file.code)
    refuse_strays(file.code, file.methods, file.clients)


class _Application:
    """The beans of all files of an application."""

    def __init__(self, files: list[_File], listeners: list[Listener]) -> None:
        self.files, self.listeners = files, listeners
        self.methods = [(file, method) for file in files for method in file.methods]
        self.code_methods = [(file.code, method) for file, method in self.methods]
        self.beans = [row for row in self.methods if row[1].is_bean]
        self.containers = dict[str, tuple[_File, Container]]()

    def add_entries(self) -> None:
        """Adds the entries of all beans to their files."""
        factories = [row for row in self.beans if row[1].has_type(*FACTORIES)]
        for number, (file, method) in enumerate(factories[: _MAX_CONTAINERS + 1]):
            if number == _MAX_CONTAINERS:
                words = f"more than {_MAX_CONTAINERS} container factories. Give those of one"
                self._refuse(file, method.line, f"{words} listener")
                return
            _with_errors(file, partial(self._add_container, file, method))
        _with_errors(self.files[0], self._add_producers)
        _with_errors(self.files[0], self._add_containers)

    def _add_container(self, file: _File, method: FactoryMethod) -> None:
        self.containers[method.bean] = (file, read_container(file.code, method))

    def _refuse(self, file: _File, line: int, words: str) -> None:
        file.add(line, stated_by_code.REFUSED, words)

    def _add_producers(self) -> None:
        producers = [(file, producer) for file in self.files for producer in file.clients
                 if producer.component is Component.PRODUCER]  # fmt: skip
        rows = list[tuple[_File, Client, list[CodeEntry]]]()
        for file, producer in producers:
            entries = [_as_prefix(entry) for entry in producer.rows]
            for method in file.methods:
                if method.contains(producer.at):
                    entries += _prefixes(file, method)
            rows.append((file, producer, _last_entries(entries)))
        for file, producer, entries in rows[1:]:
            if (
                _modelled(entries) != _modelled(rows[0][2])
                or producer.by_file != rows[0][1].by_file
            ):
                words = "this producer has other settings than another one of the application. "
                self._refuse(file, producer.line, f"{words}Keep only one of them")
        for file, producer, entries in rows[:1]:
            file.entries += entries
            file.add(producer.line, stated_by_code.OWN_PREFIX)
            if not producer.by_file:
                file.add(producer.line, stated_by_code.OWN_PRODUCER)

    def _add_containers(self) -> None:
        names = list(dict.fromkeys(listener.container for listener in self.listeners))
        names = names or [*self.containers] or [DEFAULT_CONTAINER]
        signatures = list[tuple[object, ...]]()
        for name in names:
            file, container = self.containers.get(name, (self.files[0], None))
            if container is None and name != DEFAULT_CONTAINER:
                listener = next(row for row in self.listeners if row.container == name)
                file = next(file for file in self.files if file.name == listener.file)
                words = "this listener's container factory is created elsewhere. Give that class"
                self._refuse(file, listener.line, f"{words}, too")
                continue
            _with_errors(file, partial(self._add_signature, signatures, file, container))
            if container and signatures[1:] and signatures[-1] != signatures[0]:
                words = "this container and another one of the listeners here have other settings"
                self._refuse(file, container.line, f"{words}. Give the listeners of one of them")
        _with_errors(self.files[0], partial(self._add_error_handling, names))

    def _add_signature(
        self, signatures: list[tuple[object, ...]], file: _File, container: Container | None
    ) -> None:
        """Adds the signature of a container; None stands for Spring Boot's container."""
        is_first = not signatures
        signatures.append(
            self._signature(file, container, is_first)
            if container
            else self._boot_signature(is_first)
        )

    def _boot_signature(self, is_first: bool) -> tuple[object, ...]:
        """The signature of Spring Boot's container, which uses a `ConsumerFactory<Object, Object>`,
        and no other one."""
        beans = [
            row
            for row in self._consumer_beans()
            if re.search(r"<\s*(?:Object|Any)\??\s*,\s*(?:Object|Any)\??\s*>|^\w+$|\?", row[1].type)
        ]
        client = None
        if beans:
            file, method = beans[0]
            client = self._method_client(file, method)
        return self._consumer_signature(client, is_first, ("", self._has_manager(is_first)))

    def _signature(self, file: _File, container: Container, is_first: bool) -> tuple[object, ...]:
        client = self._container_client(file, container)
        transaction = bool(container.transaction)
        file.add(container.line, stated_by_code.CONTAINER, container.name)
        if container.is_batch:
            file.add(container.line, stated_by_code.BATCHES, container.name)
        if container.is_configured:
            file.add(container.line, stated_by_code.CONFIGURED, container.name)
            transaction = self._has_manager(is_first) or transaction
        if is_first:
            if not container.is_configured:
                file.add(container.line, stated_by_code.OWN_CONTAINER)
            if container.mode:
                file.add(
                    container.mode_line, "spring.kafka.listener.ack-mode", container.mode.lower()
                )
            if container.acks_wait:
                file.add(container.acks_wait, "spring.kafka.listener.async-acks")
            if container.transaction:
                file.add(container.transaction, stated_by_code.TRANSACTION)
        by_code = (
            container.mode.startswith("MANUAL")
            if container.mode
            else container.is_configured and "file"
        )
        return self._consumer_signature(
            client, is_first, (by_code, transaction, container.is_configured)
        )

    def _has_manager(self, is_first: bool) -> bool:
        """Whether code creates exactly one Kafka transaction manager, which Spring Boot passes to
        its containers."""
        managers = [row for row in self.beans if row[1].has_type(*_TRANSACTION_MANAGERS)]
        if len(managers) == 1 and is_first:
            managers[0][0].add(managers[0][1].line, stated_by_code.TRANSACTION)
        return len(managers) == 1

    def _consumer_signature(
        self, consumer: tuple[_File, Client] | None, is_first: bool, facts: tuple[object, ...]
    ) -> tuple[object, ...]:
        if consumer is None:
            return (*facts, True, frozenset())
        file, client = consumer
        entries = _last_entries(client.rows)
        if is_first:
            file.entries += entries
            if not client.by_file:
                file.add(client.line, stated_by_code.OWN_CONSUMER)
        return (*facts, client.by_file, _modelled(entries))

    def _consumer_beans(self) -> list[_BeanMethod]:
        return [row for row in self.beans if row[1].has_type(*CONSUMERS)]

    def _method_client(self, file: _File, method: FactoryMethod) -> tuple[_File, Client]:
        clients = [client for client in file.clients
                   if client.component is Component.CONSUMER
                   and method.contains(client.at)]  # fmt: skip
        if len(clients) != 1:
            words = "this ConsumerFactory is created in a way that is not read"
            raise IntakeError(f"Line {method.line}: {words}.")
        return file, clients[0]

    def _container_client(self, file: _File, container: Container) -> tuple[_File, Client] | None:
        """The factory of a container's consumers; None for Spring Boot's. Raises `IntakeError`."""
        if container.consumers is None:
            raise IntakeError(
                f"Line {container.line}: this container factory has no ConsumerFactory."
            )
        start, end = container.consumers
        lookup = _IF_AVAILABLE.match(file.code.plain, start, end)
        if lookup and not self._consumer_beans():
            return None
        inside = [client for client in file.clients if start <= client.at < end]
        if inside and not lookup:
            return file, inside[0]
        match = re.fullmatch(
            r"(?:this\s*\.\s*)?(?P<name>\w+)\s*(?P<call>\(.*\))?",
            file.code.plain[start:end],
            re.DOTALL,
        )
        name = match["name"] if match else ""
        if match and match["call"]:
            rows = [
                row for row in self.methods if row[1].name == name and row[1].has_type(*CONSUMERS)
            ]
            candidates = [row for row in rows if row[0] is file] or rows
            if len(candidates) == 1:
                return self._method_client(*candidates[0])
        elif match and re.search(
            rf"\b{name}\s*=(?!=)", file.code.plain[container.method.start : container.method.end]
        ):
            method = container.method
            if not re.search(
                rf"\b{name}\s*=\s*{name}\b", file.code.plain[method.start : method.end]
            ):
                return self._method_client(file, method)
            return self._injected_client(name, container)
        elif match:
            return self._injected_client(name, container)
        words = "the ConsumerFactory of this container is not read"
        raise IntakeError(f"Line {file.code.line(start)}: {words}.")

    def _injected_client(self, name: str, container: Container) -> tuple[_File, Client] | None:
        """The consumer factory that Spring injects into a parameter or a field of this name."""
        beans = self._consumer_beans()
        bean_name = container.method.qualifiers.get(name, name)
        by_name = [bean for bean in beans if bean_name in (bean[1].bean, bean[1].name)]
        type_ = _type_arguments(container.method.parameters.get(name, ""))
        by_type = [bean for bean in beans if type_ and _type_arguments(bean[1].type) == type_]
        if name in container.method.qualifiers and not by_name:
            raise IntakeError(
                f"Line {container.line}: the ConsumerFactory of this name is created elsewhere."
            )
        candidates = (by_type if len(by_type) == 1 and not by_name else by_name) or beans
        if len(candidates) > 1:
            words = "which ConsumerFactory this container uses is not known"
            raise IntakeError(f"Line {container.line}: {words}.")
        return self._method_client(*candidates[0]) if candidates else None

    def _add_error_handling(self, names: Sequence[str]) -> None:
        retries = retry_topics([(file.name, file.code, file.methods) for file in self.files])
        by_handler = dict[str, bool]()
        for name in names:
            file, container = self.containers.get(name, (self.files[0], None))
            if container and container.handler:
                by_handler[name] = has_dead_letters(file.code, container.handler, self.code_methods)
            elif container is None or container.is_configured:
                by_handler[name] = self._bean_sends_dead_letters()
            else:
                by_handler[name] = False
        self._refuse_unused()
        if retries.first:
            file = next(file for file in self.files if file.name == retries.first[0])
            file.add(retries.first[1], stated_by_code.RETRIES)
        rows = [(listener.container, listener.retries) for listener in self.listeners] or [
            (name, None) for name in names
        ]
        if all(
            _has_dead_letter(by_handler.get(name, False), has_dlt, retries)
            for name, has_dlt in rows
        ):
            file, line = self._dead_letter_place(retries)
            file.add(line, stated_by_code.DEAD_LETTER, "acknowledged")

    def _bean_sends_dead_letters(self) -> bool:
        """Whether the only handler bean sends dead letters: Spring Boot sets it on each container
        that it configures."""
        handlers = [row for row in self.beans if row[1].has_type(*HANDLER_TYPES)]
        if len(handlers) > 1:
            file, method = handlers[-1]
            words = (
                "which handler the containers have is not known. Leave this file out, and state "
            )
            raise IntakeError(f"Line {method.line}: {words}application.processing.errors.")
        for file, method in handlers:
            places = [*HANDLER_CONSTRUCTOR.finditer(file.code.plain, method.start, method.end)]
            if len(places) > 1:
                words = f"Line {file.code.line(places[-1].start())}: which handler the containers "
                words += "have is not known. Leave this file out, and state "
                raise IntakeError(f"{words}application.processing.errors.")
            if places:
                span = (places[0].start(), method.end)
                return has_dead_letters(file.code, span, self.code_methods)
            if not re.search(
                r"\bCommonLoggingErrorHandler\s*\(", file.code.plain[method.start : method.end]
            ):
                words = "this error handler is not read. Leave this file out, and state "
                raise IntakeError(f"Line {method.line}: {words}application.processing.errors.")
        return False

    def _refuse_unused(self) -> None:
        """Adds a problem for a handler or a recoverer that may not be set on the containers."""
        beans = [row for row in self.beans if row[1].has_type(*HANDLER_TYPES)]
        is_set = any(container[1].handler for container in self.containers.values())
        for file in self.files:
            handler = HANDLER_CONSTRUCTOR.search(file.code.plain)
            recoverer = RECOVERER_CONSTRUCTOR.search(file.code.plain)
            has_handler = any(HANDLER_CONSTRUCTOR.search(other.code.plain) for other in self.files)
            match = handler if handler and not (beans or is_set) else None
            words = "which handler the containers have is not known"
            if recoverer and not has_handler:
                match, words = recoverer, "a recoverer without a DefaultErrorHandler"
            if match:
                words += ". Leave this file out, and state application.processing.errors"
                self._refuse(file, file.code.line(match.start()), words)

    def _dead_letter_place(self, retries: Retries) -> tuple[_File, int]:
        for file in self.files:
            if match := HANDLER_CONSTRUCTOR.search(file.code.plain):
                return file, file.code.line(match.start())
        name, line = retries.first or (self.files[0].name, 1)
        return next(file for file in self.files if file.name == name), line


def _has_dead_letter(by_handler: bool, has_dlt: bool | None, retries: Retries) -> bool:
    """Whether records of a listener that fail for good go to a dead-letter topic.

    `has_dlt` is whether its annotation sets up such a topic; None without an annotation.
    """
    return has_dlt if has_dlt is not None else retries.all_dlt if retries.has_bean else by_handler


def _prefixes(file: _File, method: FactoryMethod) -> Iterator[CodeEntry]:
    try:
        yield from client_factories.prefixes(file.code, method.start, method.end)
    except IntakeError as error:
        match = _LINE_WORDS.match(str(error))
        yield CodeEntry(int(match[1]) if match else 1, stated_by_code.REFUSED, str(error))


def _as_prefix(entry: CodeEntry) -> CodeEntry:
    """A transactional id of the map is the prefix of the ids that the factory creates
    (DefaultKafkaProducerFactory)."""
    return replace(entry, name=_PREFIX) if entry.name == _TRANSACTIONAL_ID else entry


def _last_entries(entries: Iterable[CodeEntry]) -> list[CodeEntry]:
    """The entries, each name once: the last one of a name counts."""
    return [*{entry.name: entry for entry in entries}.values()]


def _modelled(entries: Iterable[CodeEntry]) -> frozenset[tuple[str, str]]:
    """The names and texts of the entries that an answer depends on."""
    modelled = set[tuple[str, str]]()
    for entry in entries:
        part, _, key = entry.name.removeprefix("spring.kafka.").partition(".properties.")
        name = key.strip("[]")
        if entry.name == _PREFIX or (
            key and is_modelled_key(Component(part), name) and not is_free(name)
        ):
            modelled.add((entry.name, "" if entry.name == _PREFIX else entry.text))
    return frozenset(modelled)


def _type_arguments(type_: str) -> str:
    return re.sub(r"\s", "", type_.partition("<")[2])
