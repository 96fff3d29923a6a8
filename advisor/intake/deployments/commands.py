"""What the commands of containers say: settings of a broker, and topics that they create.

`kafka-server-start.sh FILE --override NAME=VALUE` goes before the file (Kafka.scala,
getPropsFromArgs). `kafka-topics.sh --create` makes a topic with copies and configs of its own,
whatever its brokers' defaults are; so does `KAFKA_CREATE_TOPICS` (`name:partitions:copies`) of the
images of wurstmeister and their like. What `kafka-configs.sh --alter --add-config` says of brokers
goes before their files, too (KIP-226).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from advisor.catalog import Component
from advisor.intake.clients.created_topics import ONE, Created, combine_created
from advisor.intake.clients.known_settings import decides
from advisor.intake.clients.placeholders import COMPOSE
from advisor.intake.cluster import internal_topics
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Item, Reading
from advisor.intake.text import shown

CREATE_TOPICS = "KAFKA_CREATE_TOPICS"
_FACTOR = "replication.factor"
_PARTS = ("command", "entrypoint", "args")
_OVERRIDE = re.compile(r"--override[ =]+[\"']?([\w.]{2,100})=([^\s\"']{1,200})")
_START = re.compile(r"(?<!-)kafka-topics(?:\.sh)?\b")
"""No option of another command, such as `--create-kafka-topics`."""
_COPIES = re.compile(r"--replication-factor[ =]+[\"']?(\d{1,5})\b")
_PLACED = re.compile(r"--replica-assignment[ =]+[\"']?([\d:,]{1,2000})")
_CONFIG = re.compile(r"--config[ =]+[\"']?([\w.]{2,100})[ \t]*=[ \t]*([^\s\"']{1,200})")
_OPEN_CONFIG = re.compile(r"--(?:add-)?config[ =]+[\"']?[^\s\"'=]{0,200}[$`]")
"""Settings whose names are filled in when the command runs."""
_TOPIC = re.compile(r"[\w.-]{1,249}:\d{1,6}:(\d{1,5})(?::[\w,]*)?")
_ALTER = re.compile(r"(?<!-)kafka-(?:configs|topics)(?:\.sh)?\b")
_ADDED = re.compile(
    r"--add-config[ =]+(?:\"([^\"]{3,2000})\"|'([^']{3,2000})'"
    r"|([^\s\"']{3,2000}(?:(?<=,)[ \t]+[\w.]{2,100}=[^\s\"']{1,2000}){0,50}))"
)
"""In quotes, blanks may stand between settings (ConfigCommand, parseConfigsToBeAdded)."""
_PAIR = re.compile(r"([\w.]{2,100})[ \t]*=[ \t]*(\[[^\]]{0,200}\]|[^,\s]{1,200})")
_OF_BROKERS = re.compile(r"--(?:entity-type[ =]+[\"']?brokers|broker(?:-defaults)?)\b")
_OF_TOPICS = re.compile(r"--(?:entity-type[ =]+[\"']?topics|topic)\b")
_NAMED = re.compile(r"--(?:topic|entity-name)[ =]+[\"']?([^\s\"']{1,249})")
_DELETED = re.compile(r"--delete-config[ =]+[\"']?([\w.,]{2,2000})")
_OF_ONE = "is changed for one topic, and other commands are about others"
_OF_SOME = (
    "is changed for some brokers by their ids, and not the same for all. Change it for all of them "
    "(--entity-default), or state the value that counts"
)
_TAKEN_BACK = "is taken back by a command here. Write the value that counts then"
_LOSING: Mapping[str, str] = {
    r"kafka-leader-election\b.*--election-type[ =]+[\"']?unclean\b":
        "lets a replica without the last messages lead, so that acknowledged ones are gone",
    r"kafka-delete-records\b": "deletes messages, read or not",
    r"kafka-topics\b.*--delete(?![\w-])": "deletes a topic with its messages, read or not",
    r"kafka-consumer-groups\b(?=.*--reset-offsets)(?=.*--execute)(?!.*--to-earliest)":
        "moves the position of a group, which may pass over messages that it has not read",
    r"kafka-streams-application-reset\b(?=.*--(?:to-|shift-by|by-|from-))(?!.*--dry-run)"
    r"(?!.*--to-earliest)":
        "moves the position of an application, which may pass over messages that it has not read",
}  # fmt: skip
_CLIENT = re.compile(
    r"\b(?:kafka-(?:console-\w+|\w+-perf-test|verifiable-\w+)|kcat|kafkacat)\b(?P<given>.*)",
    re.DOTALL,
)
"""What writes or reads by itself, with a client of its own."""
_OF_CLIENT = re.compile(
    r"(?:-prop(?:erty|s)?|-X)[ =]+(?P<pairs>(?:[\"']?[\w.]{2,100}=\S{1,200}\s*){1,30})"
    r"|--(?:request-required-)?(?P<acks>acks)\b"
)
_STARTED = "is of a client that this command starts, and not read"
_BY_HAND = "Leave it out if somebody runs it by hand and knows that"
_MOVED = re.compile(r"kafka-reassign-partitions\b.*--execute\b")
_IN_A_FILE = "what add-config-file has is not read. Write it behind --add-config"
_OPEN_WORDS = (
    "the settings that a variable fills in behind --config or --add-config are not read. Write "
    "them in its place"
)
_QUOTED = re.compile(r"(?<=[\w.-])=(\\?[\"'])([^\"'\\\s]{0,200})\1(?![\w.])")
_QUOTED_NAME = re.compile(r"(\\?[\"'])([\w.]{2,100})\1(?==)")
_QUOTA = re.compile(r"\bproducer_byte_rate=([\d.]{1,20})")
_OF_ALL = re.compile(r"--(?:entity-default|(?:client|user)-defaults)\b")
_OF_A_CLIENT = re.compile(r"--(?:entity-name|user|client-id|ip)\b(?!-)")
_ENDS = re.compile(r"&&|\|\||;|(?<!\\)\n")


def of_containers(leaves: Iterable[Leaf]) -> dict[tuple[str, ...], tuple[str, int]]:
    """What each container (by its path) runs, with its first line.

    Parts of a list are put together as one line.
    """
    found: dict[tuple[str, ...], tuple[str, int]] = {}
    for leaf in leaves:
        match leaf.path:
            case (*before, part) if part in _PARTS:
                pass
            case (*before, part, number) if part in _PARTS and number.isdecimal():
                pass
            case _:
                continue
        text, line = found.get(tuple(before), ("", leaf.line))
        filled = COMPOSE.sub(r"\2", leaf.text)
        found[tuple(before)] = (f"{text} {filled}", line)
    return found


def overrides(text: str) -> Iterator[tuple[str, str]]:
    """The settings that a broker is started with."""
    return ((match[1], match[2]) for match in _OVERRIDE.finditer(_without_quotes(text)))


def take_topics(
    reading: Reading,
    commands: Iterable[tuple[str, int]],
    variables: Mapping[str, Iterable[tuple[str, str, int]]],
) -> None:
    """States the copies and the configs of the topics that are made.

    Of several topics the fewest copies count. A config in which they differ is refused where an
    answer depends on it.
    """
    created = [topic for text, line in commands for topic in _created(text, line)]
    created += [
        Created(line, int(match[1]), ())
        for own in variables.values()
        for name, text, line in own
        if name == CREATE_TOPICS
        for match in _TOPIC.finditer(text)
    ]
    if created:
        combine_created(reading, created)


def is_read(text: str) -> bool:
    """Whether a command of a shell's text creates a topic, or changes a setting."""
    return any(
        (_START.search(command) and "--create" in command)
        or (_ALTER.search(command) and "--alter" in command)
        for command in _commands(text)
    )


def take_altered(reading: Reading, commands: Iterable[tuple[str, int]]) -> None:
    """States what is changed of topics and of brokers, and leaves out what was stated of it.

    What decides and is changed for one topic of several, or taken back, is refused.
    """
    parts = [(part, line) for text, line in commands for part in _commands(text)]
    topics, unlike = _topics(part for part, _ in parts), _unlike(part for part, _ in parts)
    for command, line in parts:
        _refuse_losing(reading, command, line)
        _say_client(reading, command, line)
        if is_read(command) and _OPEN_CONFIG.search(command):
            reading.wrong(Component.TOPIC, "config", line, _OPEN_WORDS)
        if is_read(command) and (own := _internal(command)):
            _take_internal(reading, own, command, line)
            continue
        if not (_ALTER.search(command) and "--alter" in command):
            continue
        if quota := _QUOTA.search(command):
            take_quota(reading, quota[1], line, of_all=is_of_all(command))
        of_brokers, of_topics = _OF_BROKERS.search(command), _OF_TOPICS.search(command)
        if of_brokers or of_topics:
            component = Component.BROKER if of_brokers else Component.TOPIC
            names = unlike if of_brokers else {name for name, _ in _changed(command)}
            is_one = _NAMED.search(command) and (of_brokers or len(topics) > 1)
            words = dict.fromkeys(names, _OF_SOME if of_brokers else f"{_OF_ONE}. {ONE}")
            _take_change(reading, component, command, line, words if is_one else {})


def topics_of(commands: Iterable[tuple[str, int]]) -> set[str]:
    """The names of topics in commands that create or change something."""
    return _topics(part for text, _ in commands for part in _commands(text))


def _unlike(parts: Iterable[str]) -> set[str]:
    """The settings that commands give to brokers by their ids, and not the same to several."""
    given: dict[str, dict[str, str | None]] = {}
    for command in parts:
        named = _NAMED.search(command) if is_read(command) else None
        if named and _OF_BROKERS.search(command):
            for name, value in _changed(command):
                given.setdefault(name, {})[named[1]] = value
    return {name for name, of in given.items() if len(of) == 1 or len({*of.values()}) > 1}


def _topics(parts: Iterable[str]) -> set[str]:
    of_topics = (part for part in parts if is_read(part) and _OF_TOPICS.search(part))
    names = {match[1] for part in of_topics for match in _NAMED.finditer(part)}
    return {name for name in names if not internal_topics.is_internal(name)}


def _internal(command: str) -> str:
    """The one of Kafka's own topics that a command is about; empty for any other."""
    named = _NAMED.search(command) if _OF_TOPICS.search(command) else None
    return internal_topics.internal_name(named and named[1])


def _take_internal(reading: Reading, topic: str, command: str, line: int) -> None:
    made = _COPIES.search(command) if "--create" in command else None
    items = [Item(Component.TOPIC, _FACTOR, made[1], line)] if made else []
    for name, value in _changed(command):
        if value is None and decides(name):
            reading.wrong(Component.TOPIC, name, line, f"{shown(name)} {_TAKEN_BACK}")
        elif value is not None:
            items.append(Item(Component.TOPIC, name, value, line))
    internal_topics.take(reading, topic, items)


def _take_change(
    reading: Reading, component: Component, command: str, line: int, refused: Mapping[str, str]
) -> None:
    if "--add-config-file" in command:
        reading.wrong(component, "add-config-file", line, _IN_A_FILE)
    for name, value in _changed(command):
        if decides(name) and name in refused:
            reading.wrong(component, name, line, f"{shown(name)} {refused[name]}")
        elif value is None and decides(name):
            reading.wrong(component, name, line, f"{shown(name)} {_TAKEN_BACK}")
        elif value is not None:
            _change(reading, component, (name, value), line)


def is_of_all(command: str) -> bool:
    """Whether a command is about all clients or users that have nothing of their own."""
    return _OF_ALL.search(command) is not None and _OF_A_CLIENT.search(command) is None


def take_quota(reading: Reading, rate: str, line: int, *, of_all: bool) -> None:
    """States the quota of all clients without one of their own. Of one that some clients have it is
    only said: which they are, the pipeline does not say."""
    state = "state producer.byte.rate of the application, if"
    if of_all:
        reading.state(Component.APPLICATION, "producer.byte.rate", rate.partition(".")[0], line)
        words = f"counts for clients without one of their own: {state} this producer has"
        reading.note(line, f"producer_byte_rate={rate} {words}")
    else:
        words = f"producer_byte_rate={rate} of some clients: {state} it is this producer's"
        reading.note(line, words)


def _refuse_losing(reading: Reading, command: str, line: int) -> None:
    """Refuses what an operator does that no setting keeps from losing messages."""
    for pattern, words in _LOSING.items():
        if re.search(pattern, command, re.IGNORECASE):
            message = f"this command {words}, whatever is set. {_BY_HAND}"
            reading.wrong(Component.APPLICATION, "command", line, message)
    if _MOVED.search(command):
        reading.note(line, "how many copies partitions have after this command is not read")


def _say_client(reading: Reading, command: str, line: int) -> None:
    """Names what decides for a client that a tool starts, which is not the application's."""
    tool = _CLIENT.search(command)
    for match in _OF_CLIENT.finditer(tool["given"]) if tool else ():
        names = [match["acks"]] if match["acks"] else re.findall(r"([\w.]+)=", match["pairs"])
        for name in filter(decides, names):
            reading.note(line, f"{shown(name)} {_STARTED}")


def _changed(command: str) -> Iterator[tuple[str, str | None]]:
    """What a command changes; None for a setting that it takes back."""
    for match in _CONFIG.finditer(command):
        yield match[1], match[2]
    for added in _ADDED.finditer(command):
        for match in _PAIR.finditer(added[1] or added[2] or added[3]):
            yield match[1], match[2].strip("[]")
    for deleted in _DELETED.finditer(command):
        for name in deleted[1].split(","):
            yield name, None


def _change(reading: Reading, component: Component, pair: tuple[str, str], line: int) -> None:
    name, value = pair
    reading.items = [
        item for item in reading.items if (item.component, item.name) != (component, name)
    ]
    reading.state(component, name, value, line)
    words = "is changed by a command here, which goes before what files say"
    reading.note(line, f"{shown(name)} {words}")


def _commands(text: str) -> list[str]:
    """The commands of a shell's text."""
    return _ENDS.split(_without_quotes(text.replace("\\\n", " ")))


def _without_quotes(text: str) -> str:
    """A shell's text, without the quotes around a name or a value alone (`--config "a"="1"`)."""
    return _QUOTED.sub(r"=\2", _QUOTED_NAME.sub(r"\2", text))


def _created(text: str, line: int) -> Iterator[Created]:
    """The topics that a shell's text creates, also in several commands."""
    for command in _commands(text):
        if not (_START.search(command) and "--create" in command) or _internal(command):
            continue
        # the last of two counts (TopicCommand, parseTopicConfigsToBeAdded)
        pairs = {found[1]: found[2] for found in _CONFIG.finditer(command)}
        copies = min((int(match[1]) for match in _COPIES.finditer(command)), default=None)
        if placed := _PLACED.search(command):
            copies = min(len(replicas.split(":")) for replicas in placed[1].split(","))
        yield Created(line, copies, tuple(pairs.items()), "--replication-factor" in command)
