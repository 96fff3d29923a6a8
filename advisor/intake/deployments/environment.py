"""A file of environment variables (`.env`): of brokers (`KAFKA_…`) and of Spring (`SPRING_…`)."""

from __future__ import annotations

import re

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
from advisor.intake.frameworks.startup import VARIABLE, take_started
from advisor.intake.reading import Given, Reader, Reading
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
    reading = Reading()
    variables, own = list[Variable](), list[Variable]()
    for number, line in enumerate(text.splitlines(), start=1):
        match = _ANY.fullmatch(line.rstrip())
        if match:
            given = Given.named(match[1], _unquoted(match[2]), number, by_file=True)
            reading.given.append(given)
        if match and (_OWN.fullmatch(match[1]) or is_springs(match[1], match[2])):
            variables.append((match[1], _unquoted(match[2]), number))
        elif owner := _FOREIGN.match(line):
            reading.note(number, f"{owner[1]}… is of a product that sets up its clients by rules "
                         "of its own: not read")  # fmt: skip
        elif not match and _UNREAD.match(line):
            words = "this is no line of a file of variables. Write NAME=value"
            raise IntakeError(f"Line {number}: {words}.")
        elif match:
            refuse_unprefixed(match[1], number)
            own.append((match[1], _unquoted(match[2]), number))
    for variable, text, number in variables:
        if not is_springs(variable, text):
            refuse_clients(variable, number)
    if not variables:
        reading.empty = "there is no variable KAFKA_… or SPRING_KAFKA_… here."
    take_started(reading, [*own, *variables])
    refuse_arguments([(text, line) for _, text, line in [*own, *variables]])
    take(reading, of_servers(reading, {"": variables}))
    return reading


def _unquoted(text: str) -> str:
    """A value without the quotes around it, and without a comment behind."""
    if text[:1] in ("'", '"') and (end := text.find(text[0], 1)) > 0:
        return text[1:end]
    return text.partition(" #")[0].strip()


def _likeness(text: str) -> float:
    return 0.9 if _LIKE.search(text) and not _DOCKERFILE.search(text) else 0.0


READERS = (Reader("environment", "Variables (.env: KAFKA_…, SPRING_KAFKA_…)", _likeness, read),)
