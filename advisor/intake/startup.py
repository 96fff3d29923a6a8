"""How an application is started: the profiles that other files activate, and files of lower
precedence that were not passed in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from advisor.intake.absent_files import absence
from advisor.intake.application_file import file_profile
from advisor.intake.frameworks.chosen_profile import active_profiles
from advisor.intake.kinds import application_reader, kind_by_name, starts_processes
from advisor.intake.reading import StartProfiles
from advisor.intake.registry import Parsed, parse
from advisor.intake.text import IntakeError, shown

_SPRING_VARIABLE = re.compile(r"\bSPRING_(?:KAFKA|CLOUD_STREAM)_")
_APPLICATION_FILE_KEY = re.compile(
    r"^[ \t]+application[\w.-]*\.(?:ya?ml|properties):", re.MULTILINE
)
"""The key of an application's file in a manifest."""


_BOOTSTRAP = re.compile(r"(?:\A|/)bootstrap(?:-[\w.-]{1,60})?\.(?:ya?ml|properties)\Z")
_KAFKA_WORD = re.compile(r"(?i)kafka|binder|profile|messaging")
_NO_KAFKA_SETTING = (
    "nothing of Kafka is in it: not read. What a config server says takes precedence over "
    "the application's files"
)


@dataclass(frozen=True, slots=True)
class Starts:
    """The profiles in which files start applications, each with its file; and the parsed files by
    name, text and kind (empty unless the name implies it)."""

    start_profiles: Sequence[tuple[str, StartProfiles]] = ()
    parsed: dict[tuple[str, str, str], Parsed] = field(default_factory=dict)

    @classmethod
    def from_texts(cls, texts: Iterable[tuple[str, str]]) -> Starts:
        """Collects the profiles from the files that describe how processes are started."""
        start_profiles, parsed_files = (
            list[tuple[str, StartProfiles]](),
            dict[tuple[str, str, str], Parsed](),
        )
        for name, text in texts:
            kind = kind_by_name(name, text)
            if not kind and not starts_processes(text):
                continue
            try:
                parsed = parsed_files[name, text, kind] = parse(text, kind)
            except IntakeError:  # reported where the file is read
                continue
            reading = parsed.reading
            # With profiles of its own, the file contains what they set.
            if not (reading.profiles and active_profiles(reading.start_profiles)):
                start_profiles += [(name, start) for start in reading.start_profiles]
        return cls(start_profiles, parsed_files)

    @property
    def profiles(self) -> tuple[str, ...]:
        """The active profiles, if every file activates the same ones."""
        return active_profiles(start for _, start in self.start_profiles)

    def notes(self, *, is_read: bool) -> list[str]:
        """Returns notes that say in which profiles applications are started, and whether their
        files are read."""
        notes = list[str]()
        for source, start in self.start_profiles:
            names = ", ".join(map(shown, start.profiles))
            if not is_read:
                outcome = absence(
                    "and no file of it is here: what its files state is not read. Give them, too"
                )
            elif self.profiles:
                outcome = "so that what counts there is read"
            else:
                outcome = "and others in another one: choose one with --only"
            started_in = f"an application is started in profile {names}"
            notes.append(f"{source}:{start.line}: {started_in}, {outcome}.")
        return notes


def missing_file_notes(texts: Sequence[tuple[str, str]], *, is_read: bool) -> list[str]:
    """Returns notes about files of lower precedence that were not passed in: an application's files
    where its variables are here, and the file without a profile where one with a profile is."""
    notes, has_plain_file = list[str](), any(file_profile(name) == "" for name, _ in texts)
    for name, text in texts:
        variable = (
            None if is_read or _APPLICATION_FILE_KEY.search(text) else _SPRING_VARIABLE.search(text)
        )
        if file_profile(name) and not has_plain_file and application_reader([text], ""):
            reason = "what the application's file of no profile states counts beneath this one"
            notes.append(f"{name}:1: {absence(f'{reason}, and is not here. Give it, too')}.")
        if variable and starts_processes(text):
            line = text.count("\n", 0, variable.start()) + 1
            reason = "what the application's own files state counts beneath its variables"
            notes.append(f"{name}:{line}: {absence(f'{reason}, and is not here. Give them, too')}.")
    return notes


def without_bootstrap(
    texts: Sequence[tuple[str, str]], notes: list[str]
) -> tuple[list[tuple[str, str]], list[str]]:
    """Returns the files without a `bootstrap.yml` of Spring Cloud that sets nothing of Kafka, where
    files of the application are present; and the notes with one that says so."""
    ignored = {
        name for name, text in texts
        if _BOOTSTRAP.search(name) and not _KAFKA_WORD.search(text)
    } if any(file_profile(name) is not None for name, _ in texts) else set[str]()  # fmt: skip
    new_notes = [f"{name}:1: {_NO_KAFKA_SETTING}." for name, _ in texts if name in ignored]
    return [row for row in texts if row[0] not in ignored], [*notes, *new_notes]
