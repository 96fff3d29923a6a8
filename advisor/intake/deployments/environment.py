"""Files of environment variables (`.env`): for brokers (`KAFKA_…`) and Spring (`SPRING_…`)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from advisor.intake.deployments.application_variables import (
    refuse_arguments,
    refuse_clients,
    refuse_unprefixed,
)
from advisor.intake.deployments.compose.services import (
    OTHER_PRODUCTS,
    Variable,
    is_spring_variable,
    server_variables,
    take_variables,
)
from advisor.intake.frameworks.spring.arguments import JSON
from advisor.intake.frameworks.spring.variables import PREFIX, STREAM
from advisor.intake.frameworks.startup import VARIABLE, take_start_profiles
from advisor.intake.reading import Reader, Reading, VariableValue
from advisor.intake.text import IntakeError

_KAFKA_NAME = rf"(?:KAFKA_|{PREFIX}|{STREAM})\w{{1,200}}"
_KAFKA_VARIABLE = re.compile(_KAFKA_NAME)
_MALFORMED_LINE = re.compile(rf"[ \t]*(?!#)\S.{{0,100}}?\b{_KAFKA_NAME}[ \t]*=")
_ASSIGNMENT = re.compile(r"[ \t]*(?:export[ \t]+)?(\w{1,200})[ \t]*[=:][ \t]*(.*)")
"""Compose accepts a colon and spaces, too (compose-go, dotenv)."""
_LINE = re.compile(rf"[ \t]*(?:export[ \t]+)?(?:{_KAFKA_NAME}|{JSON[0]}|{VARIABLE.pattern})=.*")
_OTHER_PRODUCT = re.compile(rf"[ \t]*(?:export[ \t]+)?({OTHER_PRODUCTS.pattern})")
_DOCKERFILE = re.compile(r"^FROM[ \t]+\S", re.MULTILINE)
_KAFKA_LINE = re.compile(rf"^{_LINE.pattern}$", re.MULTILINE)


def read(text: str) -> Reading:
    """Returns the settings of the variables; other lines are skipped. Raises `IntakeError`."""
    reading, rows = Reading(), list[Variable]()
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _ASSIGNMENT.fullmatch(line.rstrip()):
            rows.append((match[1], _unquoted(match[2]), number))
        elif _MALFORMED_LINE.match(line) and not _OTHER_PRODUCT.match(line):
            words = "this is not a line of a file of variables. Write NAME=value"
            raise IntakeError(f"Line {number}: {words}.")
    reading.variable_values += (VariableValue.by_name(*row, by_file=True) for row in rows)
    take_rows(reading, rows)
    return reading


def take_rows(
    reading: Reading,
    rows: Sequence[Variable],
    commands: Mapping[str, tuple[str, int]] | None = None,
) -> None:
    """Takes the settings of variables and of the commands that are started with them. Raises
    `IntakeError`."""
    variables, other_variables = list[Variable](), list[Variable]()
    for name, value, number in rows:
        if _KAFKA_VARIABLE.fullmatch(name) or is_spring_variable(name, value):
            variables.append((name, value, number))
        elif owner := OTHER_PRODUCTS.match(name):
            words = "belongs to a product that configures its clients by its own rules"
            reading.note(number, f"{owner[0]}… {words}, and is not read")
        else:
            refuse_unprefixed(name, number)
            other_variables.append((name, value, number))
    for variable, text, number in variables:
        if not is_spring_variable(variable, text):
            refuse_clients(variable, number)
    if not variables:
        reading.empty_reason = "there is no variable KAFKA_… or SPRING_KAFKA_… in this file."
    started_commands = [*(commands or {}).values()]
    take_start_profiles(reading, [*other_variables, *variables], started_commands)
    refuse_arguments(
        [*((text, line) for _, text, line in [*other_variables, *variables]), *started_commands]
    )
    take_variables(reading, server_variables(reading, {"": variables}), commands or {})


def _unquoted(text: str) -> str:
    """A value without the quotes around it, and without the comment after it."""
    if text[:1] in ("'", '"') and (end := text.find(text[0], 1)) > 0:
        return text[1:end]
    return text.partition(" #")[0].strip()


def _likeness(text: str) -> float:
    return 0.9 if _KAFKA_LINE.search(text) and not _DOCKERFILE.search(text) else 0.0


READERS = (Reader("environment", "Variables (.env: KAFKA_…, SPRING_KAFKA_…)", _likeness, read),)
