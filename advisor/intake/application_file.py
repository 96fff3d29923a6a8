"""The configuration files of one application: which files belong to it, and their precedence.

Sources: Spring Boot reference, "External Application Properties" and "Profile Specific Files";
Micronaut guide, "The Environment"; Quarkus, Configuration Reference Guide, "Profile aware files".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.text import IntakeError, with_lines_shifted

_APPLICATION_FILE = re.compile(
    r"application(?:-(?P<profile>[\w.-]{1,60}))?\.(?P<ending>ya?ml|properties)"
)

_CONFIG_FOLDER = re.compile(r"(?:^|/)config$")
_ENDINGS = ("yaml", "yml", "properties")
"""The last one has the lowest precedence (StandardConfigDataLocationResolver,
getReferencesForConfigName)."""


@dataclass(frozen=True, slots=True)
class ApplicationFile:
    """One configuration file.

    `profile` is the profile in its name (empty without one), `lines_before` the number of lines
    that precede it where several files are read as one, `ending` the extension if it is known, and
    `in_config` whether the file is in a folder `config`. Variables, which take precedence over all
    files, are a file without an extension.
    """

    text: str
    profile: str = ""
    lines_before: int = 0
    ending: str = ""
    in_config: bool = False

    @property
    def holds_variables(self) -> bool:
        return self.lines_before > 0 and not self.ending

    @classmethod
    def from_name(cls, name: str, text: str, before: int) -> ApplicationFile:
        """Returns the file with this name, which need not be one that the frameworks look for."""
        match = _APPLICATION_FILE.fullmatch(name.rpartition("/")[2])
        profile, ending = (match["profile"], match["ending"]) if match else ("", "")
        in_config = _CONFIG_FOLDER.search(name.rpartition("/")[0]) is not None
        return cls(text, profile or "", before, ending, in_config)


def leaves_by_part(
    file: ApplicationFile, split: Callable[[str, str], Iterable[Iterable[Leaf]]]
) -> Iterator[list[Leaf]]:
    """Yields the leaves of each part of a file, with lines that count from the start of the whole
    text. Raises `IntakeError`."""
    try:
        for leaves in split(file.text, file.ending):
            yield [replace(leaf, line=leaf.line + file.lines_before) for leaf in leaves]
    except IntakeError as error:
        raise IntakeError(with_lines_shifted(str(error), file.lines_before)) from None


def group_by_application(names: Iterable[str]) -> list[list[str]]:
    """Returns the names of the files that Spring reads for one application, by application, where
    there are several: of a profile, or of another format. The last one has the highest
    precedence."""
    folders: dict[str, list[str]] = {}
    for name in names:
        if file_profile(name) is not None:
            folder = name.rpartition("/")[0]
            folders.setdefault(_CONFIG_FOLDER.sub("", folder), []).append(name)
    return [sorted(group, key=rank) for group in folders.values() if len(group) > 1]


def file_profile(name: str) -> str | None:
    """Returns the profile of a file, empty without one; None if Spring does not look for the
    name."""
    match = _APPLICATION_FILE.fullmatch(name.rpartition("/")[2])
    return None if match is None else match["profile"] or ""


def rank(name: str) -> tuple[bool, bool, int]:
    """Returns the sort key for the files of one application, the highest precedence last: files of
    a profile after all others, files in `config` after those of its parent, properties after
    YAML."""
    folder, _, base = name.rpartition("/")
    ending = base.rpartition(".")[2]
    in_config = _CONFIG_FOLDER.search(folder) is not None
    return bool(file_profile(name)), in_config, _ENDINGS.index(ending) if ending in _ENDINGS else 0
