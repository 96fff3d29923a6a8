"""docker-compose services: the `KAFKA_…` of brokers, the `SPRING_KAFKA_…` of applications.

The images of Apache Kafka and Confluent make a setting's name of a variable's: without `KAFKA_`, in
lower case, `___` for a dash, `__` for an underscore, `_` for a dot; Bitnami's begin with
`KAFKA_CFG_`. The tag of an image says which Kafka it has. Sources: the images' documentation,
"Using environment variables"; Confluent's "Supported Versions and Interoperability". What compose
fills in (`${NAME:-default}`) is taken by its default. The `KAFKA_…` of a service that is not a
broker are its application's own, whatever their names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from advisor.catalog import Component, Family
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
    refuse_written_settings,
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
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.spring import arguments as spring_arguments
from advisor.intake.frameworks.spring import files as spring
from advisor.intake.frameworks.spring.variables import PREFIX, STREAM, named
from advisor.intake.frameworks.startup import VARIABLE, take_start_profiles
from advisor.intake.reading import Reader, Reading, VariableValue
from advisor.intake.text import shown

Variable = tuple[str, str, int]
"""Its name, its value and its line."""

_SPRING = (PREFIX, STREAM)
_OF_ONE = (Component.PRODUCER, Component.CONSUMER, Component.APPLICATION)
"""What several applications have each for itself."""
_NOT_SETTINGS = re.compile(
    r"KAFKA_(?:CFG_)?(?:OPTS|HEAP_OPTS|JVM_\w+|LOG4J_\w+|JMX_\w+|KRAFT_\w+|VERSION|GC_LOG_OPTS|"
    r"CREATE_TOPICS|TOOLS_\w+|CLUSTER_ID|ENABLE_KRAFT|INTER_BROKER_USER|CLIENT_USERS?|EXTRA_FLAGS)"
)
_REFERENCE = re.compile(r"\$\$?\{?(KAFKA_\w{1,200})\}?")
OTHER_PRODUCTS = re.compile(r"CONNECT_|KSQL_|SCHEMA_REGISTRY_|MIRROR_MAKER_|DEBEZIUM_")
"""Kafka Connect, ksqlDB and others, whose images read variables of their own."""
_BROKERS = re.compile(
    r"^[ \t]+image:[ \t]*[\"']?\S*(?:/kafka|/cp-kafka|/cp-server|/redpanda)(?:-native)?[:\s\"']",
    re.MULTILINE,
)
_OF_APPLICATIONS = re.compile(
    rf"{VARIABLE.pattern}|MP_MESSAGING_|{spring_arguments.JSON[0]}|"
    r"(?:-D|--)(?:spring|mp\.messaging|quarkus|micronaut|kafka)\."
)
_SERVICES = re.compile(r"^services:", re.MULTILINE)
_NAMED = re.compile(r"^services:[ \t]*\n(?:[ \t]*(?:#.*)?\n)*[ \t]+[\w.-]{1,60}:", re.MULTILINE)
_RUNS = re.compile(r"^[ \t]+(?:image|build):", re.MULTILINE)
"""A service that runs something, perhaps an application whose settings are in its own files."""


def read(text: str) -> Reading:
    """The brokers' settings, and how many brokers there are. Raises `IntakeError`."""
    reading, variables, images = Reading(), dict[str, list[Variable]](), dict[str, str]()
    leaves = with_exported_variables(merged(text))
    for leaf in leaves:
        if (tag := _tag(reading, leaf)) is not None:
            images[leaf.path[1]] = tag
        if names := _variable(leaf):
            variables.setdefault(leaf.path[1], []).append((*names, leaf.line))
        else:
            _say_whose(reading, leaf)
    refuse_extended(leaves, variables)
    drop_ignored(variables)
    brokers, controllers, voting = services_by_role(variables)
    commands = {path[-1]: row for path, row in container_commands(leaves).items() if len(path) == 2}
    named = _named_images(leaves)
    if not brokers:
        brokers = _unnamed(leaves, variables, commands) - controllers
    drop_skipped_variables(reading, variables, named)
    refuse_several(_variables(leaves, brokers | controllers))
    take_application_variables(reading, [*_variables(leaves)], commands.values())
    refuse_client_variables(variables, brokers | controllers)
    take_topics(reading, commands.values(), variables)
    refuse_contents(reading, leaves)
    ours = {*filter(variables.get, variables)} | brokers | controllers
    say_unread(reading, leaves, ours or {leaf.path[1] for leaf in leaves if leaf.path[2:]})
    take_variables(reading, server_variables(reading, variables), commands)
    _take_overrides(reading, brokers | controllers, commands, variables)
    reading.complete_servers = frozenset(brokers | controllers)
    if brokers - controllers:
        reading.heads["brokers"] = str(
            count_servers(reading, leaves, variables, brokers - controllers)
        )
    if voting and not any(item.name == VOTERS for item in reading.items):
        voters = str(count_servers(reading, leaves, variables, voting))
        reading.state(Component.APPLICATION, "controllers", voters, 1)
    _say_line(reading, {images.get(service, "") for service in brokers - controllers})
    with_own_files(reading, leaves, brokers - controllers, variables)
    parts = Servers(leaves, variables, named, brokers - controllers, voting)
    say_shared(reading, parts)
    lose_disks(reading, parts)
    return reading


def _variables(
    leaves: Iterable[Leaf], services: Collection[str] | None = None
) -> Iterator[Variable]:
    """All variables of these services, or of all."""
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
    """Takes what containers give to applications of a team's own. Raises `IntakeError`."""
    reading.variable_values += map(variable_value, variables)
    for name, text, line in variables:
        if OPTIONS.fullmatch(name) and (not text or "$" in with_defaults(text)):
            words = "what it is filled in with is not here, and may hold settings: not read"
            reading.note(line, f"{name}: {words}")
    take_start_profiles(reading, variables, commands)
    refuse_arguments([*((text, line) for _, text, line in variables), *commands])


def _unnamed(
    leaves: Sequence[Leaf], variables: Mapping[str, Sequence[Variable]], commands: Collection[str]
) -> set[str]:
    """The services that are brokers, where no variable says so: the image's own file says node.id=1
    then. A container of Kafka's image that runs something else is not one."""
    named = _named_images(leaves)
    started = {service for service, image in named.items() if is_kafka(image)}
    if brokers := started - ({*commands} - variables.keys()):
        return brokers
    whole = named.keys() | {leaf.path[1] for leaf in leaves if leaf.path[2:3] == ("build",)}
    return {service for service, own in variables.items() if _has_brokers_own(own)} & whole


def _take_overrides(
    reading: Reading, servers: Collection[str], commands: Mapping[str, tuple[str, int]],
    variables: Mapping[str, list[Variable]],
) -> None:  # fmt: skip
    """States what a server is started with, which goes before its variables, and what commands
    change, which goes before both."""
    for service, (text, line) in sorted(commands.items()):
        refuse_written_settings(reading, text, line, of_server=service in servers)
        if service not in servers:
            continue
        stated = {name: value for name, value, _ in variables.get(service, ())}
        for name, value in overrides(text):
            reference = _REFERENCE.fullmatch(value)
            value = stated.get(reference[1], value) if reference else value
            reading.state(Component.BROKER, name, value, line, process=service)
    take_altered(reading, commands.values())


def _say_line(reading: Reading, lines: Collection[str]) -> None:
    """The brokers' line, where each image says one: of several the oldest, as in an upgrade."""
    if not lines or not all(lines):
        return
    reading.heads["kafka"] = min(lines, key=lambda line: [int(part) for part in line.split(".")])
    if len(lines) > 1:
        words = f"brokers of Kafka {', '.join(sorted(lines))}: the oldest is taken"
        reading.note(1, words)


def _named_images(leaves: Sequence[Leaf]) -> dict[str, str]:
    """The image of each service."""
    return {
        leaf.path[1]: with_defaults(leaf.text)
        for leaf in leaves
        if leaf.path[:1] == ("services",) and leaf.path[2:] == ("image",)
    }


def with_own_files(
    reading: Reading, leaves: Sequence[Leaf], brokers: set[str],
    variables: Mapping[str, Sequence[Variable]],
) -> None:  # fmt: skip
    """States what the files in the brokers' images state, where no mounted file replaces them."""
    images, lines, mounted = _named_images(leaves), dict[str, int](), set[str]()
    elsewhere = set[str]()
    for leaf in leaves:
        match leaf.path:
            case ("services", service, "image" | "build", *_):
                lines.setdefault(service, leaf.line)
            case ("services", service, "volumes", *_) if ".properties" in leaf.text:
                mounted.add(service)
            case ("services", service, "env_file", *_):
                elsewhere.add(service)
            case _:
                pass
    for service in sorted(brokers & lines.keys() - mounted):
        names = [name for name, _, _ in variables.get(service, ())]
        names += ["KAFKA_"] if service in elsewhere else []
        state_image_file(reading, images.get(service, ""), names, lines[service], service)


def drop_skipped_variables(
    reading: Reading, variables: dict[str, list[Variable]], images: Mapping[str, str]
) -> None:
    """Takes away what the image of a service makes no setting of, and says so."""
    for service, own in variables.items():
        kept = list[Variable]()
        for row in own:
            words = skip_reason(images.get(service, ""), row[0])
            if words and not _NOT_SETTINGS.fullmatch(row[0]):
                reading.note(row[2], f"{shown(row[0])}: {words}")
            else:
                kept.append(row)
        variables[service] = kept


def refuse_client_variables(
    variables: Mapping[str, Sequence[Variable]], servers: Collection[str] = ()
) -> None:
    """Raises `IntakeError` for a client's setting in a service that is not a server."""
    for service, own in variables.items():
        if service in servers or is_server(row[0] for row in own):
            continue
        for name, value, line in own:
            if not is_spring_variable(name, value):
                refuse_clients(name, line)


def server_variables(
    reading: Reading, variables: dict[str, list[Variable]]
) -> dict[str, list[Variable]]:
    """The variables that count: those of servers, or where none says that it is one, those of
    services with a broker's setting. Whose are the others'."""
    ours = {service for service, own in variables.items() if is_server(row[0] for row in own)}
    for service, own in variables.items():
        foreign = [row for row in own if not is_spring_variable(*row[:2])]
        may_count = not (service and ours) and _has_brokers(own)
        if foreign and service not in ours and not may_count:
            kafkas = [line for name, _, line in foreign if name.startswith("KAFKA_")]
            whose = f"of {shown(service)} " if service and "/" not in service else ""
            words = f"the KAFKA_… {whose}are its application's own: not read"
            if kafkas:
                reading.note(kafkas[0], words)
            variables[service] = [row for row in own if row not in foreign]
    return variables


def _has_brokers_own(own: Sequence[Variable]) -> bool:
    """Whether a service states what brokers have and clients have not."""
    java = newest(Family.JAVA)
    of_clients = known_keys(java, Component.PRODUCER) | known_keys(java, Component.CONSUMER)
    return any(is_of_broker(row[0]) and setting_name(row[0]) not in of_clients for row in own)


def _has_brokers(own: Sequence[Variable]) -> bool:
    """Whether a service has a setting of a broker, be it without an id or an address of its own.
    A service that only names ZooKeeper has not."""
    return any(is_of_broker(pair[0]) and pair[0] not in ZOOKEEPER_CONNECT for pair in own)


def is_of_broker(variable: str) -> bool:
    """Whether a variable is a setting of a broker, or makes topics."""
    return variable == CREATE_TOPICS or (
        setting_name(variable) in known_keys(newest(Family.JAVA), Component.BROKER)
    )


def _tag(reading: Reading, leaf: Leaf) -> str | None:
    """The line of Kafka in a service's image, empty if it is not known; None for another image."""
    match leaf.path:
        case ("services", _, "image"):
            refuse_other_brokers(with_defaults(leaf.text), leaf.line)
            return kafka_line_of_image(reading, leaf)
        case _:
            return None


def _variable(leaf: Leaf) -> tuple[str, str] | None:
    """A variable of a service, written as a mapping or as a list of `NAME=value`."""
    match leaf.path:
        case ("services", _, "environment", name) if name.isdecimal():
            name, stated, value = leaf.text.partition("=")
            value = value if stated else inherited_value(name)
            return (name, value) if _ours(name, value) else None
        case ("services", _, "environment", name) if _ours(name, leaf.text):
            return name, inherited_value(name) if leaf.is_null else leaf.text
        case _:
            return None


def _say_whose(reading: Reading, leaf: Leaf) -> None:
    """Says once of a service that it is a product with clients of its own. Raises `IntakeError`
    for a client's setting of a team's own application."""
    match leaf.path:
        case ("services", service, "environment", name):
            name = leaf.text.partition("=")[0] if name.isdecimal() else name
            owner = OTHER_PRODUCTS.match(name)
            if not owner:
                refuse_unprefixed(name, leaf.line)
            words = f"of {shown(service)} are of a product that sets up its clients by rules of its"
            if owner and not any(words in note for note in reading.notes):
                reading.note(leaf.line, f"the {owner[0]}… {words} own: not read")
        case _:
            pass


def variable_value(row: Variable) -> VariableValue:
    """A variable of a container, with what compose fills in by its default."""
    name, value, line = row
    return VariableValue.by_name(name, with_defaults(value), line)


def _ours(name: str, value: str) -> bool:
    return is_spring_variable(name, value) or BROKER_PREFIX.match(name) is not None


def take_variables(
    reading: Reading, variables: Mapping[str, list[Variable]],
    commands: Mapping[str, tuple[str, int]] = MappingProxyType({}),
) -> None:  # fmt: skip
    """Sorts the variables of each service into settings of its broker and what Spring makes of its
    own, and of what its application is started with."""
    springs = dict[str, list[Leaf]]()
    for service, own in variables.items():
        for variable, value, line in own:
            if is_spring_variable(variable, value) or _NOT_SETTINGS.fullmatch(variable):
                continue
            name = setting_name(variable)
            if has_value(reading, Component.BROKER, (variable, value, line)):
                state = partial(_state, reading, service, name, line)
                fill(reading, COMPOSE, (name, value, line), state)
        for _, value, line in own:  # what Bitnami's image starts its broker with (EXTRA_FLAGS)
            for name, text in overrides(value):
                reading.state(Component.BROKER, name, text, line, process=service)
        springs[service] = _of_spring(reading, own, commands.get(service))
    for service in commands.keys() - variables.keys():
        springs[service] = _of_spring(reading, [], commands[service])
    applications = {service: leaves for service, leaves in springs.items() if leaves}
    for service, leaves in applications.items():
        _take_application(reading, service if len(applications) > 1 else "", leaves)


def is_spring_variable(variable: str, value: str) -> bool:
    """Whether a variable states properties of Spring."""
    return variable.startswith(_SPRING) or variable == spring_arguments.JSON[0] or (
        spring_arguments.is_argument(value)
    )  # fmt: skip


def _of_spring(
    reading: Reading, own: Sequence[Variable], command: tuple[str, int] | None
) -> list[Leaf]:
    """The properties of one application, the last of which goes before the others."""
    springs, later, last = list[Variable](), list[Leaf](), list[Leaf]()
    stated = [(text, line) for variable, text, line in own if not variable.startswith(_SPRING)]
    for variable, text, line in own:
        if variable == spring_arguments.JSON[0]:
            later += spring_arguments.of_json(text, line)
        elif variable.startswith(_SPRING) and has_value(
            reading, Component.APPLICATION, (variable, text, line)
        ):
            keep = partial(_keep, springs, variable, line)
            fill(reading, COMPOSE, (setting_name(variable), text, line), keep)
    for text, line in [*stated, *([command] if command else [])]:
        for is_own, leaf in spring_arguments.of_command(COMPOSE.sub(r"\2", text), line):
            (last if is_own else later).append(leaf)
    return [*named(reading, springs), *later, *last]


def _take_application(reading: Reading, service: str, leaves: list[Leaf]) -> None:
    """Adds what Spring makes of its properties; of one application of several, under its name."""
    own = Reading(heads={"family": Family.JAVA})
    spring.take(own, leaves)
    reading.heads["family"] = own.heads["family"]
    reading.items += [
        replace(item, process=item.process or service) if item.component in _OF_ONE else item
        for item in own.items
    ]
    reading.clients |= own.clients
    reading.notes += own.notes
    reading.problems += own.problems
    reading.defaulted_settings += own.defaulted_settings


def _keep(springs: list[Variable], variable: str, line: int, text: str) -> None:
    springs.append((variable, text, line))


def _state(reading: Reading, service: str, name: str, line: int, text: str) -> None:
    reading.state(Component.BROKER, name, text, line, process=service)


def _likeness(text: str) -> float:
    has_kafka = "KAFKA_" in text or _BROKERS.search(text) or _OF_APPLICATIONS.search(text)
    if not _SERVICES.search(text):
        return 0.0
    return 0.98 if has_kafka else 0.5 if _NAMED.search(text) and _RUNS.search(text) else 0.0


READERS = (
    Reader(
        "compose", "docker-compose.yml (KAFKA_…, SPRING_KAFKA_…)", _likeness, read, is_yaml=True
    ),
)
