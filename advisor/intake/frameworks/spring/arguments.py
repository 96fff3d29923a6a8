"""Arguments of a Spring application: `SPRING_APPLICATION_JSON`, `-Dspring.kafka.…` of its JVM, and
its `--spring.kafka.…`. Each overrides the variables and files, and the last one overrides all.

Source: Spring Boot reference, "Externalized Configuration". JVMs also take options from variables
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
    "takes precedence over the application's files, and its JSON is not here. Write the one that "
    "counts"
)
_CLIENT_PROPERTY = re.compile(r"spring\.(?:kafka|cloud\.stream)\.", re.IGNORECASE)
_JSON_ARGUMENT = re.compile(
    rf"(?:-D|--){re.escape(JSON[1])}=[\"'\\]{{0,3}}(?P<json>\{{.{{0,2000}}\}}|)", re.DOTALL
)


def is_argument(text: str) -> bool:
    """Whether a command or a variable sets a property of Spring's clients."""
    return any(_client_arguments(text)) or _JSON_ARGUMENT.search(text) is not None


def of_command(text: str, line: int) -> Iterator[tuple[bool, Leaf]]:
    """Yields the properties that a command or a variable sets. The flag is true for those of the
    application, which override those of its JVM.

    Raises `IntakeError` for a property without a value: text after a space is not its value
    (SimpleCommandLineArgsParser).
    """
    for name, value, is_of_application in _client_arguments(text):
        if value is not None:
            yield is_of_application, Leaf((name,), value, line)
        elif decides(name):
            words = f"{shown(name)} has no value here: a value follows =, and not a space"
            raise IntakeError(f"Line {line}: {words}. Write the one that counts.")
    for match in _JSON_ARGUMENT.finditer(text):
        yield from ((False, leaf) for leaf in of_json(match["json"].replace('\\"', '"'), line))


def _client_arguments(text: str) -> Iterator[Argument]:
    return (argument for argument in arguments(text) if _CLIENT_PROPERTY.match(argument.name))


def of_json(text: str, line: int) -> list[Leaf]:
    """The properties of a variable that holds JSON, with the defaults of variables of compose.

    Raises `IntakeError` for JSON that is not well-formed, or not in this file: it overrides files.
    """
    text = COMPOSE.sub(r"\2", text)
    if text.lstrip()[:1] != "{":
        raise IntakeError(f"Line {line}: {JSON[0]} {NOT_HERE}.")
    try:
        return [replace(leaf, line=line) for part in documents(text) for leaf in part]
    except IntakeError:
        raise IntakeError(f"Line {line}: {JSON[0]} is not well-formed JSON.") from None
