"""Variables `KAFKA_…` of an application of the team's own, which its code hands on to a client."""

from __future__ import annotations

import re
from itertools import dropwhile

from advisor.catalog import Component, Family
from advisor.catalog.texts import is_free
from advisor.intake.known import is_weighed, known_keys, newest
from advisor.intake.text import IntakeError, shown

_BEFORE = frozenset({
    "producer", "consumer", "client", "clients", "properties", "config", "default", "rest",
    "streams", "app",
})  # fmt: skip
"""What applications put between KAFKA and a setting's name."""


def refuse_clients(variable: str, line: int) -> None:
    """Raises `IntakeError` for a variable of a client's setting that counts: brokers pass over it,
    and what the application makes of it is not in the file."""
    name = re.sub(r"^KAFKA_(?:CFG_)?", "", variable).lower().replace("_", ".")
    if name in known_keys(newest(Family.JAVA), Component.BROKER):
        return
    own = ".".join(dropwhile(_BEFORE.__contains__, [word for word in name.split(".") if word]))
    for part in (Component.PRODUCER, Component.CONSUMER):
        if is_weighed(Family.JAVA, part, own) and not is_free(own):
            what = f"{shown(variable)} is {own} of a {part} as an application of your own has it."
            instead = f"Give {own} as properties of the {part}, and leave the variable out."
            raise IntakeError(f"Line {line}: {what} {instead}")
