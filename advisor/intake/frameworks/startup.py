"""How an application is started: in which profiles, and with files that are elsewhere.

What starts it goes before what its files say. Sources: Spring Boot reference, "Externalized
Configuration" (`spring.config.…`) and "Profiles"; Quarkus, Configuration Reference Guide
(`quarkus.profile`, `smallrye.config.locations`); Micronaut guide, "The Environment".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from advisor.intake.clients.placeholders import COMPOSE
from advisor.intake.formats.arguments import arguments
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.spring.arguments import JSON, of_json
from advisor.intake.reading import Reading, StartProfiles
from advisor.intake.text import shown

_PROFILES = ("spring.profiles.active", "quarkus.profile", "micronaut.environments")
_MORE = ("spring.profiles.include",)
_FILES = (
    "spring.config.import", "spring.config.location", "spring.config.additional.location",
    "spring.config.additionallocation", "spring.config.name", "quarkus.config.locations",
    "smallrye.config.locations", "micronaut.config.files", "spring.cloud.config.uri",
)  # fmt: skip
_EVERY = (*_PROFILES, *_MORE, *_FILES)
VARIABLE = re.compile(
    rf"(?:{'|'.join(name.replace('.', '_').upper() for name in _EVERY)})(?:_\d+_?)?"
)
"""A variable that says how an application is started."""
_NAME = re.compile(r"[\w.+-]{1,60}")


def take_start_profiles(
    reading: Reading, variables: Iterable[tuple[str, str, int]],
    commands: Iterable[tuple[str, int]] = (),
) -> None:  # fmt: skip
    """Takes the profiles in which applications are started, and names files that are elsewhere."""
    for name, text, line in _stated(variables, commands):
        filled = COMPOSE.sub(r"\2", text).strip()
        if name in _PROFILES:
            names = tuple(word for word in re.split(r"[,\s]+", filled) if _NAME.fullmatch(word))
            if names:
                reading.start_profiles.append(StartProfiles(names, line))
            else:
                words = f"which profile {name} says is filled in when the application starts: what "
                reading.note(line, f"{words}is stated for that profile is not read")
        elif filled and name in _MORE:
            words = f"{name}: what is stated for {shown(filled)} counts, too. Choose it with --only"
            reading.note(line, words)
        elif filled:
            words = f"{name}: what stands there may go before what is here, and is not read. Give "
            reading.note(line, f"{words}those files, too")


def _stated(
    variables: Iterable[tuple[str, str, int]], commands: Iterable[tuple[str, int]]
) -> Iterator[tuple[str, str, int]]:
    """Each property by its name, with its value and line."""
    for variable, text, line in variables:
        if VARIABLE.fullmatch(variable):
            yield re.sub(r"_\d+_?$", "", variable).replace("_", ".").lower(), text, line
        elif variable == JSON[0]:
            yield from _of_leaves(of_json(text, line))
        else:
            yield from _arguments(text, line)
    for text, line in commands:
        yield from _arguments(text, line)


def _of_leaves(leaves: Iterable[Leaf]) -> Iterator[tuple[str, str, int]]:
    for leaf in leaves:
        name = re.sub(r"(?:\.\d+|\[\d+])$", "", ".".join(leaf.path)).replace("-", ".").lower()
        if name in _EVERY:
            yield name, leaf.text, leaf.line


def _arguments(text: str, line: int) -> Iterator[tuple[str, str, int]]:
    for name, value, _ in arguments(text):
        if value is not None and (plain := name.replace("-", ".")) in _EVERY:
            yield plain, value, line
