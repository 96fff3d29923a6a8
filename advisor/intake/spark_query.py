"""What of a Spark query is neither of its source nor of its sink: its trigger and its checkpoint.

Sources: Spark performance-tips.md (asynchronous progress tracking, continuous processing),
real-time-mode.md, apis-on-dataframes-and-datasets.md (checkpoint on a fault-tolerant file system).
"""

from __future__ import annotations

import re

from advisor.catalog import Component
from advisor.intake.reading import Item, Reading

_ASYNC, _INTERVAL = "asyncProgressTrackingEnabled", "asyncProgressTrackingCheckpointIntervalMs"
_CHECKPOINT = "checkpointLocation"
NAMES = frozenset({_ASYNC, _INTERVAL, _CHECKPOINT})
"""Options of a query, which Spark compares without regard to their case."""

_TRIGGERS = {"continuous": "continuous", "realtime": "real-time"}
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_TEMPORARY = re.compile(r"(?:/private)?(?:/var)?/tmp(?:/|$)")


def trigger(reading: Reading, word: str, line: int) -> None:
    """States a trigger by its name in code; any other than these two is micro-batches."""
    kind = _TRIGGERS.get(word.lower())
    if kind:
        reading.state(Component.APPLICATION, "trigger", kind, line)


def settle(reading: Reading) -> None:
    """Turns options of the query into what they say of the application."""
    options = {name.lower(): name for name in NAMES}
    named = [(options.get(entry.name.lower()), entry) for entry in reading.items]
    reading.items = [entry for name, entry in named if name is None]
    for name, item in named:
        if name == _CHECKPOINT:
            _checkpoint(reading, item)
        elif name == _ASYNC and item.text.strip().lower() == "true":
            reading.state(Component.APPLICATION, "trigger", "async-progress", item.line)
        elif name == _INTERVAL:
            words = f"{_INTERVAL} says how much is done again; it counts with {_ASYNC}=true"
            reading.note(item.line, words)


def _checkpoint(reading: Reading, item: Item) -> None:
    scheme = _SCHEME.match(item.text.strip())
    local = scheme[1].lower() == "file" if scheme else bool(_TEMPORARY.match(item.text.strip()))
    if local or scheme:
        place = "local" if local else "durable"
        reading.state(Component.APPLICATION, "checkpoint", place, item.line)
    else:
        words = f"{_CHECKPOINT} names no file system: say where it is"
        reading.note(item.line, f"{words} (application.checkpoint)")
