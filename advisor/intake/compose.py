"""docker-compose services that run brokers: their `KAFKA_…` environment.

The images of Apache Kafka and Confluent make a setting's name of a variable's: without `KAFKA_`, in
lower case, `___` for a dash, `__` for an underscore, `_` for a dot; Bitnami's begin with
`KAFKA_CFG_`. The tag of an image says which Kafka it has. Sources: the images' documentation,
"Using environment variables"; Confluent's "Supported Versions and Interoperability".
"""

from __future__ import annotations

import re

from advisor.catalog import Component, SettingError, kafka_line
from advisor.intake.reading import Reader, Reading
from advisor.intake.text import shown
from advisor.intake.yaml_nodes import Leaf, documents

_PREFIX = re.compile(r"KAFKA_(?:CFG_)?")
_NOT_SETTINGS = re.compile(
    r"KAFKA_(?:CFG_)?(?:OPTS|HEAP_OPTS|JVM_\w+|LOG4J_\w+|JMX_\w+|KRAFT_\w+|VERSION|GC_LOG_OPTS|"
    r"CREATE_TOPICS|TOOLS_\w+|CLUSTER_ID|ENABLE_KRAFT|INTER_BROKER_USER|CLIENT_USERS?)"
)
_BROKER = ("KAFKA_NODE_ID", "KAFKA_BROKER_ID", "KAFKA_CFG_NODE_ID", "KAFKA_CFG_BROKER_ID")
_ROLES = ("KAFKA_PROCESS_ROLES", "KAFKA_CFG_PROCESS_ROLES")
_IMAGE = re.compile(
    r"(?:.*/)?(?P<name>kafka|kafka-native|cp-kafka|cp-server):(?P<line>[2-9]\.\d+)\b.*"
)
_SERVICES = re.compile(r"^services:", re.MULTILINE)


def read(text: str) -> Reading:
    """The brokers' settings, and how many brokers there are. Raises `IntakeError`."""
    reading, brokers = Reading(), set()
    controllers, images = set(), {}
    for leaves in documents(text):
        for leaf in leaves:
            if tag := _tag(reading, leaf):
                images[leaf.path[1]] = tag
            found = _variable(leaf)
            if found is None:
                continue
            name, value = found
            if name in _BROKER:
                brokers.add(leaf.path[1])
            if name in _ROLES and "broker" not in value:
                controllers.add(leaf.path[1])
            _take(reading, name, value, leaf.line)
    if brokers - controllers:
        reading.heads["brokers"] = str(len(brokers - controllers))
    lines = {images.get(service, "") for service in brokers - controllers}
    if len(lines) == 1 and (line := lines.pop()):
        reading.heads["kafka"] = line
    return reading


def _tag(reading: Reading, leaf: Leaf) -> str | None:
    """The line of Kafka in a service's image; Confluent counts 7.9 where Kafka counts 3.9."""
    match leaf.path:
        case ("services", _, "image") if tag := _IMAGE.fullmatch(leaf.text):
            major, minor = tag["line"].split(".")
            line = f"{int(major) - 4}.{minor}" if tag["name"].startswith("cp-") else tag["line"]
            try:
                return kafka_line(line)
            except SettingError:
                reading.note(leaf.line, f"the image's Kafka {line} is not known here: not taken")
    return None


def _variable(leaf: Leaf) -> tuple[str, str] | None:
    """A variable of a service, written as a mapping or as a list of `NAME=value`."""
    match leaf.path:
        case ("services", _, "environment", name) if name.isdecimal():
            name, is_set, value = leaf.text.partition("=")
            return (name, value) if is_set and _PREFIX.match(name) else None
        case ("services", _, "environment", name) if _PREFIX.match(name):
            return name, leaf.text
        case _:
            return None


def _take(reading: Reading, variable: str, value: str, line: int) -> None:
    if _NOT_SETTINGS.fullmatch(variable) or not value:
        return
    name = _PREFIX.sub("", variable, count=1).lower()
    name = name.replace("___", "-").replace("__", "\0").replace("_", ".").replace("\0", "_")
    if "${" in value or value.startswith("$"):
        reading.note(line, f"{shown(variable)} is filled in from the environment: not read")
    else:
        reading.state(Component.BROKER, name, value, line)


def _likeness(text: str) -> float:
    return 0.98 if _SERVICES.search(text) and "KAFKA_" in text else 0.0


READERS = (Reader("compose", "docker-compose.yml (KAFKA_… variables)", _likeness, read),)
