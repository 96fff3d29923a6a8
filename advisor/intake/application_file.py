"""Files of one application: which of a folder are, and in which order they count.

Sources: Spring Boot reference, "External Application Properties" and "Profile Specific Files";
Micronaut guide, "The Environment"; Quarkus, Configuration Reference Guide, "Profile aware files".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.text import IntakeError, further_down

_FILE = re.compile(r"application(?:-(?P<profile>[\w.-]{1,60}))?\.(?P<ending>ya?ml|properties)")

_CONFIG = re.compile(r"(?:^|/)config$")
_ENDINGS = ("yaml", "yml", "properties")
"""The last one goes first (StandardConfigDataLocationResolver, getReferencesForConfigName)."""


@dataclass(frozen=True, slots=True)
class ApplicationFile:
    """One file: its text, the profile in its name (empty without one), the lines that stand
    before it where several are read as one, how its name ends, if that is known; and whether it
    stands in a folder `config`, or holds variables, which go before all files."""

    text: str
    profile: str = ""
    before: int = 0
    ending: str = ""
    in_config: bool = False

    @property
    def is_of_variables(self) -> bool:
        return self.before > 0 and not self.ending

    @classmethod
    def named(cls, name: str, text: str, before: int) -> ApplicationFile:
        """A file of this name, which the frameworks may not look for."""
        match = _FILE.fullmatch(name.rpartition("/")[2])
        profile, ending = (match["profile"], match["ending"]) if match else ("", "")
        in_config = _CONFIG.search(name.rpartition("/")[0]) is not None
        return cls(text, profile or "", before, ending, in_config)


def moved(
    file: ApplicationFile, parts: Callable[[str, str], Iterable[Iterable[Leaf]]]
) -> Iterator[list[Leaf]]:
    """What each part of a file states, at its line of the whole. Raises `IntakeError`."""
    try:
        for leaves in parts(file.text, file.ending):
            yield [replace(leaf, line=leaf.line + file.before) for leaf in leaves]
    except IntakeError as error:
        raise IntakeError(further_down(str(error), file.before)) from None


def applications(names: Iterable[str]) -> list[list[str]]:
    """Files of one folder that Spring reads for one application, where one of them is of a profile
    or of another kind; the last one counts."""
    folders: dict[str, list[str]] = {}
    for name in names:
        if file_profile(name) is not None:
            folder = name.rpartition("/")[0]
            folders.setdefault(_CONFIG.sub("", folder), []).append(name)
    return [sorted(files, key=rank) for files in folders.values() if len(files) > 1]


def file_profile(name: str) -> str | None:
    """The profile of a file, empty without one; None if Spring does not look for the name."""
    match = _FILE.fullmatch(name.rpartition("/")[2])
    return None if match is None else match["profile"] or ""


def rank(name: str) -> tuple[bool, bool, int]:
    """How files of one application are sorted, so that the last one counts: those of a profile
    after all others, those of `config` after their parent's, properties after YAML."""
    folder, _, own = name.rpartition("/")
    ending = own.rpartition(".")[2]
    in_config = _CONFIG.search(folder) is not None
    return bool(file_profile(name)), in_config, _ENDINGS.index(ending) if ending in _ENDINGS else 0
