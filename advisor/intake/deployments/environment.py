"""A file of environment variables (`.env`): of brokers (`KAFKA_…`) and of Spring (`SPRING_…`)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from advisor.intake.deployments.application_variables import (
    refuse_arguments,
    refuse_clients,
    refuse_unprefixed,
)
from advisor.intake.deployments.compose.services import (
    OTHERS,
    Variable,
    is_springs,
    of_servers,
    take,
)
from advisor.intake.frameworks.spring.arguments import JSON
from advisor.intake.frameworks.spring.variables import PREFIX, STREAM
from advisor.intake.frameworks.startup import VARIABLE, take_start_profiles
from advisor.intake.reading import Reader, Reading, VariableValue
from advisor.intake.text import IntakeError

_OURS = rf"(?:KAFKA_|{PREFIX}|{STREAM})\w{{1,200}}"
_OWN = re.compile(_OURS)
_UNREAD = re.compile(rf"[ \t]*(?!#)\S.{{0,100}}?\b{_OURS}[ \t]*=")
_ANY = re.compile(r"[ \t]*(?:export[ \t]+)?(\w{1,200})[ \t]*[=:][ \t]*(.*)")
"""Compose takes a colon and blanks, too (compose-go, dotenv)."""
_LINE = re.compile(rf"[ \t]*(?:export[ \t]+)?(?:{_OURS}|{JSON[0]}|{VARIABLE.pattern})=.*")
_FOREIGN = re.compile(rf"[ \t]*(?:export[ \t]+)?({OTHERS.pattern})")
_DOCKERFILE = re.compile(r"^FROM[ \t]+\S", re.MULTILINE)
_LIKE = re.compile(rf"^{_LINE.pattern}$", re.MULTILINE)


def read(text: str) -> Reading:
    """What the variables state; other lines are passed over. Raises `IntakeError`."""
    reading, rows = Reading(), list[Variable]()
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _ANY.fullmatch(line.rstrip()):
            rows.append((match[1], _unquoted(match[2]), number))
        elif _UNREAD.match(line) and not _FOREIGN.match(line):
            words = "this is no line of a file of variables. Write NAME=value"
            raise IntakeError(f"Line {number}: {words}.")
    reading.variable_values += (VariableValue.by_name(*row, by_file=True) for row in rows)
    take_rows(reading, rows)
    return reading


def take_rows(
    reading: Reading,
    rows: Sequence[Variable],
    commands: Mapping[str, tuple[str, int]] | None = None,
) -> None:
    """Takes what variables state, and what the commands state that are started with them. Raises
    `IntakeError`."""
    variables, own = list[Variable](), list[Variable]()
    for name, value, number in rows:
        if _OWN.fullmatch(name) or is_springs(name, value):
            variables.append((name, value, number))
        elif owner := OTHERS.match(name):
            reading.note(number, f"{owner[0]}… is of a product that sets up its clients by rules "
                         "of its own: not read")  # fmt: skip
        else:
            refuse_unprefixed(name, number)
            own.append((name, value, number))
    for variable, text, number in variables:
        if not is_springs(variable, text):
            refuse_clients(variable, number)
    if not variables:
        reading.empty_reason = "there is no variable KAFKA_… or SPRING_KAFKA_… here."
    started = [*(commands or {}).values()]
    take_start_profiles(reading, [*own, *variables], started)
    refuse_arguments([*((text, line) for _, text, line in [*own, *variables]), *started])
    take(reading, of_servers(reading, {"": variables}), commands or {})


def _unquoted(text: str) -> str:
    """A value without the quotes around it, and without a comment behind."""
    if text[:1] in ("'", '"') and (end := text.find(text[0], 1)) > 0:
        return text[1:end]
    return text.partition(" #")[0].strip()


def _likeness(text: str) -> float:
    return 0.9 if _LIKE.search(text) and not _DOCKERFILE.search(text) else 0.0


READERS = (Reader("environment", "Variables (.env: KAFKA_…, SPRING_KAFKA_…)", _likeness, read),)
