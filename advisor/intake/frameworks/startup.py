"""How an application is started: its profiles, and files in other places.

The command and the variables take precedence over the application's files. Sources: Spring Boot
reference, "Externalized Configuration" (`spring.config.…`) and "Profiles"; Quarkus, Configuration
Reference Guide (`quarkus.profile`, `smallrye.config.locations`); Micronaut guide, "The
Environment".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from advisor.intake.absent_files import absence
from advisor.intake.clients.placeholders import COMPOSE
from advisor.intake.formats.arguments import arguments
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.spring.arguments import JSON, of_json
from advisor.intake.reading import Reading, StartProfiles
from advisor.intake.text import shown

_PROFILES = ("spring.profiles.active", "quarkus.profile", "micronaut.environments")
_INCLUDED_PROFILES = ("spring.profiles.include",)
_OTHER_FILES = (
    "spring.config.import", "spring.config.location", "spring.config.additional.location",
    "spring.config.additionallocation", "spring.config.name", "quarkus.config.locations",
    "smallrye.config.locations", "micronaut.config.files", "spring.cloud.config.uri",
)  # fmt: skip
_ALL_NAMES = (*_PROFILES, *_INCLUDED_PROFILES, *_OTHER_FILES)
VARIABLE = re.compile(
    rf"(?:{'|'.join(name.replace('.', '_').upper() for name in _ALL_NAMES)})(?:_\d+_?)?"
)
"""A variable that determines how an application is started."""
_PROFILE_NAME = re.compile(r"[\w.+-]{1,60}")


def take_start_profiles(
    reading: Reading, variables: Iterable[tuple[str, str, int]],
    commands: Iterable[tuple[str, int]] = (),
) -> None:  # fmt: skip
    """Adds the profiles in which applications are started, and notes on files in other places."""
    for name, text, line in _properties(variables, commands):
        value = COMPOSE.sub(r"\2", text).strip()
        if name in _PROFILES:
            names = tuple(
                word for word in re.split(r"[,\s]+", value) if _PROFILE_NAME.fullmatch(word)
            )
            if names:
                reading.start_profiles.append(StartProfiles(names, line))
            else:
                words = (
                    f"the profile of {name} is filled in when the application starts: what is set "
                )
                reading.note(line, absence(f"{words}for that profile is not read"))
        elif value and name in _INCLUDED_PROFILES:
            words = f"{name}: the settings of {shown(value)} count as well. Choose it with --only"
            reading.note(line, words)
        elif value:
            words = f"{name}: what is there may take precedence over this file, and is not read. "
            reading.note(line, absence(f"{words}Give those files, too"))


def _properties(
    variables: Iterable[tuple[str, str, int]], commands: Iterable[tuple[str, int]]
) -> Iterator[tuple[str, str, int]]:
    """Yields the name, the value and the line of each property that determines the start."""
    for variable, text, line in variables:
        if VARIABLE.fullmatch(variable):
            yield re.sub(r"_\d+_?$", "", variable).replace("_", ".").lower(), text, line
        elif variable == JSON[0]:
            yield from _leaf_properties(of_json(text, line))
        else:
            yield from _argument_properties(text, line)
    for text, line in commands:
        yield from _argument_properties(text, line)


def _leaf_properties(leaves: Iterable[Leaf]) -> Iterator[tuple[str, str, int]]:
    for leaf in leaves:
        name = re.sub(r"(?:\.\d+|\[\d+])$", "", ".".join(leaf.path)).replace("-", ".").lower()
        if name in _ALL_NAMES:
            yield name, leaf.text, leaf.line


def _argument_properties(text: str, line: int) -> Iterator[tuple[str, str, int]]:
    for name, value, _ in arguments(text):
        if value is not None and (dotted := name.replace("-", ".")) in _ALL_NAMES:
            yield dotted, value, line
