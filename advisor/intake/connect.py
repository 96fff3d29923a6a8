"""Files of Kafka Connect, which are recognised and not advised on."""

from __future__ import annotations

import re

from advisor.intake.text import IntakeError

_KEYS = re.compile(
    r"(?:key|value|header)\.converter|plugin\.path"
    r"|(?:offset|config|status)\.storage\.(?:topic|replication\.factor|file\.filename)"
    r"|connector\.class|tasks\.max|(?:producer|consumer|admin)\.override\..+"
)
"""What only Connect's workers and connectors state (WorkerConfig, DistributedConfig,
StandaloneConfig, ConnectorConfig)."""

_BETWEEN = re.compile(r"[\w.-]{1,100}->[\w.-]{1,100}\.[\w.-]{1,100}")
"""What MirrorMaker 2 states of a pair of clusters (MirrorMakerConfig)."""

_WORDS = (
    "of Kafka Connect. Connect sets up the clients of its connectors by rules of its own, and what "
    "they guarantee is not advised on. Nothing of this file is read."
)


def is_of_connect(key: str) -> bool:
    """Whether only Connect has such a setting."""
    return bool(_KEYS.fullmatch(key) or _BETWEEN.fullmatch(key))


def refuse(key: str, line: int) -> None:
    """Raises `IntakeError` for a setting of Connect."""
    if is_of_connect(key):
        raise IntakeError(f"Line {line}: {_named(key)} is {_WORDS}")


def _named(key: str) -> str:
    return "a pair of clusters of MirrorMaker 2" if _BETWEEN.fullmatch(key) else key
