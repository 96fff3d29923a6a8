"""Variables that one file gives: another one's settings have the default of them, and compose fills
them in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from advisor.intake.intake import Intake
from advisor.intake.kinds import kind_of
from advisor.intake.places import Joined, Origin
from advisor.intake.reading import Defaulted, Given
from advisor.intake.text import is_secret

_FILLED = re.compile(
    r"(?<!\$)\$(?:\{(?P<name>\w{1,100})(?::?[-?][^{}$\n]{0,200})?\}|(?P<bare>\w{1,100}))"
)
_VARIABLE = re.compile(
    r"[ \t]*(?:export[ \t]+)?(\w{1,100})[ \t]*="
    r"(?:[ \t]*[\"']?(-?\d{1,20}|[A-Za-z_-]{1,40})[\"']?[ \t]*|.*)"
)
"""A variable, and its value where that is a number or a word: no secret. The last one counts."""


@dataclass(slots=True)
class Variables:
    """What the files so far give, and what they leave to variables."""

    defaulted: list[tuple[Origin, Defaulted]] = field(default_factory=list)
    given: list[tuple[Origin, Given]] = field(default_factory=list)

    def add(self, intake: Intake, source: str, joined: Joined | None) -> Iterator[str]:
        """Adds those of a file, or of files that are read as one; says where a setting's default
        does not count, since its variable is given another value."""
        place = joined.origin if joined else partial(Origin, source)
        defaulted = [(place(it.default.line), it) for it in intake.defaulted]
        given = [(place(it.line), it) for it in intake.given]
        self.given += given
        yield from _replaced(defaulted, self.given)
        yield from _replaced(self.defaulted, given)
        self.defaulted += defaulted


def _replaced(
    defaulted: list[tuple[Origin, Defaulted]], given: list[tuple[Origin, Given]]
) -> Iterator[str]:
    for at, setting in defaulted:
        default = setting.default
        for other, it in given:
            reaches = it.by_file or not setting.by_compose
            if reaches and it.variable == default.variable and it.value != default.value:
                words = f"{setting.setting} has the default of a variable here, and {other} states"
                yield f"{at}: {words} another value for that: write the one that counts."
                break


def filled(texts: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The files, with what the `.env` beside a compose file fills into it (Compose file reference,
    "Interpolation"); what compose is started with goes before it."""
    own = {
        name.rpartition("/")[0]: text for name, text in texts if name.rpartition("/")[2] == ".env"
    }
    result = list[tuple[str, str]]()
    for name, text in texts:
        env = own.get(name.rpartition("/")[0], "")
        rows = filter(None, map(_VARIABLE.fullmatch, env.splitlines()))
        last = {row[1]: row[2] for row in rows}
        values = {name: value for name, value in last.items() if value and not is_secret(name)}
        is_filled = values and "$" in text and kind_of(text) == "compose"
        result.append((name, _with(values, text) if is_filled else text))
    return result


def _with(values: Mapping[str, str], text: str) -> str:
    return _FILLED.sub(lambda it: values.get(it["name"] or it["bare"], it[0]), text)


def filled_notes(before: Iterable[tuple[str, str]], after: Iterable[tuple[str, str]]) -> list[str]:
    """Says of which files that is so."""
    words = "what the .env beside it says is filled in; what compose is started with goes before it"
    return [
        f"{name}:1: {words}."
        for (name, one), (_, other) in zip(before, after, strict=True)
        if one != other
    ]
