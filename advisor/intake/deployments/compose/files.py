"""Files that a compose file mounts or names, which may hold settings of its containers."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from advisor.catalog import Component
from advisor.intake.absent_files import absence
from advisor.intake.clients.known_settings import decides
from advisor.intake.deployments.instance_ids import note_instances
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Reading
from advisor.intake.registry import detect
from advisor.intake.text import IntakeError, shown

_SETTINGS_FILE = re.compile(
    r"\.properties\b|\bapplication[\w.-]*\.ya?ml\b"
    r"|(?:^|:)/(?:[\w.-]+/){0,9}(?:conf|config|etc/kafka)/?(?::[\w,]+)?$"
)
"""Mounted files that may hold settings, and the folders where images look for such files."""

UNREAD = absence("may contain settings and is not read. Give that file, too")


def say_unread(reading: Reading, leaves: Sequence[Leaf], services: Collection[str]) -> None:
    """Notes files that may hold settings of a server or of an application and are not read here,
    and ids that several instances share."""
    note_instances(reading, leaves)
    noted = set[str]()
    for leaf in leaves:
        match leaf.path:
            case ("include", *_):
                source, service = "a file that is included", next(iter(services), "")
            case ("services", service, "env_file", *rest) if rest[-1:] != ["required"]:
                source = f"env_file{_shown_name(leaf.text)}"
            case ("services", service, "configs", *_):
                source = "configs"
            case ("services", service, "volumes", *_) if _SETTINGS_FILE.search(leaf.text):
                source = f"a mounted file{_shown_name(leaf.text.partition(':')[0])}"
            case _:
                continue
        if service in services and source not in noted:
            noted.add(source)
            reading.note(leaf.line, f"{source} {UNREAD}")


def _shown_name(path: str) -> str:
    """The name of a file after a space, if it may be shown; else empty."""
    name = path.rpartition("/")[2]
    return f" {name}" if name in (".env", shown(name)) else ""


def refuse_contents(reading: Reading, leaves: Sequence[Leaf]) -> None:
    """Refuses a file that is written in the compose file itself (Compose file reference, `configs`,
    `content`) and states a setting that decides."""
    for leaf in leaves:
        match leaf.path:
            case ("configs", _, "content") if name := _deciding_setting(leaf.text):
                words = "is in a file that is mounted into containers. Give that file itself"
                reading.add_problem(
                    Component.APPLICATION, name, leaf.line, f"{shown(name)} {words}"
                )
            case _:
                pass


def _deciding_setting(text: str) -> str:
    """The first setting in a file that decides; empty if there is none."""
    reader = detect(text)
    try:
        items = reader.read(text).items if reader else []
    except IntakeError:
        return ""
    return next((item.name for item in items if decides(item.name)), "")
