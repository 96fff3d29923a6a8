"""How other files start an application: its profiles, and the defaults beneath its own files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from advisor.intake.application_file import file_profile
from advisor.intake.frameworks.chosen_profile import on
from advisor.intake.kinds import goes_first, kind_by_name, of_application
from advisor.intake.reading import Started
from advisor.intake.registry import Parsed, parse
from advisor.intake.text import IntakeError, shown

_OF_SPRING = re.compile(r"\bSPRING_(?:KAFKA|CLOUD_STREAM)_")
_HELD = re.compile(r"^[ \t]+application[\w.-]*\.(?:ya?ml|properties):", re.MULTILINE)
"""A file of an application's in a manifest."""


_BOOTSTRAP = re.compile(r"(?:\A|/)bootstrap(?:-[\w.-]{1,60})?\.(?:ya?ml|properties)\Z")
_OF_KAFKA = re.compile(r"(?i)kafka|binder|profile|messaging")
_NOT_OF_KAFKA = (
    "nothing of Kafka is in it: not read. What a config server says goes before the application's "
    "files"
)


@dataclass(frozen=True, slots=True)
class Starts:
    """The profiles that files start applications in, with the file that says so; and what these
    files state, by their names, texts and kinds where their names tell them."""

    found: Sequence[tuple[str, Started]] = ()
    parsed: dict[tuple[str, str, str], Parsed] = field(default_factory=dict)

    @classmethod
    def of(cls, texts: Iterable[tuple[str, str]]) -> Starts:
        """Those of files that say what processes are started with."""
        found, every = list[tuple[str, Started]](), dict[tuple[str, str, str], Parsed]()
        for name, text in texts:
            kind = kind_by_name(name, text)
            if not kind and not goes_first(text):
                continue
            try:
                parsed = every[name, text, kind] = parse(text, kind)
            except IntakeError:  # told where it is weighed
                continue
            reading = parsed.reading
            if not (reading.profiles and on(reading.started)):  # else it has these files itself
                found += [(name, start) for start in reading.started]
        return cls(found, every)

    @property
    def profiles(self) -> tuple[str, ...]:
        """The profiles that are on, where every file starts in the same ones."""
        return on(start for _, start in self.found)

    def notes(self, *, is_read: bool) -> list[str]:
        """Says in which profiles applications are started, and whether files of one are read for
        them."""
        notes = list[str]()
        for source, start in self.found:
            names = ", ".join(map(shown, start.profiles))
            if not is_read:
                words = (
                    "and no file of it is here: what its files state is not read. Give them, too"
                )
            elif self.profiles:
                words = "so that what counts there is read"
            else:
                words = "and others in another one: choose one with --only"
            started_in = f"an application is started in profile {names}"
            notes.append(f"{source}:{start.line}: {started_in}, {words}.")
        return notes


def beneath_notes(texts: Sequence[tuple[str, str]], *, is_read: bool) -> list[str]:
    """Names files that count beneath those that are here: an application's own beneath its
    variables, and that of no profile beneath one of a profile."""
    notes, plain = list[str](), any(file_profile(name) == "" for name, _ in texts)
    for name, text in texts:
        stated = None if is_read or _HELD.search(text) else _OF_SPRING.search(text)
        if file_profile(name) and not plain and of_application([text], ""):
            words = "what the application's file of no profile states counts beneath this one"
            notes.append(f"{name}:1: {words}, and is not here. Give it, too.")
        if stated and goes_first(text):
            line = text.count("\n", 0, stated.start()) + 1
            words = "what the application's own files state counts beneath its variables"
            notes.append(f"{name}:{line}: {words}, and is not here. Give them, too.")
    return notes


def without_bootstrap(
    texts: Sequence[tuple[str, str]], notes: list[str]
) -> tuple[list[tuple[str, str]], list[str]]:
    """The files without a `bootstrap.yml` of Spring Cloud in which nothing is of Kafka, where a
    file of the application is beside it; and the notes with one that says so."""
    aside = {
        name for name, text in texts
        if _BOOTSTRAP.search(name) and not _OF_KAFKA.search(text)
    } if any(file_profile(name) is not None for name, _ in texts) else set[str]()  # fmt: skip
    own = [f"{name}:1: {_NOT_OF_KAFKA}." for name, _ in texts if name in aside]
    return [row for row in texts if row[0] not in aside], [*notes, *own]
