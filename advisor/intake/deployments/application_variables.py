"""Variables of a team's own application, whose code passes them to a client."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import dropwhile

from advisor.catalog import Component, Family
from advisor.catalog.texts import is_free
from advisor.intake.clients.known_settings import decides, is_modelled, known_keys, newest
from advisor.intake.clients.sure_names import SURE, sure_setting
from advisor.intake.deployments.images import setting_name
from advisor.intake.formats.arguments import arguments
from advisor.intake.text import IntakeError, shown

_NAME_PREFIXES = frozenset({
    "producer", "consumer", "client", "clients", "properties", "config", "default", "rest",
    "streams", "app", "kafka",
})  # fmt: skip
"""Words that applications put between KAFKA and the name of a setting."""


_FRAMEWORK_PREFIXES = (
    "mp.messaging.", "quarkus.kafka.streams.", "producers.", "consumers.", "kafka.producers.",
    "kafka.consumers.",
)  # fmt: skip
"""Prefixes of the properties of a channel (Quarkus) or of a client by name (Micronaut)."""
OPTIONS = re.compile(r"(?:JAVA|JDK_JAVA|JVM)_(?:TOOL_)?(?:OPTS|OPTIONS)")
"""Variables that hold the arguments of a JVM, and so perhaps an application's."""
_PROFILE_PREFIX = re.compile(r"\A\.\w{1,60}\.(?=mp\.|quarkus\.)")
"""`_PROD_MP_MESSAGING_…` counts in profile prod (SmallRye Config, "Environment Variables")."""
_CLIENT_SETTING = re.compile(
    rf"(?:^|[\s,;{{\"'(])(?P<name>{'|'.join(map(re.escape, {*SURE.values()}))})[\"']?[ \t]*[=:]"
)
"""The name of a client's setting in the value of a variable, or in an argument."""
_TOOL = re.compile(r"(?<![\w-])kafka-[a-z]|\b(?:kcat|kafkacat|curl)\b")
"""Tools that take such settings as arguments and are not applications."""


def _dotted_name(name: str) -> str:
    """A name with dots, as applications nest it: `KAFKA__CLIENT__ACKS` is client.acks, and so is
    `client[acks]`."""
    return re.sub(r"[_\[-]", ".", name.removesuffix("]"))


def _refuse_framework_properties(variable: str, name: str, line: int) -> None:
    if _PROFILE_PREFIX.sub("", name).startswith(_FRAMEWORK_PREFIXES) and decides(name):
        what = (
            f"{shown(variable)} takes precedence over the application's own files, and is not read"
        )
        instead = "State it in the application's own file, and remove it here."
        raise IntakeError(f"Line {line}: {what}. {instead}")


def refuse_clients(variable: str, line: int) -> None:
    """Raises `IntakeError` for a variable that sets a client's setting that counts: brokers ignore
    it, and how the application uses it is not in the file."""
    name = setting_name(variable)
    if name in known_keys(newest(Family.JAVA), Component.BROKER):
        return
    name = _dotted_name(name)
    _refuse_framework_properties(variable, name, line)
    words = dropwhile(_NAME_PREFIXES.__contains__, [word for word in name.split(".") if word])
    setting = sure_setting(name) or ".".join(words)
    for component in (Component.PRODUCER, Component.CONSUMER):
        if is_modelled(Family.JAVA, component, setting) and not is_free(setting):
            what = f"is {setting} of a {component}, as in an application of your own."
            instead = f"Give {setting} as properties of the {component}, and remove the variable."
            raise IntakeError(f"Line {line}: {shown(variable)} {what} {instead}")


def refuse_unprefixed(variable: str, line: int) -> None:
    """Raises `IntakeError` for such a variable without KAFKA_, if its name alone shows that it is a
    client's. Where the name of a Quarkus channel ends in it cannot be seen."""
    name = _dotted_name(setting_name(variable))
    _refuse_framework_properties(variable, name, line)
    if name.startswith(("producer.", "consumer.", "kafka.")) or sure_setting(name) is not None:
        refuse_clients(variable, line)


def refuse_arguments(texts: Iterable[tuple[str, int]]) -> None:
    """Raises `IntakeError` for a client's setting in the arguments of a command or of a variable,
    except for Spring's, which are read."""
    for text, line in texts:
        is_tool = _TOOL.search(text) is not None
        for name, _, _ in arguments(text):
            is_bare = "." not in name and not is_tool and sure_setting(name) is not None
            if is_bare or ("." in name and name[0].islower() and not name.startswith("spring.")):
                refuse_unprefixed(name, line)
        is_skipped = is_tool or "spring" in text or "\n" in text
        if not is_skipped and (match := _CLIENT_SETTING.search(text)):
            what = f"{match['name']} is in a value here, as in an application of your own"
            instead = f"Give {match['name']} as properties of its client, and remove it here."
            raise IntakeError(f"Line {line}: {what}. {instead}")
