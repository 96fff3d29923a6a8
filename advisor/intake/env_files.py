"""Files of variables that services of a compose file have: a service's own `environment` goes
before them, and of several the last (Compose file reference, `env_file`)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from advisor.intake.deployments.compose.extended import services
from advisor.intake.deployments.compose.files import UNREAD
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.kinds import kind_of
from advisor.intake.text import IntakeError, shown

_HANDED = re.compile(r"^[ \t]+env_file:", re.MULTILINE)
_VARIABLE = re.compile(r"[ \t]*(?:export[ \t]+)?(\w{1,100})[ \t]*[=:]")
_OVERRIDDEN = "a value that the service has of its own, or from a later file, goes before it"
_OURS = ("KAFKA_", "SPRING_")

Source = tuple[str, str]
"""A file's name and its text."""


@dataclass(slots=True)
class _Service:
    """The files of variables that a service has, in their order, and the variables of its own."""

    files: list[str] = field(default_factory=list)
    own: set[str] = field(default_factory=set)


def settled(texts: Sequence[Source], notes: list[str]) -> tuple[list[Source], list[str]]:
    """The files, those of variables without what every service that has them states in a place
    which goes before, and before the compose files that name them; and the notes with their own."""
    naming = {name for name, text in texts if _HANDED.search(text)}
    every = _services(texts) if naming else []
    by_name = {_base(name): text for name, text in texts}
    found, own_notes = list[Source](), list[str]()
    for name, text in texts if len(by_name) == len(texts) else ():
        having = [service for service in every if _base(name) in service.files]
        before = [_before(service, _base(name), by_name) for service in having]
        gone = set.intersection(*before) if before else set[str]()
        lines = text.splitlines()
        for at, row in enumerate(map(_VARIABLE.match, lines) if gone else ()):
            if row and row[1] in gone:
                lines[at] = ""
                words = f"{name}:{at + 1}: {shown(row[1])}: {_OVERRIDDEN}."
                own_notes += [words] if row[1].startswith(_OURS) else []
        if not gone or any(map(_VARIABLE.match, lines)):
            found.append((name, "\n".join(lines) if gone else text))
    found = sorted(found or texts, key=lambda source: source[0] in naming)
    return found, [*notes, *own_notes]


def hands_env_on(text: str) -> bool:
    """Whether one service of a compose file has the variables of its `.env`."""
    return len([one for one in _services([("", text)]) if ".env" in one.files]) == 1


def unanswered(notes: Iterable[str], texts: Iterable[Source]) -> list[str]:
    """The notes without those that ask for a file which is among these."""
    asked = {f"{_base(name)} {UNREAD}." for name, _ in texts}
    return [note for note in notes if not any(note.endswith(f" {words}") for words in asked)]


def _before(service: _Service, name: str, texts: dict[str, str]) -> set[str]:
    """The variables of a service that go before those of one of its files."""
    later = service.files[service.files.index(name) + 1 :]
    lines = chain.from_iterable(texts.get(other, "").splitlines() for other in later)
    return service.own | {row[1] for row in map(_VARIABLE.match, lines) if row}


def _services(texts: Iterable[Source]) -> list[_Service]:
    """The services of compose files. What two of one folder say of a service is laid over each
    other, the file with the longer name (`docker-compose.override.yml`) over the other."""
    found = defaultdict[tuple[str, str], _Service](_Service)
    for source, text in sorted(texts, key=lambda row: len(row[0])):
        try:
            leaves = [*chain.from_iterable(services(text))] if kind_of(text) == "compose" else []
        except IntakeError:  # told where the file is read
            continue
        for leaf in leaves:
            if leaf.path[:1] == ("services",) and len(leaf.path) > 1:
                _add(found[source.rpartition("/")[0], leaf.path[1]], leaf)
    return [*found.values()]


def _add(service: _Service, leaf: Leaf) -> None:
    match leaf.path[2:]:
        case ("env_file", *rest) if rest[-1:] != ["required"]:
            service.files.append(_base(leaf.text))
        case ("environment", variable):
            listed, equals, _ = leaf.text.partition("=")
            if variable.isdecimal():
                service.own |= {listed} if equals else set()
            elif not leaf.is_null:
                service.own.add(variable)
        case _:
            pass


def _base(name: str) -> str:
    return name.rpartition("/")[2]
