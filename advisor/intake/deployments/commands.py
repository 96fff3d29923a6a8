"""Commands of containers: settings of a broker, and topics that they create.

`kafka-server-start.sh FILE --override NAME=VALUE` overrides the file (Kafka.scala,
getPropsFromArgs). `kafka-topics.sh --create` creates a topic with its own copies and configs,
whatever the defaults of the brokers are; so does `KAFKA_CREATE_TOPICS` (`name:partitions:copies`)
of wurstmeister's and similar images. `kafka-configs.sh --alter --add-config` overrides the files of
brokers, too (KIP-226).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from advisor.catalog import Component
from advisor.intake.clients.created_topics import ONE, Created, combine_created
from advisor.intake.clients.known_settings import decides
from advisor.intake.clients.placeholders import COMPOSE
from advisor.intake.cluster import internal_topics
from advisor.intake.cluster.config_sources import MIN_ISR, SHARED_NAMES
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Item, Reading
from advisor.intake.text import shown

CREATE_TOPICS = "KAFKA_CREATE_TOPICS"
_FACTOR = "replication.factor"
_COMMAND_KEYS = ("command", "entrypoint", "args")
_OVERRIDE = re.compile(r"--override[ =]+[\"']?([\w.]{2,100})=([^\s\"']{1,200})")
_TOPICS_COMMAND = re.compile(r"(?<!-)kafka-topics(?:\.sh)?\b")
"""The command, not an option of another one, such as `--create-kafka-topics`."""
_COPIES = re.compile(r"--replication-factor[ =]+[\"']?(\d{1,5})\b")
_REPLICA_ASSIGNMENT = re.compile(r"--replica-assignment[ =]+[\"']?([\d:,]{1,2000})")
_CONFIG = re.compile(r"--config[ =]+[\"']?([\w.]{2,100})[ \t]*=[ \t]*([^\s\"']{1,200})")
_OPEN_CONFIG = re.compile(r"--(?:add-)?config[ =]+[\"']?[^\s\"'=]{0,200}[$`]")
"""Settings whose names are known only when the command runs."""
_TOPIC = re.compile(r"[\w.-]{1,249}:\d{1,6}:(\d{1,5})(?::[\w,]*)?")
_ALTERING_COMMAND = re.compile(r"(?<!-)kafka-(?:configs|topics)(?:\.sh)?\b")
_ADD_CONFIG = re.compile(
    r"--add-config[ =]+(?:\"([^\"]{3,2000})\"|'([^']{3,2000})'"
    r"|([^\s\"']{3,2000}(?:(?<=,)[ \t]+[\w.]{2,100}=[^\s\"']{1,2000}){0,50}))"
)
"""Within quotes, settings may be separated by spaces (ConfigCommand, parseConfigsToBeAdded)."""
_PAIR = re.compile(r"([\w.]{2,100})[ \t]*=[ \t]*(\[[^\]]{0,200}\]|[^,\s]{1,200})")
_BROKERS_OPTION = re.compile(r"--(?:entity-type[ =]+[\"']?brokers|broker(?:-defaults)?)\b")
_ALL_BROKERS = re.compile(r"--(?:entity-default|broker-defaults)\b")
_TOPICS_OPTION = re.compile(r"--(?:entity-type[ =]+[\"']?topics|topic)\b")
_NAME_OPTION = re.compile(r"--(?:topic|entity-name)[ =]+[\"']?([^\s\"']{1,249})")
_DELETE_CONFIG = re.compile(r"--delete-config[ =]+[\"']?([\w.,]{2,2000})")
_ONE_TOPIC = "is changed for one topic, but other commands are about other topics"
_SOME_BROKERS = (
    "is changed for some brokers by their ids, and not the same for all. Change it for all of them "
    "(--entity-default), or state the value that counts"
)
_DELETED = "is deleted by a command here. State the value that applies afterwards"
_LOSING_COMMANDS: Mapping[str, str] = {
    r"kafka-leader-election\b.*--election-type[ =]+[\"']?unclean\b":
        "lets a replica without the last messages lead, so that acknowledged ones are gone",
    r"kafka-delete-records\b": "deletes messages, read or not",
    r"kafka-topics\b.*--delete(?![\w-])": "deletes a topic with its messages, read or not",
    r"kafka-consumer-groups\b(?=.*--reset-offsets)(?=.*--execute)(?!.*--to-earliest)":
        "moves the position of a group, which may skip messages that it has not read",
    r"kafka-streams-application-reset\b(?=.*--(?:to-|shift-by|by-|from-))(?!.*--dry-run)"
    r"(?!.*--to-earliest)":
        "moves the position of an application, which may skip messages that it has not read",
}  # fmt: skip
_CLIENT_TOOL = re.compile(
    r"\b(?:kafka-(?:console-\w+|\w+-perf-test|verifiable-\w+)|kcat|kafkacat)\b(?P<arguments>.*)",
    re.DOTALL,
)
"""Tools that produce or consume with a client of their own."""
_CLIENT_SETTINGS = re.compile(
    r"(?:-prop(?:erty|s)?|-X)[ =]+(?P<pairs>(?:[\"']?[\w.]{2,100}=\S{1,200}\s*){1,30})"
    r"|--(?:request-required-)?(?P<acks>acks)\b"
)
_TOOL_CLIENT = "belongs to a client that this command starts, and is not read"
_BY_HAND = "Remove it if it is only run by hand, by somebody who knows that"
_REASSIGNMENT = re.compile(r"kafka-reassign-partitions\b.*--execute\b")
_CONFIG_FILE = "the file of --add-config-file is not read. Write its settings after --add-config"
_OPEN_NAMES = (
    "settings from a variable after --config or --add-config are not read. Write "
    "them in place of the variable"
)
_QUOTED = re.compile(r"(?<=[\w.-])=(\\?[\"'])([^\"'\\\s]{0,200})\1(?![\w.])")
_QUOTED_NAME = re.compile(r"(\\?[\"'])([\w.]{2,100})\1(?==)")
_QUOTA = re.compile(r"\bproducer_byte_rate=([\d.]{1,20})")
_ALL_CLIENTS = re.compile(r"--(?:entity-default|(?:client|user)-defaults)\b")
_SOME_CLIENTS = re.compile(r"--(?:entity-name|user|client-id|ip)\b(?!-)")
COMMAND_END = re.compile(r"&&|\|\||;|(?<!\\)\n")


def container_commands(leaves: Iterable[Leaf]) -> dict[tuple[str, ...], tuple[str, int]]:
    """The command of each container by the container's path, with the command's first line.

    The elements of a list are joined into one command.
    """
    commands: dict[tuple[str, ...], tuple[str, int]] = {}
    for leaf in leaves:
        match leaf.path:
            case (*container, part) if part in _COMMAND_KEYS:
                pass
            case (*container, part, number) if part in _COMMAND_KEYS and number.isdecimal():
                pass
            case _:
                continue
        text, line = commands.get(tuple(container), ("", leaf.line))
        filled = COMPOSE.sub(r"\2", leaf.text)
        commands[tuple(container)] = (f"{text} {filled}", line)
    return commands


def overrides(text: str) -> Iterator[tuple[str, str]]:
    """Yields the names and values of `--override`, which a broker is started with."""
    return ((match[1], match[2]) for match in _OVERRIDE.finditer(_without_quotes(text)))


def take_topics(
    reading: Reading,
    commands: Iterable[tuple[str, int]],
    variables: Mapping[str, Iterable[tuple[str, str, int]]],
) -> None:
    """States the copies and the configs of the topics that commands and variables create.

    If there are several topics, the fewest copies count. A config in which they differ is refused
    where an answer depends on it.
    """
    created = [topic for text, line in commands for topic in _created_topics(text, line)]
    created += [
        Created(line, int(match[1]), ())
        for rows in variables.values()
        for name, text, line in rows
        if name == CREATE_TOPICS
        for match in _TOPIC.finditer(text)
    ]
    if created:
        combine_created(reading, created)


def is_read(text: str) -> bool:
    """Whether a command in a shell script creates a topic, or changes a setting."""
    return any(
        (_TOPICS_COMMAND.search(command) and "--create" in command)
        or (_ALTERING_COMMAND.search(command) and "--alter" in command)
        for command in _commands(text)
    )


def take_altered(reading: Reading, commands: Iterable[tuple[str, int]]) -> None:
    """States the settings of topics and brokers that commands change, in place of the earlier ones.

    A setting that decides is refused where it is changed for one topic of several, or deleted.
    """
    parts = [(part, line) for text, line in commands for part in _commands(text)]
    topics = _topic_names(part for part, _ in parts)
    by_broker = _settings_by_broker(part for part, _ in parts)
    for command, line in parts:
        _refuse_losing_commands(reading, command, line)
        _say_client(reading, command, line)
        if is_read(command) and _OPEN_CONFIG.search(command):
            reading.add_problem(Component.TOPIC, "config", line, _OPEN_NAMES)
        if is_read(command) and (internal := _internal_topic(command)):
            _take_internal(reading, internal, command, line)
            continue
        if not (_ALTERING_COMMAND.search(command) and "--alter" in command):
            continue
        if quota := _QUOTA.search(command):
            take_quota(reading, quota[1], line, of_all=is_of_all(command))
        of_brokers, of_topics = _BROKERS_OPTION.search(command), _TOPICS_OPTION.search(command)
        if of_brokers or of_topics:
            component = Component.BROKER if of_brokers else Component.TOPIC
            names = by_broker if of_brokers else {name for name, _ in _changed_settings(command)}
            has_name = _NAME_OPTION.search(command) and (of_brokers or len(topics) > 1)
            refusals = dict.fromkeys(names, _SOME_BROKERS if of_brokers else f"{_ONE_TOPIC}. {ONE}")
            _take_change(reading, component, command, line, refusals if has_name else {})


def topics_of(commands: Iterable[tuple[str, int]]) -> set[str]:
    """The names of topics in commands that create a topic or change a setting."""
    return _topic_names(part for text, _ in commands for part in _commands(text))


def _settings_by_broker(parts: Iterable[str]) -> set[str]:
    """The settings that commands set for single brokers by id, and not to one value for several."""
    values: dict[str, dict[str, str | None]] = {}
    for command in parts:
        name_option = _NAME_OPTION.search(command) if is_read(command) else None
        if name_option and _BROKERS_OPTION.search(command):
            for name, value in _changed_settings(command):
                values.setdefault(name, {})[name_option[1]] = value
    return {name for name, ids in values.items() if len(ids) == 1 or len({*ids.values()}) > 1}


def _topic_names(parts: Iterable[str]) -> set[str]:
    topic_commands = (part for part in parts if is_read(part) and _TOPICS_OPTION.search(part))
    names = {match[1] for part in topic_commands for match in _NAME_OPTION.finditer(part)}
    return {name for name in names if not internal_topics.is_internal(name)}


def _internal_topic(command: str) -> str:
    """The internal topic of Kafka that a command is about; empty for any other topic."""
    name_option = _NAME_OPTION.search(command) if _TOPICS_OPTION.search(command) else None
    return internal_topics.internal_name(name_option and name_option[1])


def _take_internal(reading: Reading, topic: str, command: str, line: int) -> None:
    copies = _COPIES.search(command) if "--create" in command else None
    items = [Item(Component.TOPIC, _FACTOR, copies[1], line)] if copies else []
    for name, value in _changed_settings(command):
        if value is None and decides(name):
            reading.add_problem(Component.TOPIC, name, line, f"{shown(name)} {_DELETED}")
        elif value is not None:
            items.append(Item(Component.TOPIC, name, value, line))
    internal_topics.take(reading, topic, items)


def _take_change(
    reading: Reading, component: Component, command: str, line: int, refusals: Mapping[str, str]
) -> None:
    if "--add-config-file" in command:
        reading.add_problem(component, "add-config-file", line, _CONFIG_FILE)
    for name, value in _changed_settings(command):
        if decides(name) and name in refusals:
            reading.add_problem(component, name, line, f"{shown(name)} {refusals[name]}")
        elif value is None and decides(name):
            reading.add_problem(component, name, line, f"{shown(name)} {_DELETED}")
        elif value is not None:
            _change(reading, component, (name, value), line)
            if component is Component.BROKER and _ALL_BROKERS.search(command):
                _count_for_topics(reading, name, value, line)


def is_of_all(command: str) -> bool:
    """Whether a command is about all clients or users that have no quota of their own."""
    return _ALL_CLIENTS.search(command) is not None and _SOME_CLIENTS.search(command) is None


def take_quota(reading: Reading, rate: str, line: int, *, of_all: bool) -> None:
    """States the quota of all clients without one of their own. A quota of some clients is only
    noted: a pipeline does not state which clients those are."""
    state = "state producer.byte.rate of the application, if"
    if of_all:
        reading.add_setting(
            Component.APPLICATION, "producer.byte.rate", rate.partition(".")[0], line
        )
        words = f"applies to clients without a quota of their own: {state} this producer is one"
        reading.note(line, f"producer_byte_rate={rate} {words}")
    else:
        words = f"producer_byte_rate={rate} applies to some clients: {state} this producer is one"
        reading.note(line, words)


def _refuse_losing_commands(reading: Reading, command: str, line: int) -> None:
    """Refuses commands of an operator that lose messages whatever the settings are."""
    for pattern, words in _LOSING_COMMANDS.items():
        if re.search(pattern, command, re.IGNORECASE):
            message = f"this command {words}, whatever the settings are. {_BY_HAND}"
            reading.add_problem(Component.APPLICATION, "command", line, message)
    if _REASSIGNMENT.search(command):
        reading.note(line, "the number of replicas after this command is not read")


def _say_client(reading: Reading, command: str, line: int) -> None:
    """Notes settings that decide of a tool's own client, which is not the application's."""
    tool = _CLIENT_TOOL.search(command)
    for match in _CLIENT_SETTINGS.finditer(tool["arguments"]) if tool else ():
        names = [match["acks"]] if match["acks"] else re.findall(r"([\w.]+)=", match["pairs"])
        for name in filter(decides, names):
            reading.note(line, f"{shown(name)} {_TOOL_CLIENT}")


def _changed_settings(command: str) -> Iterator[tuple[str, str | None]]:
    """Yields the settings that a command changes; the value is None for one that it deletes."""
    for match in _CONFIG.finditer(command):
        yield match[1], match[2]
    for added in _ADD_CONFIG.finditer(command):
        for match in _PAIR.finditer(added[1] or added[2] or added[3]):
            yield match[1], match[2].strip("[]")
    for deleted in _DELETE_CONFIG.finditer(command):
        for name in deleted[1].split(","):
            yield name, None


def _change(reading: Reading, component: Component, pair: tuple[str, str], line: int) -> None:
    name, value = pair
    reading.items = [
        item for item in reading.items if (item.component, item.name) != (component, name)
    ]
    reading.add_setting(component, name, value, line)
    words = "is changed by a command here, which takes precedence over what files say"
    reading.note(line, f"{shown(name)} {words}")


def _count_for_topics(reading: Reading, name: str, value: str, line: int) -> None:
    """States a cluster-wide default as a topic's, as `kafka-configs --describe` shows it: it is in
    force whatever the brokers' files state."""
    if name not in SHARED_NAMES:
        return
    if name == MIN_ISR:
        own = (Component.BROKER, name)
        reading.items = [it for it in reading.items if (it.component, it.name) != own]
        reading.add_setting(*internal_topics.OFFSETS_MINIMUM, value, line, name)
    reading.add_setting(Component.TOPIC, name, value, line, name)


def _commands(text: str) -> list[str]:
    """The commands of a shell script."""
    return COMMAND_END.split(_without_quotes(text.replace("\\\n", " ")))


def _without_quotes(text: str) -> str:
    """A shell script without the quotes around a single name or value (`--config "a"="1"`)."""
    return _QUOTED.sub(r"=\2", _QUOTED_NAME.sub(r"\2", text))


def _created_topics(text: str, line: int) -> Iterator[Created]:
    """Yields the topics that the commands of a shell script create."""
    for command in _commands(text):
        creates = _TOPICS_COMMAND.search(command) and "--create" in command
        if not creates or _internal_topic(command):
            continue
        # of two, the last one counts (TopicCommand, parseTopicConfigsToBeAdded)
        pairs = {config[1]: config[2] for config in _CONFIG.finditer(command)}
        copies = min((int(match[1]) for match in _COPIES.finditer(command)), default=None)
        if assignment := _REPLICA_ASSIGNMENT.search(command):
            copies = min(len(replicas.split(":")) for replicas in assignment[1].split(","))
        yield Created(line, copies, tuple(pairs.items()), "--replication-factor" in command)
