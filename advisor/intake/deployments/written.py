"""Settings that the command of a server's container writes by itself before it starts the server.

What a shell exports is a variable of the server, in place of the container's own; what it writes
into a file may go before both, and is not followed.
"""

from __future__ import annotations

import re

from advisor.catalog import Component
from advisor.intake.clients.known import decides
from advisor.intake.clients.placeholders import COMPOSE
from advisor.intake.deployments.images import setting_of
from advisor.intake.reading import Reading
from advisor.intake.text import shown

_EXPORTED = re.compile(
    r"(?<![\w.-])(?P<name>KAFKA_[A-Z0-9_]{2,150})="
    r"(?P<value>\"[^\"]{0,200}\"|'[^']{0,200}'|[^\s\"';&|]{0,200})"
)
_WRITES = re.compile(r">{1,2}[ \t]*[\"']?[^\s>]|\bsed\b|\btee\b")
_SETTING = re.compile(
    r"(?<![\w.-])(?P<name>[a-z][a-z0-9]{0,30}(?:\\?\.[a-z0-9]{1,30}){1,9})[ \t]*="
)
_FILE = re.compile(r"\.properties\b")
_ENDS = re.compile(r"&&|\|\||;|(?<!\\)\n")
_TOOLS = re.compile(r"kafka-(?:topics|configs|console|storage|run)|--override")
_BY_HAND = "is written by this command. State it as a variable of the container, and leave that out"


def take_written(reading: Reading, text: str, line: int, server: str) -> None:
    """States what a server's command exports; a setting that decides and is written into a file is
    a problem, and so is one whose value is known only where the command runs."""
    for match in _EXPORTED.finditer(text):
        name, value = setting_of(match["name"]), match["value"].strip("\"'")
        if decides(name) and "$" in COMPOSE.sub(r"\2", value):
            words = "is filled in when the command runs. Write the value that counts"
            reading.wrong(Component.BROKER, name, line, f"{shown(name)} {words}")
        elif decides(name):
            reading.items = [
                item for item in reading.items
                if (item.component, item.name, item.process) != (Component.BROKER, name, server)
            ]  # fmt: skip
            reading.state(Component.BROKER, name, COMPOSE.sub(r"\2", value), line, process=server)
    for command in [text] if "<<" in text else _ENDS.split(text):
        if not _WRITES.search(command) or _TOOLS.search(command):
            continue
        if _FILE.search(command):
            words = "what this command writes into a file of properties is not read"
            reading.note(line, f"{words}, but for the names of settings that decide")
        names = {match["name"].replace("\\", "") for match in _SETTING.finditer(command)}
        for name in sorted(filter(decides, names)):
            reading.wrong(Component.BROKER, name, line, f"{shown(name)} {_BY_HAND}")
