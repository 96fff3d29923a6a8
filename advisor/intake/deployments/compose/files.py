"""Files that a compose file mounts or names: they hold settings of its containers, too."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from advisor.catalog import Component
from advisor.intake.clients.known_settings import decides
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Reading
from advisor.intake.registry import detect
from advisor.intake.text import IntakeError, shown

_SETTINGS = re.compile(
    r"\.properties\b|\bapplication[\w.-]*\.ya?ml\b"
    r"|(?:^|:)/(?:[\w.-]+/){0,9}(?:conf|config|etc/kafka)/?(?::[\w,]+)?$"
)
"""A file that may be mounted and holds settings, and the folders where images look for one."""

UNREAD = "may hold settings: not read here. Give that, too"


def say_unread(reading: Reading, leaves: Sequence[Leaf], services: Collection[str]) -> None:
    """Names files that hold settings of a server, or of an application, and are not in this one."""
    said = set[str]()
    for leaf in leaves:
        match leaf.path:
            case ("include", *_):
                what, service = "a file that is included", next(iter(services), "")
            case ("services", service, "env_file", *rest) if rest[-1:] != ["required"]:
                what = f"env_file{_called(leaf.text)}"
            case ("services", service, "configs", *_):
                what = "configs"
            case ("services", service, "volumes", *_) if _SETTINGS.search(leaf.text):
                what = f"a mounted file{_called(leaf.text.partition(':')[0])}"
            case _:
                continue
        if service in services and what not in said:
            said.add(what)
            reading.note(
                leaf.line,
                f"{what} {UNREAD}",
            )


def _called(path: str) -> str:
    """The name of a file, where it may be shown."""
    name = path.rpartition("/")[2]
    return f" {name}" if name in (".env", shown(name)) else ""


def refuse_contents(reading: Reading, leaves: Sequence[Leaf]) -> None:
    """Refuses a file that stands in the compose file itself (Compose file reference, `configs`,
    `content`) and states what decides."""
    for leaf in leaves:
        match leaf.path:
            case ("configs", _, "content") if name := _deciding(leaf.text):
                words = "is in a file that containers have. Give that as a file of its own"
                reading.wrong(Component.APPLICATION, name, leaf.line, f"{shown(name)} {words}")
            case _:
                pass


def _deciding(text: str) -> str:
    """The first setting of a file that decides; empty if it has none."""
    reader = detect(text)
    try:
        items = reader.read(text).items if reader else []
    except IntakeError:
        return ""
    return next((item.name for item in items if decides(item.name)), "")
