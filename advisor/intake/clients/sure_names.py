"""Names that are always a setting of a client, whatever prefix an application adds."""

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
"""Settings of clients by names that mean nothing else, without separators, including names of
libraries."""
_DATABASE_PREFIX = re.compile(r"(?:^|[._-])(?:db|pg|tx|\w*(?:sql|jdbc|base|source|postgres))[._-]")


def sure_setting(name: str) -> str | None:
    """The setting of a client that a name ends in; None if there is none, or if the name may mean
    another thing."""
    words = re.split(r"[._-]", name)
    candidates = (SURE.get("".join(words[first:])) for first in range(len(words)))
    setting = next(filter(None, candidates), None)
    return None if setting == "isolation.level" and _DATABASE_PREFIX.search(name) else setting
