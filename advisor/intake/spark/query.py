"""What of a Spark query is neither of its source nor of its sink: its trigger, its checkpoint, and
the session that it runs in.

Sources: Spark performance-tips.md (asynchronous progress tracking, continuous processing),
real-time-mode.md, apis-on-dataframes-and-datasets.md (checkpoint on a fault-tolerant file system);
DataStreamWriter.scala (SOURCES_ALLOW_ONE_TIME_QUERY), StreamingQueryManager.scala (whose
checkpoint is temporary, and the session's place for checkpoints); ResolveWriteToStream.scala (below
that place a query has a folder of its name, or of a random one).
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
"""Options of a query, which Spark compares without regard to their case."""
SESSION_CHECKPOINT, SPECULATION = "spark.sql.streaming.checkpointLocation", "spark.speculation"
OF_SESSION = frozenset({SESSION_CHECKPOINT, SPECULATION})
"""Settings of the session that count for each of its queries."""

_TRIGGERS = {"continuous": "continuous", "realtime": "real-time"}
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)


def is_option(name: str) -> bool:
    """Whether an option is one of the query, and neither of its source nor of its sink."""
    return name.lower() in _OPTIONS


def trigger(reading: Reading, word: str, line: int) -> None:
    """States a trigger by its name in code; any other than these two is micro-batches."""
    kind = _TRIGGERS.get(word.lower())
    if kind:
        reading.state(Component.APPLICATION, "trigger", kind, line)


def one_time(reading: Reading, code: str, sink: str, line: int) -> None:
    """States what follows for a query that writes to a function, in code without a checkpoint: it
    has a temporary one, and begins anew at each start. One that writes to Kafka would not start."""
    if _CHECKPOINT.lower() in code.lower():
        return
    reading.state(Component.APPLICATION, "checkpoint", "local", line)
    words = f"{sink} without {_CHECKPOINT}: the query begins anew at each start, unless the session"
    reading.note(line, f"{words} states {SESSION_CHECKPOINT} elsewhere (application.checkpoint)")


def settle(reading: Reading, code: str = "") -> None:
    """Turns options of the query, and settings of its session, into what they say of the
    application."""
    _session(reading, code)
    named = [(_OPTIONS.get(entry.name.lower()), entry) for entry in reading.items]
    reading.items = [entry for name, entry in named if name is None]
    for name, item in named:
        if name == _CHECKPOINT:
            _checkpoint(reading, item)
        elif name == _ASYNC and item.text.strip().lower() == "true":
            reading.state(Component.APPLICATION, "trigger", "async-progress", item.line)
        elif name == _INTERVAL:
            words = f"{_INTERVAL} says how much is done again; it counts with {_ASYNC}=true"
            reading.note(item.line, words)
    places = [item for item in reading.items if item.name == "checkpoint"]
    if any(item.text == "local" for item in places):  # of several queries the weaker one counts
        reading.items = [
            item for item in reading.items if item not in places or item.text == "local"
        ]


def _session(reading: Reading, code: str) -> None:
    """An option of the query goes before what the session says of all checkpoints."""
    stated = [item for item in reading.items if item.name in OF_SESSION]
    reading.items = [item for item in reading.items if item.name not in OF_SESSION]
    by_query = any(item.name.lower() == _CHECKPOINT.lower() for item in reading.items)
    for item in stated:
        if item.name == SPECULATION:
            reading.state(Component.APPLICATION, "speculation", item.text, item.line)
        elif not by_query and ".writeStream" in code and "queryName" not in code:
            reading.state(Component.APPLICATION, "checkpoint", "local", item.line)
            words = (
                f"a query without queryName has a folder of its own below {SESSION_CHECKPOINT} at "
            )
            reading.note(item.line, f"{words}each start, and begins anew (application.checkpoint)")
        elif not by_query:
            reading.items.append(replace(item, name=_CHECKPOINT))


def _checkpoint(reading: Reading, item: Item) -> None:
    """A path without a file system is one of fs.defaultFS, which is file:/// unless Hadoop's files
    or the session say otherwise (core-default.xml); a temporary folder is nowhere else."""
    place = item.text.strip()
    scheme = _SCHEME.match(place)
    local = scheme[1].lower() == "file" if scheme else bool(temporary(place))
    if local or scheme:
        reading.state(
            Component.APPLICATION, "checkpoint", "local" if local else "durable", item.line
        )
    else:
        words = (
            f"{_CHECKPOINT} names no file system: fs.defaultFS decides, and that is the machine's "
        )
        words += "own disk unless somebody set it. It is taken to last; say where it is"
        reading.note(item.line, f"{words} (application.checkpoint)")
