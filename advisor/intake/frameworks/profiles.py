"""What counts of Quarkus files in a packaged application: `%prod.` does, other profiles do not.

Sources: Quarkus, Configuration Reference Guide, Profiles, and YAML Configuration; SmallRye Config,
YAML Config Source, AbstractLocationConfigSourceLoader and ProfileConfigSourceInterceptor.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from advisor.intake.application_file import ApplicationFile, leaves_by_part
from advisor.intake.clients.placeholders import by_default, resolved
from advisor.intake.formats.dotted import leaves
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Profiles, Reading
from advisor.intake.text import shown

_PROFILE = re.compile(
    r"\"?%(?:\{(?P<several>[^{}\"]{1,200})\}|(?P<profile>[^.\"{}]+))\"?\.(?P<name>.+)"
)
_RUNS = "prod"
"""The profile in which a packaged application runs, unless it states another."""
_CHOSEN = ("smallrye.config.profile", "quarkus.profile")
"""What chooses profiles, also in a file (SmallRyeConfigBuilder, getProfiles). The last one counts
(QuarkusConfigBuilderCustomizer, which relocates the first to the second)."""

_LOCATIONS = ("smallrye.config.locations", "quarkus.config.locations")
_PARENTS = ("smallrye.config.profile.parent", "quarkus.config.profile.parent")
"""What names a profile beneath those that are chosen (Configuration Reference Guide, Parent
Profile)."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a file states; that of a profile under its profile."""

    file: ApplicationFile
    leaves: Sequence[Leaf]

    def rank(self, on: Sequence[str]) -> tuple[bool, bool, bool, int]:
        """What goes before which: variables (ordinal 300), files in `config` (260), YAML (255),
        and of two of one name that of a profile, the last profile first."""
        file, profile = self.file, self.file.profile
        at = on.index(profile) + 1 if profile in on else 0
        return file.holds_variables, file.in_config, file.ending in ("yml", "yaml"), at


def with_profiles(
    sources: Sequence[Source], read: Callable[[Sequence[Source], Sequence[str]], Reading]
) -> Reading:
    """What is read of a packaged application, unless something starts it in other profiles."""
    every = [leaf for source in _ordered(sources, ()) for leaf in source.leaves]
    stated = {leaf.path[0]: by_default(leaf.text) for leaf in every}
    chosen = next((stated[name] for name in reversed(_CHOSEN) if stated.get(name)), _RUNS)
    runs = tuple(name.strip() for name in chosen.split(","))
    reading = read(sources, runs)
    reading.profiles = Profiles({runs: 0}, partial(read, sources), _RUNS)
    return reading


def that_count(reading: Reading, sources: Sequence[Source], on: Sequence[str]) -> list[Leaf]:
    """What counts in these profiles, in the order in which it replaces each other: a file that goes
    before others does so with what it states of no profile, too. Notes say which profiles are left
    out that speak of Kafka."""
    left_out = dict[str, int]()
    on = [*_parents([leaf for source in sources for leaf in source.leaves], on), *on]
    counting = list[Leaf]()
    for source in _ordered(sources, on):
        counting += _of_source(reading, source.leaves, on, left_out)
    for profile, line in left_out.items():
        reading.note(line, f"what counts only in profile {shown(profile)} is not read")
    return resolved(reading, counting)


def _ordered(sources: Iterable[Source], on: Sequence[str]) -> list[Source]:
    return sorted(sources, key=lambda source: source.rank(on))


def _of_source(
    reading: Reading, every: Sequence[Leaf], on: Sequence[str], left_out: dict[str, int]
) -> list[Leaf]:
    """What counts of one file, the last profile last."""
    plain, of_profile = list[Leaf](), list[tuple[int, Leaf]]()
    for leaf in every:
        name, match = leaf.path[0], _PROFILE.fullmatch(leaf.path[0])
        if match is None:
            plain.append(leaf)
            if name in _LOCATIONS:
                words = "what stands there may go before what is here, and is not read. Give "
                reading.note(leaf.line, f"{name}: {words}those files, too")
        elif places := [on.index(profile) for profile in _named(match) if profile in on]:
            of_profile.append((max(places), replace(leaf, path=(match["name"],))))
        elif "kafka" in name or "mp.messaging" in name:
            for profile in _named(match):
                left_out.setdefault(profile, leaf.line)
    ordered = sorted(of_profile, key=lambda row: row[0])
    return [*plain, *(leaf for _, leaf in ordered)]


def _parents(every: Iterable[Leaf], on: Collection[str]) -> list[str]:
    """The profiles beneath these."""
    found = list[str]()
    for leaf in every:
        match = _PROFILE.fullmatch(leaf.path[0])
        name = match["name"] if match else leaf.path[0]
        counts = not (match and {*on}.isdisjoint(_named(match)))
        if name in _PARENTS and counts:
            found += [parent.strip() for parent in by_default(leaf.text).split(",")]
    return [parent for parent in dict.fromkeys(found) if parent not in on]


def _named(match: re.Match[str]) -> list[str]:
    """The profiles of `%prod.` and of `%{prod,staging}.` (SmallRye Config, Multiple Profiles)."""
    names = match["several"] or match["profile"]
    return [name.strip() for name in names.split(",")]


def of_files(files: Iterable[ApplicationFile]) -> Iterator[Source]:
    """What each of an application's files states. Raises `IntakeError`."""
    for file in files:
        prefix = f"%{file.profile}." if file.profile else ""
        own = [
            leaf for part in leaves_by_part(file, lambda *text: [leaves(*text)]) for leaf in part
        ]
        yield Source(file, [replace(leaf, path=(f"{prefix}{leaf.path[0]}",)) for leaf in own])
