"""Which parts of Spring's files count: those of no profile, and those of the profiles that are on.

Sources: Spring Boot reference, "Profiles" (groups, include, `default`), "Activation Properties" and
"Profile Specific Files": a file of a profile goes before those without one, the last profile before
the others. Spring Framework, `Profiles.of` (what `!`, `&` and `|` mean).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from advisor.intake.clients.placeholders import SPRING
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.spring.names import relaxed
from advisor.intake.reading import Profiles, Reading
from advisor.intake.text import IntakeError, shown

DEFAULT = "default"
"""The profile that is on where no other one is (`spring.profiles.default`)."""

_MOST = 24
_LONGEST = 100
"""Words of an expression; a longer one is not read."""
_CONDITION = re.compile(
    r"spring\.(?:config\.activate\.(?:onprofile|oncloudplatform)|profiles)(?:\.\d+|\[\d+])?"
)
_ON = re.compile(r"spring\.profiles\.(?P<what>active|include)(?:\.\d+|\[\d+])?")
_GROUP = re.compile(r"spring\.profiles\.group\.(?P<name>.+?)(?:\.\d+|\[\d+])?", re.IGNORECASE)
_TOKEN = re.compile(r"\s*([()!&|]|[^()!&|\s]+)")
_NAME = re.compile(r"[\w.@+-]{1,60}")


@dataclass(frozen=True, slots=True)
class Part:
    """One document of a file. It counts where of each of its conditions one expression holds.

    `file` is the profile of the file's name, empty without one, `is_last` whether it goes
    before all files.
    """

    leaves: Sequence[Leaf]
    conditions: tuple[tuple[str, ...], ...]
    file: str = ""
    is_last: bool = False


def as_part(leaves: Sequence[Leaf], file: str = "") -> Part:
    """A document with its conditions."""
    stated: dict[str, list[str]] = {}
    for leaf in leaves:
        if match := _CONDITION.fullmatch(relaxed(".".join(leaf.path))):
            name = re.sub(r"(\.\d+|\[\d+])$", "", match[0])
            stated.setdefault(name, []).extend(leaf.text.split(","))
    conditions = [tuple(one.strip() for one in texts) for texts in stated.values()]
    return Part(leaves, (*conditions, *([(file,)] if file else [])), file)


def with_profiles(parts: Sequence[Part], read: Callable[[Sequence[Leaf]], Reading]) -> Reading:
    """What is read of the parts that count, with what counts in other profiles. Raises
    `IntakeError`."""
    named = choices(parts)

    def in_profiles(chosen: Sequence[str]) -> Reading:
        reading = read([leaf for part in counting(parts, chosen) for leaf in part.leaves])
        _name_missing(reading, parts, chosen)
        return reading

    reading = in_profiles(())
    reading.profiles = Profiles(named, in_profiles, DEFAULT)
    return reading


def _name_missing(reading: Reading, parts: Sequence[Part], chosen: Sequence[str]) -> None:
    """Names the profiles that are on and of which nothing is here: what their files state goes
    before all that is."""
    switched = [leaf for leaf in _plain(parts) if _switches(leaf)]
    groups = {match["name"] for leaf in switched if (match := _group(leaf))}
    here = {name for one in parts for name in _wanted(one)} | groups | {DEFAULT}
    for name in _active(parts, chosen) if reading.items else ():
        if name not in here:
            line = next((leaf.line for leaf in switched if name in _names(leaf.text)), 0)
            note_missing(reading, name, line)
    for leaf in switched if reading.items and not chosen else ():
        if leaf.text.strip() and not _names(leaf.text):
            words = "which profile is on is filled in when the application starts: what its file "
            reading.note(leaf.line, f"{words}states goes before this one. Give that, too")


def note_missing(reading: Reading, name: str, line: int) -> None:
    """Says of a profile that is on that nothing of it is here."""
    file = f"application-{name}.yml" if shown(name) == name else "the file of its name"
    words = f"profile {shown(name)} is on, and nothing of it is here: what {file} states goes "
    reading.note(line, f"{words}before this. Give that file, too")


def _switches(leaf: Leaf) -> bool:
    """Whether a property says which profiles are on."""
    return bool(_ON.fullmatch(relaxed(".".join(leaf.path))) or _group(leaf))


def _group(leaf: Leaf) -> re.Match[str] | None:
    return _GROUP.fullmatch(".".join(leaf.path))


def _wanted(one: Part) -> Iterator[str]:
    """The profiles with which a part counts."""
    for text in (text for texts in one.conditions for text in texts):
        tokens = _TOKEN.findall(text)
        yield from (name for name in tokens if not _negated(tokens, name))


def counting(parts: Sequence[Part], chosen: Sequence[str]) -> list[Part]:
    """The parts that count with these profiles, or those that the files switch on; last goes
    before first."""
    active = _active(parts, chosen)
    own = [one for one in parts if all(_any(texts, active) for texts in one.conditions)]
    return sorted(own, key=lambda one: (one.is_last, active.index(one.file) + 1 if one.file else 0))


def choices(parts: Sequence[Part]) -> dict[tuple[str, ...], int]:
    """What may be switched on, and the line of the first part that asks for it; first what counts
    where nobody chooses, of which no part is on alone. Raises `IntakeError` for more than anybody
    has."""
    together = tuple(_stated(parts, "active")) or (DEFAULT,)
    named = {together: 0}
    for one in parts if any(part.conditions for part in parts) else ():
        for leaf in one.leaves:
            if match := _group(leaf):
                named.setdefault((match["name"],), leaf.line)
        line = min((leaf.line for leaf in one.leaves), default=1)
        for names in _asked(one):
            if not {*names} <= {*together}:
                named.setdefault(names, line)
    if len(named) > _MOST:
        line = max(named.values())
        raise IntakeError(f"Line {line}: more than {_MOST} profiles. Leave out those of others.")
    return named


def _asked(one: Part) -> Iterator[tuple[str, ...]]:
    """The profiles that a part asks for, or asks not to be on."""
    together = [one.file] if one.file else []
    for texts in one.conditions:
        for text in texts:
            tokens = _TOKEN.findall(text)
            names = [token for token in tokens if token not in set("()!&|")]
            wanted = [name for name in names if not _negated(tokens, name)]
            if "&" in tokens or (together and wanted != together):
                yield tuple(dict.fromkeys([*together, *wanted]))
                names = [name for name in names if name not in wanted]
            yield from ((name,) for name in names)


def _negated(tokens: list[str], name: str) -> bool:
    at = tokens.index(name)
    return at > 0 and tokens[at - 1] == "!"


def _active(parts: Sequence[Part], chosen: Sequence[str]) -> list[str]:
    names = [*chosen] or _stated(parts, "active")
    names = [*_stated(parts, "include"), *names] or [DEFAULT]
    groups: dict[str, list[str]] = {}
    for leaf in _plain(parts):
        if match := _group(leaf):
            groups.setdefault(match["name"], []).extend(_names(leaf.text))
    every: list[str] = []
    while names:
        name = names.pop(0)
        if name not in every:
            every.append(name)
            names = groups.get(name, []) + names
    return every


def _stated(parts: Sequence[Part], what: str) -> list[str]:
    """`spring.profiles.active` or `include`; of two parts that state it the last one counts."""
    for one in reversed(parts):
        found = [
            name
            for leaf in ([] if one.conditions else one.leaves)
            if (match := _ON.fullmatch(relaxed(".".join(leaf.path)))) and match["what"] == what
            for name in _names(leaf.text)
        ]
        if found:
            return found
    return []


def _plain(parts: Sequence[Part]) -> Iterable[Leaf]:
    return (leaf for one in parts if not one.conditions for leaf in one.leaves)


def _names(text: str) -> list[str]:
    filled = SPRING.sub(lambda match: match[2], text)
    names = (name.strip() for name in filled.split(","))
    return [name for name in names if _NAME.fullmatch(name) and not name.startswith("@")]


def _any(texts: Iterable[str], active: Sequence[str]) -> bool:
    return any(_holds(_TOKEN.findall(text)[:_LONGEST], active) for text in texts)


def _holds(words: list[str], active: Sequence[str]) -> bool:
    """Whether an expression holds; `&` and `|` do not stand side by side without brackets."""
    value = _one(words, active)
    while words and words[0] in "&|":
        operator = words.pop(0)
        other = _one(words, active)
        value = (value and other) if operator == "&" else (value or other)
    return value


def _one(words: list[str], active: Sequence[str]) -> bool:
    if not words:
        return False
    word = words.pop(0)
    if word == "!":
        return not _one(words, active)
    if word != "(":
        return word in active
    value = _holds(words, active)
    if words:
        words.pop(0)  # the bracket behind it
    return value
