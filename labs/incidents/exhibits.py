"""What every play leaves to look at besides what its steps chose: logs of brokers, and segments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from labs.engine.cluster.broker import Broker
from labs.engine.distributions.java import Java
from labs.incidents import past_files
from labs.incidents.model import Exhibit
from labs.incidents.programs import ProgramFailed, run_java

_MOST_LINES = 14
_COMPLAINT = re.compile(r"\] (WARN|ERROR|FATAL) ")
_LOGS = "The brokers' logs: the topics of this play, and complaints"
_SEGMENTS = "The segments, as kafka-dump-log prints them"
_OWN = re.compile(r"(?!__)(.+)-(\d+)")
"""A log of the play's own topics."""


def chosen(exhibits: Iterable[Exhibit]) -> list[Exhibit]:
    """Those that the steps of a play chose to show."""
    return [one for one in exhibits if not one.title.startswith((_LOGS, _SEGMENTS))]


def log_exhibit(brokers: Mapping[int, Broker], folder: Path) -> Exhibit:
    """What each broker logged of the play's topics, and its complaints: the last lines."""
    parts = []
    for number, broker in brokers.items():
        topics = {log.name.rpartition("-")[0] for log in _logs(broker.data)}
        lines = _lines(broker, topics)
        shown = [line.replace(f"{folder}/", "")[:400] for line in lines[-_MOST_LINES:]]
        left_out = len(lines) - len(shown)
        head = f"broker {number}" + (f", after {left_out} earlier lines" if left_out else "")
        parts.append("\n".join([f"{head}:", *(shown or ["nothing of these topics"])]))
    return Exhibit(_LOGS, "\n".join(parts))


def segment_exhibit(
    broker: Broker, version: str, tools_path: str, java: Java, folder: Path
) -> Exhibit:
    """The segments of the play's first topic on one broker, as the release's own tool prints them.

    Its first and its last lines, where there are many.
    """
    log = next(iter(_logs(broker.data)), None)
    if log is None:
        return Exhibit(_SEGMENTS, "The broker has no log of a topic of this play.")
    words = ("--deep-iteration", "--print-data-log", "--files", past_files.segments(log))
    try:
        text = run_java(java, tools_path, folder, past_files.dump_tool(version), *words)
    except ProgramFailed as failed:  # a log that is damaged is a part of some plays
        text = str(failed)
    lines = [line.replace(f"{folder}/", "")[:400] for line in text.splitlines()]
    if len(lines) > 2 * _MOST_LINES:
        left_out = len(lines) - 2 * _MOST_LINES
        lines = [*lines[:_MOST_LINES], f"… {left_out:,} lines …", *lines[-_MOST_LINES:]]
    return Exhibit(f"{_SEGMENTS}: {log.name} on {broker.name}", "\n".join(lines))


def _logs(data: Path) -> list[Path]:
    """The logs of the play's own topics that have segments, by name."""
    folders = (path for path in data.glob("*-*") if _OWN.fullmatch(path.name))
    return sorted(path for path in folders if any(path.glob("*.log")))


def _lines(broker: Broker, topics: set[str]) -> list[str]:
    """Its lines of these topics, and complaints; of lines that differ in their time, the last."""
    text = broker.log.read_text("utf-8", "replace") if broker.log.exists() else ""
    last: dict[str, str] = {}
    for line in text.splitlines():
        if _COMPLAINT.search(line) or any(f"{topic}-" in line for topic in topics):
            words = line.partition("] ")[2] or line
            last.pop(words, None)
            last[words] = line
    return list(last.values())
