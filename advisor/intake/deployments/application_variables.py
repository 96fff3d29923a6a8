"""Variables of an application of the team's own, which its code hands on to a client."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import dropwhile

from advisor.catalog import Component, Family
from advisor.catalog.texts import is_free
from advisor.intake.clients.known_settings import decides, is_weighed, known_keys, newest
from advisor.intake.clients.sure_names import SURE, sure_setting
from advisor.intake.deployments.images import setting_of
from advisor.intake.formats.arguments import arguments
from advisor.intake.text import IntakeError, shown

_BEFORE = frozenset({
    "producer", "consumer", "client", "clients", "properties", "config", "default", "rest",
    "streams", "app", "kafka",
})  # fmt: skip
"""What applications put between KAFKA and a setting's name."""


_OF_FRAMEWORKS = (
    "mp.messaging.", "quarkus.kafka.streams.", "producers.", "consumers.", "kafka.producers.",
    "kafka.consumers.",
)  # fmt: skip
"""What begins a property of a channel (Quarkus) or of a client by its name (Micronaut)."""
OPTIONS = re.compile(r"(?:JAVA|JDK_JAVA|JVM)_(?:TOOL_)?(?:OPTS|OPTIONS)")
"""Variables of arguments, which may be an application's."""
_OF_PROFILE = re.compile(r"\A\.\w{1,60}\.(?=mp\.|quarkus\.)")
"""`_PROD_MP_MESSAGING_…` counts in profile prod (SmallRye Config, "Environment Variables")."""
_IN_VALUE = re.compile(
    rf"(?:^|[\s,;{{\"'(])(?P<name>{'|'.join(map(re.escape, {*SURE.values()}))})[\"']?[ \t]*[=:]"
)
"""A setting of a client in the value of a variable, or in an argument."""
_TOOLS = re.compile(r"(?<![\w-])kafka-[a-z]|\b(?:kcat|kafkacat|curl)\b")
"""Products that are started with such settings and are not applications."""


def _nested(name: str) -> str:
    """A name as applications nest it: `KAFKA__CLIENT__ACKS` is client.acks."""
    return name.replace("_", ".").replace("-", ".")


def _refuse_of_frameworks(variable: str, name: str, line: int) -> None:
    if _OF_PROFILE.sub("", name).startswith(_OF_FRAMEWORKS) and decides(name):
        what = f"{shown(variable)} goes before the application's own files, and is not read"
        instead = "State it in the application's own file, and leave it out here."
        raise IntakeError(f"Line {line}: {what}. {instead}")


def refuse_clients(variable: str, line: int) -> None:
    """Raises `IntakeError` for a variable of a client's setting that counts: brokers pass over it,
    and what the application makes of it is not in the file."""
    name = setting_of(variable)
    if name in known_keys(newest(Family.JAVA), Component.BROKER):
        return
    name = _nested(name)
    _refuse_of_frameworks(variable, name, line)
    words = dropwhile(_BEFORE.__contains__, [word for word in name.split(".") if word])
    own = sure_setting(name) or ".".join(words)
    for part in (Component.PRODUCER, Component.CONSUMER):
        if is_weighed(Family.JAVA, part, own) and not is_free(own):
            what = f"{shown(variable)} is {own} of a {part} as an application of your own has it."
            instead = f"Give {own} as properties of the {part}, and leave that out."
            raise IntakeError(f"Line {line}: {what} {instead}")


def refuse_unprefixed(variable: str, line: int) -> None:
    """The same for a variable without KAFKA_, where its name alone tells that it is a client's.
    Where the name of a channel of Quarkus ends in it cannot be seen."""
    name = _nested(setting_of(variable))
    _refuse_of_frameworks(variable, name, line)
    if name.startswith(("producer.", "consumer.", "kafka.")) or sure_setting(name) is not None:
        refuse_clients(variable, line)


def refuse_arguments(texts: Iterable[tuple[str, int]]) -> None:
    """The same for the arguments of a command, or of a variable of arguments, but for Spring's,
    which are read."""
    for text, line in texts:
        is_tool = _TOOLS.search(text) is not None
        for name, _, _ in arguments(text):
            is_bare = "." not in name and not is_tool and sure_setting(name) is not None
            if is_bare or ("." in name and name[0].islower() and not name.startswith("spring.")):
                refuse_unprefixed(name, line)
        own = None if is_tool or "spring" in text or "\n" in text else _IN_VALUE.search(text)
        if own:
            what = f"{own['name']} stands in a value here, as an application of your own has it"
            instead = f"Give {own['name']} as properties of its client, and leave that out."
            raise IntakeError(f"Line {line}: {what}. {instead}")
