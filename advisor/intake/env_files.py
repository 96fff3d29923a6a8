"""Files of variables that services of a compose file use. The `environment` of a service takes
precedence over them, and a later file over an earlier one (Compose file reference, `env_file`)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from advisor.intake.deployments.compose.extended import services
from advisor.intake.deployments.compose.files import UNREAD
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.kinds import detect_kind
from advisor.intake.text import IntakeError, shown

ENV_FILE_KEY = re.compile(r"^[ \t]+env_file:", re.MULTILINE)
_VARIABLE = re.compile(r"[ \t]*(?:export[ \t]+)?(\w{1,100})[ \t]*[=:]")
_OVERRIDDEN = "a value in the service's environment, or in a later file, takes precedence"
READ_PREFIXES = ("KAFKA_", "SPRING_")

Source = tuple[str, str]
"""A file's name and its text."""


@dataclass(slots=True)
class _Service:
    """The files of variables that a service uses, in order, and the variables of its
    `environment`."""

    files: list[str] = field(default_factory=list)
    environment: set[str] = field(default_factory=set)


def drop_overridden(texts: Sequence[Source], notes: list[str]) -> tuple[list[Source], list[str]]:
    """Returns the sources, and the notes with new ones.

    A file of variables loses each variable that all of its services override. The files of
    variables come before the compose files that refer to them.
    """
    referring = {name for name, text in texts if ENV_FILE_KEY.search(text)}
    services = _services(texts) if referring else []
    by_name = {_base_name(name): text for name, text in texts}
    result, new_notes = list[Source](), list[str]()
    for name, text in texts if len(by_name) == len(texts) else ():
        users = [service for service in services if _base_name(name) in service.files]
        overridden_by_user = [
            _preceding_variables(service, _base_name(name), by_name) for service in users
        ]
        overridden = set.intersection(*overridden_by_user) if overridden_by_user else set[str]()
        lines = text.splitlines()
        for at, match in enumerate(map(_VARIABLE.match, lines) if overridden else ()):
            if match and match[1] in overridden:
                lines[at] = ""
                message = f"{name}:{at + 1}: {shown(match[1])}: {_OVERRIDDEN}."
                new_notes += [message] if match[1].startswith(READ_PREFIXES) else []
        if not overridden or any(map(_VARIABLE.match, lines)):
            result.append((name, "\n".join(lines) if overridden else text))
    result = sorted(result or texts, key=lambda source: source[0] in referring)
    return result, [*notes, *new_notes]


def has_env_file(text: str) -> bool:
    """Whether exactly one service of a compose file uses its `.env`."""
    return len([one for one in _services([("", text)]) if ".env" in one.files]) == 1


def unanswered_notes(notes: Iterable[str], texts: Iterable[Source]) -> list[str]:
    """Returns the notes without those that ask for a file which is among the sources."""
    answered = {f"{_base_name(name)} {UNREAD}." for name, _ in texts}
    return [note for note in notes if not any(note.endswith(f" {words}") for words in answered)]


def _preceding_variables(service: _Service, name: str, texts: dict[str, str]) -> set[str]:
    """Returns the variables of a service that take precedence over one of its files."""
    later = service.files[service.files.index(name) + 1 :]
    lines = chain.from_iterable(texts.get(other, "").splitlines() for other in later)
    return service.environment | {match[1] for match in map(_VARIABLE.match, lines) if match}


def _services(texts: Iterable[Source]) -> list[_Service]:
    """Returns the services of compose files. Two definitions of a service in one folder are merged,
    the file with the longer name (`docker-compose.override.yml`) over the other."""
    by_place = defaultdict[tuple[str, str], _Service](_Service)
    for source, text in sorted(texts, key=lambda row: len(row[0])):
        try:
            leaves = (
                [*chain.from_iterable(services(text))] if detect_kind(text) == "compose" else []
            )
        except IntakeError:  # reported where the file is read
            continue
        for leaf in leaves:
            if leaf.path[:1] == ("services",) and len(leaf.path) > 1:
                _add_leaf(by_place[source.rpartition("/")[0], leaf.path[1]], leaf)
    return [*by_place.values()]


def _add_leaf(service: _Service, leaf: Leaf) -> None:
    match leaf.path[2:]:
        case ("env_file", *rest) if rest[-1:] != ["required"]:
            service.files.append(_base_name(leaf.text))
        case ("environment", variable):
            listed, equals, _ = leaf.text.partition("=")
            if variable.isdecimal():
                service.environment |= {listed} if equals else set()
            elif not leaf.is_null:
                service.environment.add(variable)
        case _:
            pass


def _base_name(name: str) -> str:
    return name.rpartition("/")[2]
