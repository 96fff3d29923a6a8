"""What the classes of an application set up for Spring for Apache Kafka: its clients, the
containers of its listeners and what these do with errors.

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
from advisor.intake.clients.known_settings import is_weighed_key
from advisor.intake.frameworks.spring import client_factories, stated_by_code
from advisor.intake.frameworks.spring.client_factories import Client
from advisor.intake.frameworks.spring.container_factories import FACTORIES, Container, container
from advisor.intake.frameworks.spring.error_handlers import (
    HANDLER,
    LETTERS,
    OF_HANDLERS,
    has_letters,
)
from advisor.intake.frameworks.spring.made_beans import Made, made_in
from advisor.intake.frameworks.spring.named_containers import Listener, listeners
from advisor.intake.frameworks.spring.retry_topics import Retries, retries_of
from advisor.intake.frameworks.spring.stated_by_code import DEFAULT_CONTAINER, Said
from advisor.intake.frameworks.spring.unclear_beans import (
    CONSUMERS,
    refuse_changes,
    refuse_conditions,
    refuse_strays,
)
from advisor.intake.programs.jvm.code import Code
from advisor.intake.programs.jvm.text import without_comments
from advisor.intake.text import IntakeError

_LONGEST = 100_000
_MOST_CONTAINERS = 12
_MANAGERS = ("KafkaTransactionManager", "KafkaAwareTransactionManager")
_OWN = re.compile(
    r"\b(?:ConcurrentKafkaListenerContainerFactory|DefaultKafka(?:Consumer|Producer)Factory"
    r"|DefaultErrorHandler|DeadLetterPublishingRecoverer|RetryTopicConfiguration|CommonErrorHandler)\b"
    r"|@RetryableTopic\b|\bcontainerFactory\s*="
)
_TRANSACTIONAL = "spring.kafka.producer.properties.[transactional.id]"
_PREFIX = "spring.kafka.producer.transaction-id-prefix"
_IF_AVAILABLE = re.compile(r"\w+\s*\.\s*getIfAvailable\b")
_OF_ANY = re.compile(r"<\s*(?:Object|Any)\??\s*,\s*(?:Object|Any)\??\s*>|^\w+\s*$|\?")
"""Types with which Spring Boot takes a ConsumerFactory for its own container."""
_LINE = re.compile(r"Line (\d+): (.*)", re.DOTALL)


@dataclass(slots=True)
class _File:
    """A class with what it makes, and what is stated in it."""

    name: str
    code: Code
    methods: list[Made]
    clients: list[Client] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)

    def say(self, line: int, name: str, text: str = "true") -> None:
        """States something in a line."""
        self.said.append(Said(line, name, text))


_Row = tuple[_File, Made]


def stated(texts: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """What classes state, each as a text of `stated_by_code` by its name; none where they set up
    nothing."""
    files = list[_File]()
    for name, text in texts:
        written = without_comments(text[:_LONGEST])
        code = Code(client_factories.as_clients(written))
        files.append(_File(name, code, []))
    if not any(_OWN.search(file.code.plain) or _OWN.search(text)
               for file, (_, text) in zip(files, texts, strict=True)):  # fmt: skip
        return []
    told = list[Listener]()
    for file in files:
        _each(file, partial(_read, file, told))
    files[0].say(1, stated_by_code.READ)
    if not any(row.name == stated_by_code.REFUSED for file in files for row in file.said):
        _SetUp(files, told).state()
    return [(file.name, stated_by_code.written(file.said)) for file in files if file.said]


def _each(file: _File, take: Callable[[], object]) -> None:
    """Does something with a file, and states why it cannot be."""
    try:
        take()
    except IntakeError as error:
        match = _LINE.match(str(error))
        line, words = (int(match[1]), match[2]) if match else (1, str(error))
        file.say(line, stated_by_code.REFUSED, words.removesuffix("."))


def _read(file: _File, told: list[Listener]) -> None:
    file.methods += made_in(file.code.text, file.code.plain)
    told += listeners(file.name, file.code)
    refuse_conditions(file.code, file.methods)
    refuse_changes(file.code, file.methods)
    file.clients += client_factories.clients(file.code)
    refuse_strays(file.code, file.methods, file.clients)


class _SetUp:
    """The beans of all files together."""

    def __init__(self, files: list[_File], told: list[Listener]) -> None:
        self.files, self.told = files, told
        self.rows = [(file, one) for file in files for one in file.methods]
        self.makers = [(file.code, one) for file, one in self.rows]
        self.containers = dict[str, tuple[_File, Container]]()

    def state(self) -> None:
        """States what counts in each file."""
        made = [row for row in self.rows if row[1].is_of(*FACTORIES) and row[1].is_bean]
        for number, (file, one) in enumerate(made[: _MOST_CONTAINERS + 1]):
            if number == _MOST_CONTAINERS:
                words = f"more than {_MOST_CONTAINERS} container factories. Give those of one"
                self._refuse(file, one.line, f"{words} listener")
                return
            _each(file, partial(self._add, file, one))
        _each(self.files[0], self._producers)
        _each(self.files[0], self._containers)

    def _add(self, file: _File, one: Made) -> None:
        self.containers[one.bean] = (file, container(file.code, one))

    def _refuse(self, file: _File, line: int, words: str) -> None:
        file.say(line, stated_by_code.REFUSED, words)

    def _producers(self) -> None:
        found = [(file, one) for file in self.files for one in file.clients
                 if one.component is Component.PRODUCER]  # fmt: skip
        rows = list[tuple[_File, Client, list[Said]]]()
        for file, one in found:
            own = [_as_prefix(row) for row in one.rows]
            for method in file.methods:
                if method.holds(one.at):
                    own += _tried(file, method)
            rows.append((file, one, _last(own)))
        for file, one, own in rows[1:]:
            if _deciding(own) != _deciding(rows[0][2]) or one.by_file != rows[0][1].by_file:
                words = "this producer has other settings than another one of the application. "
                self._refuse(file, one.line, f"{words}Leave one of them")
        for file, one, own in rows[:1]:
            file.said += own
            file.say(one.line, stated_by_code.OWN_PREFIX)
            if not one.by_file:
                file.say(one.line, stated_by_code.OWN_PRODUCER)

    def _containers(self) -> None:
        used = list(dict.fromkeys(one.container for one in self.told)) or [*self.containers]
        used = used or [DEFAULT_CONTAINER]
        signatures = list[tuple[object, ...]]()
        for name in used:
            file, one = self.containers.get(name, (self.files[0], None))
            if one is None and name != DEFAULT_CONTAINER:
                by = next(each for each in self.told if each.container == name)
                file = next(file for file in self.files if file.name == by.file)
                words = "the container factory of this listener is made elsewhere. Give that class"
                self._refuse(file, by.line, f"{words}, too")
                continue
            _each(file, partial(self._sign, signatures, file, one))
            if one and signatures[1:] and signatures[-1] != signatures[0]:
                words = "this container and another one of the listeners here have other settings"
                self._refuse(file, one.line, f"{words}. Give the listeners of one of them")
        _each(self.files[0], partial(self._errors, used))

    def _sign(
        self, signatures: list[tuple[object, ...]], file: _File, one: Container | None
    ) -> None:
        """Adds what decides of a container; None for Spring Boot's own."""
        is_first = not signatures
        signatures.append(self._own(file, one, is_first) if one else self._of_boot(is_first))

    def _of_boot(self, is_first: bool) -> tuple[object, ...]:
        """Spring Boot's own container: it takes a `ConsumerFactory<Object, Object>`, and no other
        one."""
        own = [
            row
            for row in self._consumer_beans()
            if re.search(r"<\s*(?:Object|Any)\??\s*,\s*(?:Object|Any)\??\s*>|^\w+$|\?", row[1].type)
        ]
        client = None
        if own:
            file, one = own[0]
            client = self._client_in(file, one)
        return self._state_consumer(client, is_first, ("", self._manager(is_first)))

    def _own(self, file: _File, one: Container, is_first: bool) -> tuple[object, ...]:
        client = self._consumer_of(file, one)
        transaction = bool(one.transaction)
        file.say(one.line, stated_by_code.CONTAINER, one.name)
        if one.is_batch:
            file.say(one.line, stated_by_code.BATCHES, one.name)
        if one.is_configured:
            file.say(one.line, stated_by_code.CONFIGURED, one.name)
            transaction = self._manager(is_first) or transaction
        if is_first:
            if not one.is_configured:
                file.say(one.line, stated_by_code.OWN_CONTAINER)
            if one.mode:
                file.say(one.mode_line, "spring.kafka.listener.ack-mode", one.mode.lower())
            if one.acks_wait:
                file.say(one.acks_wait, "spring.kafka.listener.async-acks")
            if one.transaction:
                file.say(one.transaction, stated_by_code.TRANSACTION)
        by_code = one.mode.startswith("MANUAL") if one.mode else one.is_configured and "file"
        return self._state_consumer(client, is_first, (by_code, transaction, one.is_configured))

    def _manager(self, is_first: bool) -> bool:
        """Whether code makes the one manager of Kafka's transactions that Spring Boot gives to its
        containers."""
        made = [(file, one) for file, one in self.rows if one.is_bean and one.is_of(*_MANAGERS)]
        if len(made) == 1 and is_first:
            made[0][0].say(made[0][1].line, stated_by_code.TRANSACTION)
        return len(made) == 1

    def _state_consumer(
        self, found: tuple[_File, Client] | None, is_first: bool, more: tuple[object, ...]
    ) -> tuple[object, ...]:
        if found is None:
            return (*more, True, frozenset())
        file, client = found
        rows = _last(client.rows)
        if is_first:
            file.said += rows
            if not client.by_file:
                file.say(client.line, stated_by_code.OWN_CONSUMER)
        return (*more, client.by_file, _deciding(rows))

    def _consumer_beans(self) -> list[_Row]:
        return [(file, one) for file, one in self.rows if one.is_bean and one.is_of(*CONSUMERS)]

    def _client_in(self, file: _File, method: Made) -> tuple[_File, Client]:
        own = [one for one in file.clients
               if one.component is Component.CONSUMER and method.holds(one.at)]  # fmt: skip
        if len(own) != 1:
            words = "this ConsumerFactory is made in a way that is not read"
            raise IntakeError(f"Line {method.line}: {words}.")
        return file, own[0]

    def _consumer_of(self, file: _File, one: Container) -> tuple[_File, Client] | None:
        """The factory of a container's consumers; None for Spring Boot's. Raises `IntakeError`."""
        if one.consumers is None:
            raise IntakeError(f"Line {one.line}: this container factory has no ConsumerFactory.")
        start, end = one.consumers
        asked = _IF_AVAILABLE.match(file.code.plain, start, end)
        if asked and not self._consumer_beans():
            return None
        inside = [client for client in file.clients if start <= client.at < end]
        if inside and not asked:
            return file, inside[0]
        match = re.fullmatch(
            r"(?:this\s*\.\s*)?(?P<name>\w+)\s*(?P<call>\(.*\))?",
            file.code.plain[start:end],
            re.DOTALL,
        )
        name = match["name"] if match else ""
        if match and match["call"]:
            makers = [row for row in self.rows if row[1].name == name and row[1].is_of(*CONSUMERS)]
            own = [row for row in makers if row[0] is file] or makers
            if len(own) == 1:
                return self._client_in(*own[0])
        elif match and re.search(
            rf"\b{name}\s*=(?!=)", file.code.plain[one.method.start : one.method.end]
        ):
            method = one.method
            if not re.search(
                rf"\b{name}\s*=\s*{name}\b", file.code.plain[method.start : method.end]
            ):
                return self._client_in(file, method)
            return self._given(name, one)
        elif match:
            return self._given(name, one)
        words = "what this container takes its consumers from is not read"
        raise IntakeError(f"Line {file.code.line(start)}: {words}.")

    def _given(self, name: str, one: Container) -> tuple[_File, Client] | None:
        """The bean that stands behind a name which a method or a class is given."""
        beans = self._consumer_beans()
        wanted = one.method.qualified.get(name, name)
        named = [row for row in beans if wanted in (row[1].bean, row[1].name)]
        kind = _types(one.method.given.get(name, ""))
        alike = [row for row in beans if kind and _types(row[1].type) == kind]
        if name in one.method.qualified and not named:
            raise IntakeError(
                f"Line {one.line}: the ConsumerFactory of this name is made elsewhere."
            )
        found = (alike if len(alike) == 1 and not named else named) or beans
        if len(found) > 1:
            words = "which ConsumerFactory this container is given is not known"
            raise IntakeError(f"Line {one.line}: {words}.")
        return self._client_in(*found[0]) if found else None

    def _errors(self, used: Sequence[str]) -> None:
        retries = retries_of([(file.name, file.code, file.methods) for file in self.files])
        handled = dict[str, bool]()
        for name in used:
            file, one = self.containers.get(name, (self.files[0], None))
            if one and one.handler:
                handled[name] = has_letters(file.code, one.handler, self.makers)
            elif one is None or one.is_configured:
                handled[name] = self._of_handler_bean()
            else:
                handled[name] = False
        self._refuse_unused()
        if retries.first:
            file = next(file for file in self.files if file.name == retries.first[0])
            file.say(retries.first[1], stated_by_code.RETRIES)
        rows = [(one.container, one.retries) for one in self.told] or [
            (name, None) for name in used
        ]
        if all(_has_letters(handled.get(name, False), own, retries) for name, own in rows):
            file, line = self._place_of_letters(retries)
            file.say(line, stated_by_code.LETTERS, "acknowledged")

    def _of_handler_bean(self) -> bool:
        """Whether the one handler that is a bean has dead letters: Spring Boot gives it to each
        container that it sets up."""
        made = [(file, one) for file, one in self.rows if one.is_bean and one.is_of(*OF_HANDLERS)]
        if len(made) > 1:
            file, one = made[-1]
            words = f"Line {one.line}: which handler the containers have is not known. Leave this "
            raise IntakeError(f"{words}file out, and state application.processing.errors.")
        for file, one in made:
            places = [*HANDLER.finditer(file.code.plain, one.start, one.end)]
            if len(places) > 1:
                words = f"Line {file.code.line(places[-1].start())}: which handler the containers "
                words += "have is not known. Leave this file out, and state "
                raise IntakeError(f"{words}application.processing.errors.")
            if places:
                span = (places[0].start(), one.end)
                return has_letters(file.code, span, self.makers)
            if not re.search(
                r"\bCommonLoggingErrorHandler\s*\(", file.code.plain[one.start : one.end]
            ):
                words = "this handler of errors is not read. Leave this file out, and state "
                raise IntakeError(f"Line {one.line}: {words}application.processing.errors.")
        return False

    def _refuse_unused(self) -> None:
        """Refuses a handler, or a recoverer of dead letters, of which it is not known whether
        containers have it."""
        beans = [one for _, one in self.rows if one.is_bean and one.is_of(*OF_HANDLERS)]
        given = any(row[1].handler for row in self.containers.values())
        for file in self.files:
            made = HANDLER.search(file.code.plain)
            letters = LETTERS.search(file.code.plain)
            every = any(HANDLER.search(other.code.plain) for other in self.files)
            found = made if made and not (beans or given) else None
            words = "which handler the containers have is not known"
            if letters and not every:
                found, words = letters, "a recoverer of no DefaultErrorHandler"
            if found:
                words += ". Leave this file out, and state application.processing.errors"
                self._refuse(file, file.code.line(found.start()), words)

    def _place_of_letters(self, retries: Retries) -> tuple[_File, int]:
        for file in self.files:
            if match := HANDLER.search(file.code.plain):
                return file, file.code.line(match.start())
        name, line = retries.first or (self.files[0].name, 1)
        return next(file for file in self.files if file.name == name), line


def _has_letters(by_handler: bool, own: bool | None, retries: Retries) -> bool:
    """Whether a listener's records that are given up go to a dead-letter topic: `own` is what its
    annotation says of one, None where it has none."""
    return own if own is not None else retries.of_all if retries.has_bean else by_handler


def _tried(file: _File, method: Made) -> Iterator[Said]:
    try:
        yield from client_factories.prefixes(file.code, method.start, method.end)
    except IntakeError as error:
        match = _LINE.match(str(error))
        yield Said(int(match[1]) if match else 1, stated_by_code.REFUSED, str(error))


def _as_prefix(row: Said) -> Said:
    """A transactional id of the map is the prefix of those that the factory makes
    (DefaultKafkaProducerFactory)."""
    return replace(row, name=_PREFIX) if row.name == _TRANSACTIONAL else row


def _last(rows: Iterable[Said]) -> list[Said]:
    """The rows, each name once: what is put in last counts."""
    return [*{row.name: row for row in rows}.values()]


def _deciding(rows: Iterable[Said]) -> frozenset[tuple[str, str]]:
    """What an answer depends on."""
    found = set[tuple[str, str]]()
    for row in rows:
        part, _, key = row.name.removeprefix("spring.kafka.").partition(".properties.")
        name = key.strip("[]")
        if row.name == _PREFIX or (
            key and is_weighed_key(Component(part), name) and not is_free(name)
        ):
            found.add((row.name, "" if row.name == _PREFIX else row.text))
    return frozenset(found)


def _types(kind: str) -> str:
    return re.sub(r"\s", "", kind.partition("<")[2])
