"""Settings of clients under custom names, in the files of an application: its code passes them to a
client, in a way that the file does not show."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.catalog import Component, Family
from advisor.intake.clients.known_settings import known_keys, newest
from advisor.intake.clients.placeholders import by_default
from advisor.intake.clients.sure_names import sure_setting
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Reading
from advisor.intake.text import shown

_FRAMEWORK_PREFIXES = (
    "spring.", "management.", "logging.", "quarkus.", "mp.", "smallrye.", "micronaut.", "camel.",
    "kafka-streams.", "kafka.consumers.", "kafka.producers.", "kafka.streams.", "debezium.",
)  # fmt: skip
_OTHER_BROKERS = re.compile(r"rabbit|amqp|nats|pulsar|mqtt|jms|sqs|redis|kinesis|artemis|rocket")
_PLACEHOLDER = re.compile(r"\$\{([^${}:]{1,200})")
_CLIENT_WORD = re.compile(r"kafka|consumer|reader|subscriber")
_SAFE_VALUES = {
    "acks": ("all", "-1"), "enable.idempotence": ("true",), "auto.offset.reset": ("earliest",),
    "enable.auto.commit": ("false",), "isolation.level": ("read_committed",),
}  # fmt: skip
"""Values that are safe for any client."""


def refuse_custom_names(reading: Reading, leaves: Iterable[Leaf], written: Iterable[Leaf]) -> None:
    """Refuses the first setting that decides, if its name is no framework's and no placeholder
    refers to it. `written` are the leaves before placeholders are filled in."""
    placeholders = {name for leaf in written for name in _PLACEHOLDER.findall(leaf.text)}
    java = newest(Family.JAVA)
    known = known_keys(java, Component.PRODUCER) | known_keys(java, Component.CONSUMER)
    for leaf in leaves:
        name = ".".join(leaf.path)
        lower_name = name.lower()
        if lower_name.startswith(_FRAMEWORK_PREFIXES) or lower_name.removeprefix("kafka.") in known:
            continue
        if name in placeholders:
            continue
        key = None if _OTHER_BROKERS.search(lower_name) else sure_setting(lower_name)
        if key == "isolation.level" and not _CLIENT_WORD.search(lower_name):
            continue
        if key and by_default(leaf.text).strip().lower() not in _SAFE_VALUES[key]:
            words = f"is {key} of a client, under a name that only your code knows. Give the "
            words += "settings of that client as properties, one file for each client, or leave "
            words += "that out"
            reading.add_problem(Component.APPLICATION, name, leaf.line, f"{shown(name)} {words}")
            return
