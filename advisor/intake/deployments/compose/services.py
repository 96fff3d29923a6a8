"""Compose files: the `KAFKA_…` variables of brokers and `SPRING_KAFKA_…` of applications.

The images of Apache Kafka and Confluent turn a variable's name into a setting's: without `KAFKA_`,
in lower case, `___` for a dash, `__` for an underscore, `_` for a dot; Bitnami's variables begin
with `KAFKA_CFG_`. The tag of an image states its version of Kafka. Sources: the images'
documentation, "Using environment variables"; Confluent's "Supported Versions and Interoperability".
Placeholders of compose (`${NAME:-default}`) have their default values. The `KAFKA_…` variables of a
service that is not a broker belong to its application, whatever their names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from advisor.catalog import Component, Family
from advisor.intake.absent_files import absence
from advisor.intake.clients.known_settings import known_keys, newest
from advisor.intake.clients.placeholders import COMPOSE, fill
from advisor.intake.cluster.quorum import VOTERS
from advisor.intake.deployments.application_variables import (
    OPTIONS,
    refuse_arguments,
    refuse_clients,
    refuse_unprefixed,
)
from advisor.intake.deployments.command_settings import (
    refuse_written,
    with_exported_variables,
)
from advisor.intake.deployments.commands import (
    CREATE_TOPICS,
    container_commands,
    overrides,
    take_altered,
    take_topics,
)
from advisor.intake.deployments.compose.blank_variables import has_value, inherited_value
from advisor.intake.deployments.compose.files import refuse_contents, say_unread
from advisor.intake.deployments.compose.lost_disks import Servers, lose_disks, say_shared
from advisor.intake.deployments.compose.merged import merged
from advisor.intake.deployments.compose.servers import (
    ZOOKEEPER_CONNECT,
    count_servers,
    drop_ignored,
    is_server,
    refuse_extended,
    services_by_role,
)
from advisor.intake.deployments.images import (
    BROKER_PREFIX,
    is_kafka,
    kafka_line_of_image,
    refuse_other_brokers,
    setting_name,
    skip_reason,
    state_image_file,
    with_defaults,
)
from advisor.intake.deployments.several_clusters import refuse_several
from advisor.intake.deployments.spring_names import with_spring_names
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.spring import arguments as spring_arguments
from advisor.intake.frameworks.spring import files as spring
from advisor.intake.frameworks.spring.variables import PREFIX, STREAM, named
from advisor.intake.frameworks.startup import VARIABLE, take_start_profiles
from advisor.intake.reading import Reader, Reading, VariableValue
from advisor.intake.text import shown

Variable = tuple[str, str, int]
"""The name, the value and the line of a variable."""

_SPRING_PREFIXES = (PREFIX, STREAM)
_PER_APP = (Component.PRODUCER, Component.CONSUMER, Component.APPLICATION)
"""Components whose settings are separate for each of several applications."""
_NOT_SETTINGS = re.compile(
    r"KAFKA_(?:CFG_)?(?:OPTS|HEAP_OPTS|JVM_\w+|LOG4J_\w+|JMX_\w+|KRAFT_\w+|VERSION|GC_LOG_OPTS|"
    r"CREATE_TOPICS|TOOLS_\w+|CLUSTER_ID|ENABLE_KRAFT|INTER_BROKER_USER|CLIENT_USERS?|EXTRA_FLAGS)"
)
_REFERENCE = re.compile(r"\$\$?\{?(KAFKA_\w{1,200})\}?")
OTHER_PRODUCTS = re.compile(r"CONNECT_|KSQL_|SCHEMA_REGISTRY_|MIRROR_MAKER_|DEBEZIUM_")
"""Variables of Kafka Connect, ksqlDB and others, which their own images read."""
_BROKER_IMAGE = re.compile(
    r"^[ \t]+image:[ \t]*[\"']?\S*(?:/kafka|/cp-kafka|/cp-server|/redpanda)(?:-native)?[:\s\"']",
    re.MULTILINE,
)
_APPLICATION_SETTING = re.compile(
    rf"{VARIABLE.pattern}|MP_MESSAGING_|{spring_arguments.JSON[0]}|"
    r"(?:-D|--)(?:spring|mp\.messaging|quarkus|micronaut|kafka)\."
)
_SERVICES = re.compile(r"^services:", re.MULTILINE)
_ENTRY = re.compile(r"^services:[ \t]*\n(?:[ \t]*(?:#.*)?\n)*[ \t]+[\w.-]{1,60}:", re.MULTILINE)
_BUILD = re.compile(r"^[ \t]+(?:image|build):", re.MULTILINE)
"""A service that runs an image, perhaps an application whose settings are in its own files."""


def read(text: str) -> Reading:
    """Returns the settings and the number of the brokers. Raises `IntakeError`."""
    reading, variables, images = Reading(), dict[str, list[Variable]](), dict[str, str]()
    leaves = with_exported_variables(with_spring_names(merged(text)))
    for leaf in leaves:
        if (tag := _kafka_line(reading, leaf)) is not None:
            images[leaf.path[1]] = tag
        if variable := _variable(leaf):
            variables.setdefault(leaf.path[1], []).append((*variable, leaf.line))
        else:
            _say_other_product(reading, leaf)
    refuse_extended(leaves, variables)
    drop_ignored(variables)
    brokers, controllers, voting = services_by_role(variables)
    commands = {path[-1]: row for path, row in container_commands(leaves).items() if len(path) == 2}
    image_names = _images(leaves)
    brokers = brokers or _implicit_brokers(leaves, variables, commands) - controllers
    drop_skipped_variables(reading, variables, image_names)
    refuse_several(_variables(leaves, brokers | controllers))
    take_application_variables(reading, [*_variables(leaves)], commands.values())
    refuse_client_variables(variables, brokers | controllers)
    take_topics(reading, commands.values(), variables)
    refuse_contents(reading, leaves)
    ours = {*filter(variables.get, variables)} | brokers | controllers
    say_unread(reading, leaves, ours or {leaf.path[1] for leaf in leaves if leaf.path[2:]})
    take_variables(reading, server_variables(reading, variables), commands)
    _take_commands(reading, brokers | controllers, commands, variables)
    reading.complete_servers = frozenset(brokers | controllers)
    if brokers - controllers:
        number = count_servers(reading, leaves, variables, brokers - controllers)
        reading.heads["brokers"] = str(number)
    if voting and not any(item.name == VOTERS for item in reading.items):
        voters = str(count_servers(reading, leaves, variables, voting))
        reading.add_setting(Component.APPLICATION, "controllers", voters, 1)
    _say_line(reading, {images.get(service, "") for service in brokers - controllers})
    state_image_files(reading, leaves, brokers - controllers, variables)
    servers = Servers(leaves, variables, image_names, brokers - controllers, voting)
    say_shared(reading, servers)
    lose_disks(reading, servers)
    return reading


def _variables(
    leaves: Iterable[Leaf], services: Collection[str] | None = None
) -> Iterator[Variable]:
    """Yields all variables of these services, or of every service."""
    for leaf in leaves:
        match leaf.path:
            case ("services", service, "environment", name) if (
                services is None or service in services
            ):
                if name.isdecimal():
                    name, _, value = leaf.text.partition("=")
                else:
                    value = leaf.text
                yield name, value, leaf.line
            case _:
                pass


def take_application_variables(
    reading: Reading, variables: Sequence[Variable], commands: Collection[tuple[str, int]]
) -> None:
    """Takes the variables and commands of a team's own applications. Raises `IntakeError`."""
    reading.variable_values += map(variable_value, variables)
    for name, text, line in variables:
        if OPTIONS.fullmatch(name) and (not text or "$" in with_defaults(text)):
            words = "its value is not in this file, may contain settings, and is not read"
            reading.note(line, absence(f"{name}: {words}"))
    take_start_profiles(reading, variables, commands)
    refuse_arguments([*((text, line) for _, text, line in variables), *commands])


def _implicit_brokers(
    leaves: Sequence[Leaf], variables: Mapping[str, Sequence[Variable]], commands: Collection[str]
) -> set[str]:
    """The services that are brokers although no variable says so: the file in the image then states
    node.id=1. A container of Kafka's image that runs another command is not a broker."""
    images = _images(leaves)
    kafka_services = {service for service, image in images.items() if is_kafka(image)}
    if brokers := kafka_services - ({*commands} - variables.keys()):
        return brokers
    run = images.keys() | {leaf.path[1] for leaf in leaves if leaf.path[2:3] == ("build",)}
    return {service for service, rows in variables.items() if _is_broker_like(rows)} & run


def _take_commands(
    reading: Reading, servers: Collection[str], commands: Mapping[str, tuple[str, int]],
    variables: Mapping[str, list[Variable]],
) -> None:  # fmt: skip
    """States the `--override` settings of servers, which override their variables, and the settings
    that commands change, which override both."""
    for service, (text, line) in sorted(commands.items()):
        refuse_written(reading, text, line, of_server=service in servers)
        if service not in servers:
            continue
        values = {name: value for name, value, _ in variables.get(service, ())}
        for name, value in overrides(text):
            reference = _REFERENCE.fullmatch(value)
            value = values.get(reference[1], value) if reference else value
            reading.add_setting(Component.BROKER, name, value, line, process=service)
    take_altered(reading, commands.values())


def _say_line(reading: Reading, lines: Collection[str]) -> None:
    """Sets the brokers' line of Kafka if each image states one: of several, the oldest."""
    if not lines or not all(lines):
        return
    reading.heads["kafka"] = min(lines, key=lambda line: [int(part) for part in line.split(".")])
    if len(lines) > 1:
        words = f"brokers of Kafka {', '.join(sorted(lines))}: the oldest is taken"
        reading.note(1, words)


def _images(leaves: Sequence[Leaf]) -> dict[str, str]:
    """The image of each service."""
    return {
        leaf.path[1]: with_defaults(leaf.text)
        for leaf in leaves
        if leaf.path[:1] == ("services",) and leaf.path[2:] == ("image",)
    }


def state_image_files(
    reading: Reading, leaves: Sequence[Leaf], brokers: set[str],
    variables: Mapping[str, Sequence[Variable]],
) -> None:  # fmt: skip
    """States the settings of the files in the brokers' images that no mounted file replaces."""
    images, lines, mounted = _images(leaves), dict[str, int](), set[str]()
    with_env_file = set[str]()
    for leaf in leaves:
        match leaf.path:
            case ("services", service, "image" | "build", *_):
                lines.setdefault(service, leaf.line)
            case ("services", service, "volumes", *_) if ".properties" in leaf.text:
                mounted.add(service)
            case ("services", service, "env_file", *_):
                with_env_file.add(service)
            case _:
                pass
    for service in sorted(brokers & lines.keys() - mounted):
        names = [name for name, _, _ in variables.get(service, ())]
        names += ["KAFKA_"] if service in with_env_file else []
        state_image_file(reading, images.get(service, ""), names, lines[service], service)


def drop_skipped_variables(
    reading: Reading, variables: dict[str, list[Variable]], images: Mapping[str, str]
) -> None:
    """Removes and notes the variables that the image of a service ignores."""
    for service, rows in variables.items():
        remaining = list[Variable]()
        for row in rows:
            words = skip_reason(images.get(service, ""), row[0])
            if words and not _NOT_SETTINGS.fullmatch(row[0]):
                reading.note(row[2], f"{shown(row[0])}: {words}")
            else:
                remaining.append(row)
        variables[service] = remaining


def refuse_client_variables(
    variables: Mapping[str, Sequence[Variable]], servers: Collection[str] = ()
) -> None:
    """Raises `IntakeError` for a client's setting in a service that is not a server of Kafka."""
    for service, rows in variables.items():
        if service in servers or is_server(row[0] for row in rows):
            continue
        for name, value, line in rows:
            if not is_spring_variable(name, value):
                refuse_clients(name, line)


def server_variables(
    reading: Reading, variables: dict[str, list[Variable]]
) -> dict[str, list[Variable]]:
    """The variables that count: those of servers or, if no service is evidently one, those of
    services with a broker's setting. Notes whose the others are."""
    services = {service for service, rows in variables.items() if is_server(row[0] for row in rows)}
    for service, rows in variables.items():
        foreign = [row for row in rows if not is_spring_variable(*row[:2])]
        may_count = not (service and services) and _has_broker_setting(rows)
        if foreign and service not in services and not may_count:
            lines = [line for name, _, line in foreign if name.startswith("KAFKA_")]
            whose = f"of {shown(service)} " if service and "/" not in service else ""
            words = f"the KAFKA_… {whose}are those of its application and are not read"
            if lines:
                reading.note(lines[0], words)
            variables[service] = [row for row in rows if row not in foreign]
    return variables


def _is_broker_like(rows: Sequence[Variable]) -> bool:
    """Whether a service states a setting that brokers have and clients do not."""
    java = newest(Family.JAVA)
    client_keys = known_keys(java, Component.PRODUCER) | known_keys(java, Component.CONSUMER)
    return any(is_of_broker(row[0]) and setting_name(row[0]) not in client_keys for row in rows)


def _has_broker_setting(rows: Sequence[Variable]) -> bool:
    """Whether a service has a setting of a broker, even without an id or an address. The address of
    ZooKeeper alone does not count."""
    return any(is_of_broker(row[0]) and row[0] not in ZOOKEEPER_CONNECT for row in rows)


def is_of_broker(variable: str) -> bool:
    """Whether a variable sets a setting of a broker, or creates topics."""
    return variable == CREATE_TOPICS or (
        setting_name(variable) in known_keys(newest(Family.JAVA), Component.BROKER)
    )


def _kafka_line(reading: Reading, leaf: Leaf) -> str | None:
    """The line of Kafka in a service's image, empty if unknown; None for any other image."""
    match leaf.path:
        case ("services", _, "image"):
            refuse_other_brokers(with_defaults(leaf.text), leaf.line)
            return kafka_line_of_image(reading, leaf)
        case _:
            return None


def _variable(leaf: Leaf) -> tuple[str, str] | None:
    """The name and value of a service's variable, from a mapping or a list of `NAME=value`."""
    match leaf.path:
        case ("services", _, "environment", name) if name.isdecimal():
            name, stated, value = leaf.text.partition("=")
            value = value if stated else inherited_value(name)
            return (name, value) if _is_relevant(name, value) else None
        case ("services", _, "environment", name) if _is_relevant(name, leaf.text):
            return name, inherited_value(name) if leaf.is_null else leaf.text
        case _:
            return None


def _say_other_product(reading: Reading, leaf: Leaf) -> None:
    """Notes once for each service that it is a product with clients of its own. Raises
    `IntakeError` for a client's setting of a team's own application."""
    match leaf.path:
        case ("services", service, "environment", name):
            name = leaf.text.partition("=")[0] if name.isdecimal() else name
            owner = OTHER_PRODUCTS.match(name)
            if not owner:
                refuse_unprefixed(name, leaf.line)
            words = f"of {shown(service)} belong to a product that configures its clients by its"
            if owner and not any(words in note for note in reading.notes):
                reading.note(leaf.line, f"the {owner[0]}… {words} own rules and are not read")
        case _:
            pass


def variable_value(row: Variable) -> VariableValue:
    """A variable of a container, with compose's placeholders at their default values."""
    name, value, line = row
    return VariableValue.by_name(name, with_defaults(value), line)


def _is_relevant(name: str, value: str) -> bool:
    return is_spring_variable(name, value) or BROKER_PREFIX.match(name) is not None


def take_variables(
    reading: Reading, variables: Mapping[str, list[Variable]],
    commands: Mapping[str, tuple[str, int]] = MappingProxyType({}),
) -> None:  # fmt: skip
    """Takes the variables of each service as settings of its broker, or as properties of Spring
    together with the command of its application."""
    by_service = dict[str, list[Leaf]]()
    for service, rows in variables.items():
        for variable, value, line in rows:
            if is_spring_variable(variable, value) or _NOT_SETTINGS.fullmatch(variable):
                continue
            name = setting_name(variable)
            if has_value(reading, Component.BROKER, (variable, value, line)):
                state = partial(_state, reading, service, name, line)
                fill(reading, COMPOSE, (name, value, line), state)
        for _, value, line in rows:  # arguments of the broker in Bitnami's image (EXTRA_FLAGS)
            for name, text in overrides(value):
                reading.add_setting(Component.BROKER, name, text, line, process=service)
        by_service[service] = _spring_properties(reading, rows, commands.get(service))
    for service in commands.keys() - variables.keys():
        by_service[service] = _spring_properties(reading, [], commands[service])
    applications = {service: leaves for service, leaves in by_service.items() if leaves}
    for service, leaves in applications.items():
        _take_application(reading, service if len(applications) > 1 else "", leaves)


def is_spring_variable(variable: str, value: str) -> bool:
    """Whether a variable sets properties of Spring."""
    return variable.startswith(_SPRING_PREFIXES) or variable == spring_arguments.JSON[0] or (
        spring_arguments.is_argument(value)
    )  # fmt: skip


def _spring_properties(
    reading: Reading, rows: Sequence[Variable], command: tuple[str, int] | None
) -> list[Leaf]:
    """The properties of one application; later ones override earlier ones."""
    spring_rows, later, last = list[Variable](), list[Leaf](), list[Leaf]()
    others = [(text, line) for name, text, line in rows if not name.startswith(_SPRING_PREFIXES)]
    for variable, text, line in rows:
        if variable == spring_arguments.JSON[0]:
            later += spring_arguments.of_json(text, line)
        elif variable.startswith(_SPRING_PREFIXES) and has_value(
            reading, Component.APPLICATION, (variable, text, line)
        ):
            keep = partial(_add_spring_row, spring_rows, variable, line)
            fill(reading, COMPOSE, (setting_name(variable), text, line), keep)
    for text, line in [*others, *([command] if command else [])]:
        for is_own, leaf in spring_arguments.of_command(COMPOSE.sub(r"\2", text), line):
            (last if is_own else later).append(leaf)
    return [*named(reading, spring_rows), *later, *last]


def _take_application(reading: Reading, service: str, leaves: list[Leaf]) -> None:
    """Adds the settings of an application's Spring properties, by `service` if there are more."""
    application = Reading(heads={"family": Family.JAVA})
    spring.take(application, leaves)
    reading.heads["family"] = application.heads["family"]
    reading.items += [
        replace(item, process=item.process or service) if item.component in _PER_APP else item
        for item in application.items
    ]
    reading.clients |= application.clients
    reading.notes += application.notes
    reading.problems += application.problems
    reading.defaulted_settings += application.defaulted_settings


def _add_spring_row(rows: list[Variable], variable: str, line: int, text: str) -> None:
    rows.append((variable, text, line))


def _state(reading: Reading, service: str, name: str, line: int, text: str) -> None:
    reading.add_setting(Component.BROKER, name, text, line, process=service)


def _likeness(text: str) -> float:
    has_kafka = "KAFKA_" in text or _BROKER_IMAGE.search(text) or _APPLICATION_SETTING.search(text)
    if not _SERVICES.search(text):
        return 0.0
    return 0.98 if has_kafka else 0.5 if _ENTRY.search(text) and _BUILD.search(text) else 0.0


READERS = (
    Reader(
        "compose", "docker-compose.yml (KAFKA_…, SPRING_KAFKA_…)", _likeness, read, is_yaml=True
    ),
)
