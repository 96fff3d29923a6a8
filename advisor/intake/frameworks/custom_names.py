"""Settings of clients under names of a team's own, in the files of an application: its code hands
them on to a client, and what becomes of them is not in the file."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.catalog import Component, Family
from advisor.intake.clients.known_settings import known_keys, newest
from advisor.intake.clients.placeholders import by_default
from advisor.intake.clients.sure_names import sure
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Reading
from advisor.intake.text import shown

_OF_FRAMEWORKS = (
    "spring.", "management.", "logging.", "quarkus.", "mp.", "smallrye.", "micronaut.", "camel.",
    "kafka-streams.", "kafka.consumers.", "kafka.producers.", "kafka.streams.", "debezium.",
)  # fmt: skip
_OF_OTHERS = re.compile(r"rabbit|amqp|nats|pulsar|mqtt|jms|sqs|redis|kinesis|artemis|rocket")
_FILLED = re.compile(r"\$\{([^${}:]{1,200})")
_OF_CLIENT = re.compile(r"kafka|consumer|reader|subscriber")
_SAFE = {
    "acks": ("all", "-1"), "enable.idempotence": ("true",), "auto.offset.reset": ("earliest",),
    "enable.auto.commit": ("false",), "isolation.level": ("read_committed",),
}  # fmt: skip
"""What harms nobody, whichever client has it."""


def refuse_custom_names(reading: Reading, leaves: Iterable[Leaf], written: Iterable[Leaf]) -> None:
    """Refuses the first setting that decides, whose name nothing of a framework's has, and which
    fills in nothing here. `written` is what the files say before anything is filled in."""
    fills = {name for leaf in written for name in _FILLED.findall(leaf.text)}
    java = newest(Family.JAVA)
    known = known_keys(java, Component.PRODUCER) | known_keys(java, Component.CONSUMER)
    for leaf in leaves:
        name = ".".join(leaf.path)
        plain = name.lower()
        if plain.startswith(_OF_FRAMEWORKS) or plain.removeprefix("kafka.") in known:
            continue
        if name in fills:
            continue
        own = None if _OF_OTHERS.search(plain) else sure(plain)
        if own == "isolation.level" and not _OF_CLIENT.search(plain):
            continue
        if own and by_default(leaf.text).strip().lower() not in _SAFE[own]:
            words = f"is {own} of a client as code of your own has it. Give the settings of that "
            words += "client as properties, one file for each client, or leave that out"
            reading.wrong(Component.APPLICATION, name, leaf.line, f"{shown(name)} {words}")
            return
