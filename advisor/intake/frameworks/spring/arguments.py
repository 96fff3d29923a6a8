"""What a Spring application is started with: `SPRING_APPLICATION_JSON`, `-Dspring.kafka.…` of its
JVM, `--spring.kafka.…` of itself. Each goes before its variables and files, the last before all.

Source: Spring Boot reference, "Externalized Configuration". JVMs take options from variables, too
(`JAVA_TOOL_OPTIONS`, and others that start scripts read).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from advisor.intake.clients.known_settings import decides
from advisor.intake.clients.placeholders import COMPOSE
from advisor.intake.formats.arguments import Argument, arguments
from advisor.intake.formats.yaml_nodes import Leaf, documents
from advisor.intake.text import IntakeError, shown

JSON = ("SPRING_APPLICATION_JSON", "spring.application.json")
NOT_HERE = (
    "goes before the application's files, and its JSON is not here. Write the one that counts"
)
_OF_CLIENTS = re.compile(r"spring\.(?:kafka|cloud\.stream)\.", re.IGNORECASE)
_OF_JSON = re.compile(
    rf"(?:-D|--){re.escape(JSON[1])}=[\"'\\]{{0,3}}(?P<json>\{{.{{0,2000}}\}}|)", re.DOTALL
)


def is_argument(text: str) -> bool:
    """Whether a command or a variable states a property of Spring's clients."""
    return any(_of_clients(text)) or _OF_JSON.search(text) is not None


def of_command(text: str, line: int) -> Iterator[tuple[bool, Leaf]]:
    """The properties that a command or a variable states, and whether they are the application's
    own, which go before its JVM's. Raises `IntakeError` for one without a value: what stands behind
    a blank is not its value (SimpleCommandLineArgsParser)."""
    for name, value, is_own in _of_clients(text):
        if value is not None:
            yield is_own, Leaf((name,), value, line)
        elif decides(name):
            words = f"{shown(name)} has no value here: that stands behind =, and not behind a blank"
            raise IntakeError(f"Line {line}: {words}. Write the one that counts.")
    for match in _OF_JSON.finditer(text):
        yield from ((False, leaf) for leaf in of_json(match["json"].replace('\\"', '"'), line))


def _of_clients(text: str) -> Iterator[Argument]:
    return (argument for argument in arguments(text) if _OF_CLIENTS.match(argument.name))


def of_json(text: str, line: int) -> list[Leaf]:
    """The properties of a variable that holds JSON, with what compose fills in by its default.
    Raises `IntakeError`, also where what it holds is not here: it goes before files."""
    text = COMPOSE.sub(r"\2", text)
    if text.lstrip()[:1] != "{":
        raise IntakeError(f"Line {line}: {JSON[0]} {NOT_HERE}.")
    try:
        return [replace(leaf, line=line) for part in documents(text) for leaf in part]
    except IntakeError:
        raise IntakeError(f"Line {line}: {JSON[0]} is not well-formed JSON.") from None
