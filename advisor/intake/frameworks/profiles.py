"""The properties of Quarkus files that apply in a packaged application: `%prod.` does by default,
other profiles do not.

Sources: Quarkus, Configuration Reference Guide, Profiles, and YAML Configuration; SmallRye Config,
YAML Config Source, AbstractLocationConfigSourceLoader and ProfileConfigSourceInterceptor.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from advisor.intake.absent_files import absence
from advisor.intake.application_file import ApplicationFile, leaves_by_part
from advisor.intake.clients.placeholders import by_default, with_references
from advisor.intake.formats.dotted import leaves
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Profiles, Reading
from advisor.intake.text import shown

_PROFILE = re.compile(
    r"\"?%(?:\{(?P<several>[^{}\"]{1,200})\}|(?P<profile>[^.\"{}]+))\"?\.(?P<name>.+)"
)
_DEFAULT_PROFILE = "prod"
"""The profile in which a packaged application runs, unless it sets another."""
_PROFILE_NAMES = ("smallrye.config.profile", "quarkus.profile")
"""Properties that activate profiles, also in a file (SmallRyeConfigBuilder, getProfiles). The last
one takes precedence (QuarkusConfigBuilderCustomizer, which relocates the first to the second)."""

_LOCATIONS = ("smallrye.config.locations", "quarkus.config.locations")
_PARENT_NAMES = ("smallrye.config.profile.parent", "quarkus.config.profile.parent")
"""Properties that name a parent of the active profiles (Configuration Reference Guide, Parent
Profile)."""


@dataclass(frozen=True, slots=True)
class Source:
    """The properties of a file; those of a profile have its prefix."""

    file: ApplicationFile
    leaves: Sequence[Leaf]

    def rank(self, active: Sequence[str]) -> tuple[bool, bool, bool, int]:
        """Returns the sort key of a file, the highest precedence last: variables (ordinal 300),
        files in `config` (260), YAML (255); of two with one name the file of a profile, the last
        profile last."""
        file, profile = self.file, self.file.profile
        position = active.index(profile) + 1 if profile in active else 0
        return file.holds_variables, file.in_config, file.ending in ("yml", "yaml"), position


def with_profiles(
    sources: Sequence[Source], read: Callable[[Sequence[Source], Sequence[str]], Reading]
) -> Reading:
    """Reads a packaged application in its default profiles; `Reading.profiles` reads it in
    others."""
    leaves_of_all = [leaf for source in _ordered(sources, ()) for leaf in source.leaves]
    values = {leaf.path[0]: by_default(leaf.text) for leaf in leaves_of_all}
    chosen = next(
        (values[name] for name in reversed(_PROFILE_NAMES) if values.get(name)), _DEFAULT_PROFILE
    )
    defaults = tuple(name.strip() for name in chosen.split(","))
    reading = read(sources, defaults)
    reading.profiles = Profiles({defaults: 0}, partial(read, sources), _DEFAULT_PROFILE)
    return reading


def effective_leaves(
    reading: Reading, sources: Sequence[Source], active: Sequence[str]
) -> list[Leaf]:
    """Returns the leaves that apply in these profiles, the highest precedence last. The order of
    files also applies to properties without a profile. Adds notes on profiles that are not read and
    set something of Kafka."""
    ignored = dict[str, int]()
    active = [*_parents([leaf for source in sources for leaf in source.leaves], active), *active]
    effective = list[Leaf]()
    for source in _ordered(sources, active):
        effective += _effective_of_source(reading, source.leaves, active, ignored)
    for profile, line in ignored.items():
        reading.note(line, f"what applies only in profile {shown(profile)} is not read")
    return with_references(reading, effective)


def _ordered(sources: Iterable[Source], active: Sequence[str]) -> list[Source]:
    return sorted(sources, key=lambda source: source.rank(active))


def _effective_of_source(
    reading: Reading, leaves: Sequence[Leaf], active: Sequence[str], ignored: dict[str, int]
) -> list[Leaf]:
    """Returns the leaves of one file that apply, the last profile last."""
    plain, in_profile = list[Leaf](), list[tuple[int, Leaf]]()
    for leaf in leaves:
        name, match = leaf.path[0], _PROFILE.fullmatch(leaf.path[0])
        if match is None:
            plain.append(leaf)
            if name in _LOCATIONS:
                words = "what is there may take precedence over this file, and is not read. "
                reading.note(leaf.line, absence(f"{name}: {words}Give those files, too"))
        elif positions := [
            active.index(profile) for profile in _profile_names(match) if profile in active
        ]:
            in_profile.append((max(positions), replace(leaf, path=(match["name"],))))
        elif "kafka" in name or "mp.messaging" in name:
            for profile in _profile_names(match):
                ignored.setdefault(profile, leaf.line)
    ordered = sorted(in_profile, key=lambda row: row[0])
    return [*plain, *(leaf for _, leaf in ordered)]


def _parents(leaves: Iterable[Leaf], active: Collection[str]) -> list[str]:
    """Returns the parents of these profiles."""
    parents = list[str]()
    for leaf in leaves:
        match = _PROFILE.fullmatch(leaf.path[0])
        name = match["name"] if match else leaf.path[0]
        is_effective = not (match and {*active}.isdisjoint(_profile_names(match)))
        if name in _PARENT_NAMES and is_effective:
            parents += [parent.strip() for parent in by_default(leaf.text).split(",")]
    return [parent for parent in dict.fromkeys(parents) if parent not in active]


def _profile_names(match: re.Match[str]) -> list[str]:
    """Returns the profiles of `%prod.` and of `%{prod,staging}.` (SmallRye Config, Multiple
    Profiles)."""
    names = match["several"] or match["profile"]
    return [name.strip() for name in names.split(",")]


def sources_from_files(files: Iterable[ApplicationFile]) -> Iterator[Source]:
    """Yields the properties of each of an application's files. Raises `IntakeError`."""
    for file in files:
        prefix = f"%{file.profile}." if file.profile else ""
        file_leaves = [
            leaf for part in leaves_by_part(file, lambda *text: [leaves(*text)]) for leaf in part
        ]
        yield Source(
            file, [replace(leaf, path=(f"{prefix}{leaf.path[0]}",)) for leaf in file_leaves]
        )
