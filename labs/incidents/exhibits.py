"""The exhibits of every play, besides those of its steps: logs of brokers, and segments."""

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
_PLAY_LOG = re.compile(r"(?!__)(.+)-(\d+)")
"""A log of one of the play's topics, not of an internal one."""


def chosen(exhibits: Iterable[Exhibit]) -> list[Exhibit]:
    """Returns the exhibits of the steps of a play."""
    return [exhibit for exhibit in exhibits if not exhibit.title.startswith((_LOGS, _SEGMENTS))]


def log_exhibit(brokers: Mapping[int, Broker], folder: Path) -> Exhibit:
    """Returns the last log lines of each broker on the play's topics, and its complaints."""
    parts = []
    for number, broker in brokers.items():
        topics = {log.name.rpartition("-")[0] for log in _logs(broker.data)}
        lines = _lines(broker, topics)
        shown = [line.replace(f"{folder}/", "")[:400] for line in lines[-_MOST_LINES:]]
        omitted = len(lines) - len(shown)
        head = f"broker {number}" + (f", after {omitted} earlier lines" if omitted else "")
        parts.append("\n".join([f"{head}:", *(shown or ["nothing of these topics"])]))
    return Exhibit(_LOGS, "\n".join(parts))


def segment_exhibit(
    broker: Broker, version: str, tools_path: str, java: Java, folder: Path
) -> Exhibit:
    """Returns the segments of the play's first topic on one broker, from the release's dump tool.

    A long dump is cut to its first and last lines.
    """
    log = next(iter(_logs(broker.data)), None)
    if log is None:
        return Exhibit(_SEGMENTS, "The broker has no log of a topic of this play.")
    words = ("--deep-iteration", "--print-data-log", "--files", past_files.segments(log))
    try:
        text = run_java(java, tools_path, folder, past_files.dump_tool(version), *words)
    except ProgramFailed as failed:  # some plays damage a log
        text = str(failed)
    lines = [line.replace(f"{folder}/", "")[:400] for line in text.splitlines()]
    if len(lines) > 2 * _MOST_LINES:
        omitted = len(lines) - 2 * _MOST_LINES
        lines = [*lines[:_MOST_LINES], f"… {omitted:,} lines …", *lines[-_MOST_LINES:]]
    return Exhibit(f"{_SEGMENTS}: {log.name} on {broker.name}", "\n".join(lines))


def _logs(data: Path) -> list[Path]:
    """Returns the logs of the play's topics that have segments, by name."""
    folders = (path for path in data.glob("*-*") if _PLAY_LOG.fullmatch(path.name))
    return sorted(path for path in folders if any(path.glob("*.log")))


def _lines(broker: Broker, topics: set[str]) -> list[str]:
    """Returns lines on these topics, and complaints; of lines equal but for time, the last."""
    text = broker.log.read_text("utf-8", "replace") if broker.log.exists() else ""
    last: dict[str, str] = {}
    for line in text.splitlines():
        if _COMPLAINT.search(line) or any(f"{topic}-" in line for topic in topics):
            words = line.partition("] ")[2] or line
            last.pop(words, None)
            last[words] = line
    return list(last.values())
