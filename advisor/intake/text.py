"""The text of a configuration file: how much of it is read, and what is never kept."""

from __future__ import annotations

import re

MAX_BYTES = 1024 * 1024
"""No client's or broker's configuration is near this; what is longer is something else."""

_SECRET = re.compile(
    r"password|passwd|passphrase|secret|jaas|credential|token|username|user\.info"
    r"|private|keytab|principal|key\.pem|api\.key|\.key$",
    re.IGNORECASE,
)


class IntakeError(ValueError):
    """A file that cannot be read at all; the message says why, with the line if there is one."""


def check_size(text: str) -> None:
    """Raises `IntakeError` if the text is longer than `MAX_BYTES`."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise IntakeError(f"The file is longer than {MAX_BYTES} bytes; a configuration is not.")


def is_secret(key: str) -> bool:
    """Whether the value under this key may be a credential. Rather too often than once too few."""
    return _SECRET.search(key) is not None


def shown(key: str) -> str:
    """A key as it may stand in a message: short, and without anything that moves the cursor."""
    printable = "".join(char if char.isprintable() else "·" for char in key)
    return printable if len(printable) <= 60 else printable[:60] + "…"
