"""Names that nothing but a setting of a client has, however an application calls it."""

from __future__ import annotations

import re
from collections.abc import Mapping

SURE: Mapping[str, str] = {
    "acks": "acks",
    "requiredacks": "acks",
    "enableidempotence": "enable.idempotence",
    "autooffsetreset": "auto.offset.reset",
    "offsetreset": "auto.offset.reset",
    "initialoffset": "auto.offset.reset",
    "enableautocommit": "enable.auto.commit",
    "isolationlevel": "isolation.level",
}
"""Settings of clients that nothing else has, whatever stands before one of them: as they are called
without anything between their words, and by libraries."""
_OF_DATABASES = re.compile(r"(?:^|[._-])(?:db|pg|tx|\w*(?:sql|jdbc|base|source|postgres))[._-]")


def sure(name: str) -> str | None:
    """The setting of a client that a name ends in, where nothing else is called so."""
    words = re.split(r"[._-]", name)
    found = (SURE.get("".join(words[first:])) for first in range(len(words)))
    sure = next(filter(None, found), None)
    return None if sure == "isolation.level" and _OF_DATABASES.search(name) else sure
