"""The parts of Spring's files that count: those without a profile, and those of active profiles.

Sources: Spring Boot reference, "Profiles" (groups, include, `default`), "Activation Properties" and
"Profile Specific Files": a file of a profile overrides those without one, and the last profile
overrides the others. Spring Framework, `Profiles.of` (the meaning of `!`, `&` and `|`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from advisor.intake.absent_files import absence
from advisor.intake.clients.placeholders import SPRING
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.spring.names import relaxed
from advisor.intake.reading import Profiles, Reading
from advisor.intake.text import IntakeError, shown

DEFAULT = "default"
"""The profile that is active if no other one is (`spring.profiles.default`)."""

_MAX_PROFILES = 24
_MAX_WORDS = 100
"""Words of an expression that are read at most."""
_CONDITION = re.compile(
    r"spring\.(?:config\.activate\.(?:onprofile|oncloudplatform)|profiles)(?:\.\d+|\[\d+])?"
)
_ACTIVATION = re.compile(r"spring\.profiles\.(?P<property>active|include)(?:\.\d+|\[\d+])?")
_GROUP = re.compile(r"spring\.profiles\.group\.(?P<name>.+?)(?:\.\d+|\[\d+])?", re.IGNORECASE)
_TOKEN = re.compile(r"\s*([()!&|]|[^()!&|\s]+)")
_NAME = re.compile(r"[\w.@+-]{1,60}")


@dataclass(frozen=True, slots=True)
class Part:
    """One document of a file. It counts if one expression of each of its conditions holds.

    `file` is the profile in the name of the file, empty without one. `is_last` is whether the part
    overrides all files.
    """

    leaves: Sequence[Leaf]
    conditions: tuple[tuple[str, ...], ...]
    file: str = ""
    is_last: bool = False


def as_part(leaves: Sequence[Leaf], file: str = "") -> Part:
    """Returns a document with its conditions."""
    expressions: dict[str, list[str]] = {}
    for leaf in leaves:
        if match := _CONDITION.fullmatch(relaxed(".".join(leaf.path))):
            name = re.sub(r"(\.\d+|\[\d+])$", "", match[0])
            expressions.setdefault(name, []).extend(leaf.text.split(","))
    conditions = [tuple(text.strip() for text in texts) for texts in expressions.values()]
    return Part(leaves, (*conditions, *([(file,)] if file else [])), file)


def with_profiles(parts: Sequence[Part], read: Callable[[Sequence[Leaf]], Reading]) -> Reading:
    """The reading of the parts that count, with a function that reads other profiles. Raises
    `IntakeError`."""
    profiles = choices(parts)

    def in_profiles(chosen: Sequence[str]) -> Reading:
        reading = read([leaf for part in active_parts(parts, chosen) for leaf in part.leaves])
        _note_missing_profiles(reading, parts, chosen)
        return reading

    reading = in_profiles(())
    reading.profiles = Profiles(profiles, in_profiles, DEFAULT)
    return reading


def _note_missing_profiles(reading: Reading, parts: Sequence[Part], chosen: Sequence[str]) -> None:
    """Adds a note for each active profile without a file here: its settings override all that is
    here."""
    activations = [leaf for leaf in _unconditional_leaves(parts) if _activates_profiles(leaf)]
    groups = {match["name"] for leaf in activations if (match := _group(leaf))}
    known_names = {name for part in parts for name in _required_profiles(part)} | groups | {DEFAULT}
    for name in _active_profiles(parts, chosen) if reading.items else ():
        if name not in known_names:
            line = next((leaf.line for leaf in activations if name in _profile_names(leaf.text)), 0)
            note_missing(reading, name, line)
    for leaf in activations if reading.items and not chosen else ():
        if leaf.text.strip() and not _profile_names(leaf.text):
            words = "which profile is on is filled in when the application starts: the settings of "
            reading.note(
                leaf.line,
                absence(f"{words}its file take precedence over these. Give that file, too"),
            )


def note_missing(reading: Reading, name: str, line: int) -> None:
    """Adds a note that a profile is active, and that its file is not here."""
    file = f"application-{name}.yml" if shown(name) == name else "the file of its name"
    words = f"profile {shown(name)} is on, and nothing of it is here: {file} takes precedence "
    reading.note(line, absence(f"{words}over this. Give that file, too"))


def _activates_profiles(leaf: Leaf) -> bool:
    """Whether a property activates profiles."""
    return bool(_ACTIVATION.fullmatch(relaxed(".".join(leaf.path))) or _group(leaf))


def _group(leaf: Leaf) -> re.Match[str] | None:
    return _GROUP.fullmatch(".".join(leaf.path))


def _required_profiles(part: Part) -> Iterator[str]:
    """Yields the profiles with which a part counts."""
    for text in (text for texts in part.conditions for text in texts):
        tokens = _TOKEN.findall(text)
        yield from (name for name in tokens if not _is_negated(tokens, name))


def active_parts(parts: Sequence[Part], chosen: Sequence[str]) -> list[Part]:
    """The parts that count with the chosen profiles, or else with those that the files activate.
    The last part overrides the first."""
    active = _active_profiles(parts, chosen)
    counting = [
        part for part in parts if all(_any_holds(texts, active) for texts in part.conditions)
    ]
    return sorted(
        counting, key=lambda part: (part.is_last, active.index(part.file) + 1 if part.file else 0)
    )


def choices(parts: Sequence[Part]) -> dict[tuple[str, ...], int]:
    """The profiles that may be chosen, with the line of the first part that names them.

    The first entry is the choice that counts by default; none of its parts is a choice by itself.
    Raises `IntakeError` for more profiles than any application has.
    """
    default = tuple(_profiles_by_property(parts, "active")) or (DEFAULT,)
    lines = {default: 0}
    for part in parts if any(other.conditions for other in parts) else ():
        for leaf in part.leaves:
            if match := _group(leaf):
                lines.setdefault((match["name"],), leaf.line)
        line = min((leaf.line for leaf in part.leaves), default=1)
        for names in _named_profiles(part):
            if not {*names} <= {*default}:
                lines.setdefault(names, line)
    if len(lines) > _MAX_PROFILES:
        line = max(lines.values())
        raise IntakeError(
            f"Line {line}: more than {_MAX_PROFILES} profiles. Leave out those of others."
        )
    return lines


def _named_profiles(part: Part) -> Iterator[tuple[str, ...]]:
    """Yields the profiles that the conditions of a part name, and those that must not be active."""
    file_profiles = [part.file] if part.file else []
    for texts in part.conditions:
        for text in texts:
            tokens = _TOKEN.findall(text)
            names = [token for token in tokens if token not in set("()!&|")]
            required = [name for name in names if not _is_negated(tokens, name)]
            if "&" in tokens or (file_profiles and required != file_profiles):
                yield tuple(dict.fromkeys([*file_profiles, *required]))
                names = [name for name in names if name not in required]
            yield from ((name,) for name in names)


def _is_negated(tokens: list[str], name: str) -> bool:
    at = tokens.index(name)
    return at > 0 and tokens[at - 1] == "!"


def _active_profiles(parts: Sequence[Part], chosen: Sequence[str]) -> list[str]:
    names = [*chosen] or _profiles_by_property(parts, "active")
    names = [*_profiles_by_property(parts, "include"), *names] or [DEFAULT]
    groups: dict[str, list[str]] = {}
    for leaf in _unconditional_leaves(parts):
        if match := _group(leaf):
            groups.setdefault(match["name"], []).extend(_profile_names(leaf.text))
    active: list[str] = []
    while names:
        name = names.pop(0)
        if name not in active:
            active.append(name)
            names = groups.get(name, []) + names
    return active


def _profiles_by_property(parts: Sequence[Part], property_: str) -> list[str]:
    """The names in `spring.profiles.active` or `include`. If two parts set it, the last one
    counts."""
    for part in reversed(parts):
        names = [
            name
            for leaf in ([] if part.conditions else part.leaves)
            if (match := _ACTIVATION.fullmatch(relaxed(".".join(leaf.path))))
            and match["property"] == property_
            for name in _profile_names(leaf.text)
        ]
        if names:
            return names
    return []


def _unconditional_leaves(parts: Sequence[Part]) -> Iterable[Leaf]:
    return (leaf for part in parts if not part.conditions for leaf in part.leaves)


def _profile_names(text: str) -> list[str]:
    filled = SPRING.sub(lambda match: match[2], text)
    names = (name.strip() for name in filled.split(","))
    return [name for name in names if _NAME.fullmatch(name) and not name.startswith("@")]


def _any_holds(texts: Iterable[str], active: Sequence[str]) -> bool:
    return any(_holds(_TOKEN.findall(text)[:_MAX_WORDS], active) for text in texts)


def _holds(words: list[str], active: Sequence[str]) -> bool:
    """Whether an expression holds. `&` and `|` are not mixed without brackets."""
    value = _operand(words, active)
    while words and words[0] in "&|":
        operator = words.pop(0)
        other = _operand(words, active)
        value = (value and other) if operator == "&" else (value or other)
    return value


def _operand(words: list[str], active: Sequence[str]) -> bool:
    if not words:
        return False
    word = words.pop(0)
    if word == "!":
        return not _operand(words, active)
    if word != "(":
        return word in active
    value = _holds(words, active)
    if words:
        words.pop(0)  # the closing bracket
    return value
