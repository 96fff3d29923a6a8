"""Variables that one file gives: another one's settings have the default of them, and compose fills
them in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from advisor.intake.intake import Intake
from advisor.intake.kinds import kind_of
from advisor.intake.origins import Joined, Origin
from advisor.intake.reading import Defaulted, Given
from advisor.intake.text import is_secret, shown

_FILLED = re.compile(
    r"(?<!\$)\$(?:\{(?P<name>\w{1,100})(?::-(?P<default>[^{}$\n]{0,200})|:?[-?][^{}$\n]{0,200})?\}"
    r"|(?P<bare>\w{1,100}))"
)
_EMPTY = re.compile(r"[ \t]*(?:export[ \t]+)?(\w{1,100})[ \t]*=[ \t]*(?:\"\"|'')?[ \t]*")
"""An empty variable, for which `${NAME:-2}` is 2, as it is for one that is not there
(Compose file reference, "Interpolation")."""
_VARIABLE = re.compile(
    r"[ \t]*(?:export[ \t]+)?(\w{1,100})[ \t]*[=:]"
    r"(?:[ \t]*[\"']?(-?\d{1,20}|[A-Za-z_-]{1,40})[\"']?[ \t]*|.*)"
)
"""A variable, and its value where that is a number or a word: no secret. The last one counts."""
_UNSAID = re.compile(
    r"^[ \t]+(?:-[ \t]+)?(?P<name>[A-Z][A-Z0-9_]{1,99})(?P<colon>:?)(?=[ \t]*$)",
    re.MULTILINE,
)
"""A variable that a service names without a value: compose has it from where it is started, or from
the `.env` (Compose file reference, `environment`)."""
_HANDED = re.compile(r"^[ \t]+env_file:", re.MULTILINE)
_OURS = ("KAFKA_", "SPRING_")
_FILLS = "what the .env beside it says is filled in; what compose is started with goes before it"


@dataclass(slots=True)
class Variables:
    """What the files so far give, and what they leave to variables."""

    defaulted: list[tuple[Origin, Defaulted]] = field(default_factory=list)
    given: list[tuple[Origin, Given]] = field(default_factory=list)

    def add(self, intake: Intake, source: str, joined: Joined | None) -> Iterator[str]:
        """Adds those of a file, or of files that are read as one; says where a setting's default
        does not count, since its variable is given another value."""
        place = joined.origin if joined else partial(Origin, source)
        defaulted = [(place(default.default.line), default) for default in intake.defaulted]
        given = [(place(entry.line), entry) for entry in intake.given]
        self.given += given
        yield from _replaced(defaulted, self.given)
        yield from _replaced(self.defaulted, given)
        self.defaulted += defaulted


def _replaced(
    defaulted: list[tuple[Origin, Defaulted]], given: list[tuple[Origin, Given]]
) -> Iterator[str]:
    for at, setting in defaulted:
        default = setting.default
        for other, entry in given:
            reaches = entry.by_file or not setting.by_compose
            if reaches and entry.variable == default.variable and entry.value != default.value:
                words = f"{setting.setting} has the default of a variable here, and {other} states"
                yield f"{at}: {words} another value for that: write the one that counts."
                break


def filled(texts: Sequence[tuple[str, str]]) -> tuple[list[tuple[str, str]], list[str]]:
    """The files, with what the `.env` beside a compose file fills into it (Compose file reference,
    "Interpolation"), and notes that say so. Where no service has an `env_file`, containers have
    nothing else of it."""
    result, notes = [*texts], list[str]()
    for at, (source, env) in enumerate(texts):
        folder, _, own = source.rpartition("/")
        composes = [
            number for number, (name, text) in enumerate(texts)
            if own == ".env" and name.rpartition("/")[0] == folder and kind_of(text) == "compose"
        ]  # fmt: skip
        values = _values(env)
        for number in composes:
            name, text = result[number]
            result[number] = (name, _with(values, text))
            notes += [f"{name}:1: {_FILLS}."] if result[number][1] != text else []
        whole = "\n".join(texts[number][1] for number in composes)
        if composes and not _HANDED.search(whole):
            result[at] = (source, _rest(source, env, values, whole, notes))
    emptied = {row for row, own in zip(result, texts, strict=True) if row != own and not row[1]}
    return [row for row in result if row not in emptied], notes


def _values(env: str) -> dict[str, str]:
    lines = env.splitlines()
    rows = filter(None, map(_VARIABLE.fullmatch, lines))
    last = {row[1]: row[2] for row in rows}
    empty = {row[1] for row in filter(None, map(_EMPTY.fullmatch, lines))}
    last |= {name: "" for name in empty if not last[name]}
    return {name: item for name, item in last.items() if item is not None and not is_secret(name)}


def _with(values: Mapping[str, str], text: str) -> str:
    def value(it: re.Match[str]) -> str:
        """What a variable is filled in with; where it is empty, its default."""
        return values.get(it["name"] or it["bare"], it[0]) or it["default"] or ""

    text = _FILLED.sub(value, text)
    return _UNSAID.sub(lambda it: it[0] + _said(it, values), text)


def _said(row: re.Match[str], values: Mapping[str, str]) -> str:
    """The value of a variable that a service names alone, behind what stands between them."""
    between = " " if row["colon"] else "="
    return f"{between}{values[row['name']]}" if values.get(row["name"]) else ""


def _rest(source: str, env: str, values: Mapping[str, str], text: str, notes: list[str]) -> str:
    """A `.env` without what its compose files take, and without what no container has of it."""
    lines = env.splitlines()
    for at, row in enumerate(map(_VARIABLE.fullmatch, lines)):
        name = row[1] if row else ""
        ours = next((begin for begin in _OURS if name.startswith(begin) and begin in text), "")
        is_used = bool(name) and re.search(rf"\b{name}\b", text) is not None
        if is_used and name in values:
            lines[at] = ""
        elif ours and not is_used:
            lines[at] = ""
            words = f"{shown(name)} is handed to no container by the compose file beside this one"
            notes.append(f"{source}:{at + 1}: {words}: not read.")
    return "\n".join(lines) if any(map(_VARIABLE.fullmatch, lines)) else ""
