"""Settings of a Spark query that belong neither to its source nor to its sink: its trigger, its
checkpoint and its session.

Sources: Spark performance-tips.md (asynchronous progress tracking, continuous processing),
real-time-mode.md, apis-on-dataframes-and-datasets.md (checkpoint on a fault-tolerant file system);
DataStreamWriter.scala (SOURCES_ALLOW_ONE_TIME_QUERY), StreamingQueryManager.scala (temporary
checkpoints, and the session's checkpoint location); ResolveWriteToStream.scala (a query has a
folder with its name, or with a random name, in that location).
"""

from __future__ import annotations

import re
from dataclasses import replace

from advisor.catalog import Component
from advisor.catalog.texts import temporary
from advisor.intake.reading import Item, Reading

_ASYNC, _INTERVAL = "asyncProgressTrackingEnabled", "asyncProgressTrackingCheckpointIntervalMs"
_CHECKPOINT = "checkpointLocation"
_OPTIONS = {name.lower(): name for name in (_ASYNC, _INTERVAL, _CHECKPOINT)}
"""Options of a query, whose case Spark ignores."""
SESSION_CHECKPOINT, SPECULATION = "spark.sql.streaming.checkpointLocation", "spark.speculation"
SESSION_SETTINGS = frozenset({SESSION_CHECKPOINT, SPECULATION})
"""Settings of the session that apply to all of its queries."""

_TRIGGERS = {"continuous": "continuous", "realtime": "real-time"}
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)


def is_query_option(name: str) -> bool:
    """Whether an option belongs to the query, and neither to its source nor to its sink."""
    return name.lower() in _OPTIONS


def set_trigger(reading: Reading, word: str, line: int) -> None:
    """Sets the trigger by its name in code. Any trigger but these two is for micro-batches."""
    kind = _TRIGGERS.get(word.lower())
    if kind:
        reading.add_setting(Component.APPLICATION, "trigger", kind, line)


def set_temporary_checkpoint(reading: Reading, code: str, sink: str, line: int) -> None:
    """Sets a local checkpoint for a query that writes to a function, if the code states no
    checkpoint: Spark makes a temporary one, and the query begins anew at each start. A query that
    writes to Kafka would not start."""
    if _CHECKPOINT.lower() in code.lower():
        return
    reading.add_setting(Component.APPLICATION, "checkpoint", "local", line)
    words = f"{sink} without {_CHECKPOINT}: the query begins anew at each start, unless the session"
    reading.note(line, f"{words} states {SESSION_CHECKPOINT} elsewhere (application.checkpoint)")


def resolve_options(reading: Reading, code: str = "") -> None:
    """Replaces options of the query, and settings of its session, by settings of the
    application."""
    _resolve_session(reading, code)
    entries = [(_OPTIONS.get(entry.name.lower()), entry) for entry in reading.items]
    reading.items = [entry for name, entry in entries if name is None]
    for name, item in entries:
        if name == _CHECKPOINT:
            _resolve_checkpoint(reading, item)
        elif name == _ASYNC and item.text.strip().lower() == "true":
            reading.add_setting(Component.APPLICATION, "trigger", "async-progress", item.line)
        elif name == _INTERVAL:
            words = f"{_INTERVAL} limits how much is repeated; it counts with {_ASYNC}=true"
            reading.note(item.line, words)
    checkpoints = [item for item in reading.items if item.name == "checkpoint"]
    if any(item.text == "local" for item in checkpoints):  # the weakest one counts
        reading.items = [
            item for item in reading.items if item not in checkpoints or item.text == "local"
        ]


def _resolve_session(reading: Reading, code: str) -> None:
    """Replaces settings of the session. An option of the query overrides the session's
    checkpoint."""
    settings = [item for item in reading.items if item.name in SESSION_SETTINGS]
    reading.items = [item for item in reading.items if item.name not in SESSION_SETTINGS]
    is_stated = any(item.name.lower() == _CHECKPOINT.lower() for item in reading.items)
    for item in settings:
        if item.name == SPECULATION:
            reading.add_setting(Component.APPLICATION, "speculation", item.text, item.line)
        elif not is_stated and ".writeStream" in code and "queryName" not in code:
            reading.add_setting(Component.APPLICATION, "checkpoint", "local", item.line)
            words = (
                f"a query without queryName has a new folder in {SESSION_CHECKPOINT} at each start"
            )
            reading.note(item.line, f"{words}, and begins anew (application.checkpoint)")
        elif not is_stated:
            reading.items.append(replace(item, name=_CHECKPOINT))


def _resolve_checkpoint(reading: Reading, item: Item) -> None:
    """Sets whether a checkpoint is local or durable. A path without a file system is resolved by
    fs.defaultFS, which is file:/// unless Hadoop's files or the session state another one
    (core-default.xml). A temporary folder is always local."""
    place = item.text.strip()
    scheme = _SCHEME.match(place)
    is_local = scheme[1].lower() == "file" if scheme else bool(temporary(place))
    if is_local or scheme:
        reading.add_setting(
            Component.APPLICATION, "checkpoint", "local" if is_local else "durable", item.line
        )
    else:
        words = (
            f"{_CHECKPOINT} names no file system: fs.defaultFS decides, and that is the machine's "
        )
        words += "own disk unless it is set. It is assumed to be durable; say where it is"
        reading.note(item.line, f"{words} (application.checkpoint)")
