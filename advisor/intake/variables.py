"""Variables that one file sets and another refers to: as the default of a setting, or as a value
that compose fills in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from advisor.intake.env_files import ENV_FILE_KEY, READ_PREFIXES
from advisor.intake.intake import Intake
from advisor.intake.kinds import detect_kind
from advisor.intake.origins import Joined, Origin
from advisor.intake.reading import DefaultedSetting, VariableValue
from advisor.intake.text import is_secret, shown

_REFERENCE = re.compile(
    r"(?<!\$)\$(?:\{(?P<name>\w{1,100})(?::-(?P<default>[^{}$\n]{0,200})|:?[-?][^{}$\n]{0,200})?\}"
    r"|(?P<bare>\w{1,100}))"
)
_EMPTY_VARIABLE = re.compile(r"[ \t]*(?:export[ \t]+)?(\w{1,100})[ \t]*=[ \t]*(?:\"\"|'')?[ \t]*")
"""An empty variable, for which `${NAME:-2}` is 2, as it is for one that is not set (Compose file
reference, "Interpolation")."""
_VARIABLE = re.compile(
    r"[ \t]*(?:export[ \t]+)?(\w{1,100})[ \t]*[=:]"
    r"(?:[ \t]*[\"']?(-?\d{1,20}|[A-Za-z_-]{1,40})[\"']?[ \t]*|.*)"
)
"""A variable, and its value if that is a number or a word, which is no secret. The last one takes
precedence."""
_VARIABLE_WITHOUT_VALUE = re.compile(
    r"^[ \t]+(?:-[ \t]+)?(?P<name>[A-Z][A-Z0-9_]{1,99})(?P<colon>:?)(?=[ \t]*$)",
    re.MULTILINE,
)
"""A variable that a service lists without a value: compose takes it from its own environment, or
from the `.env` (Compose file reference, `environment`)."""
_FILLED_FROM_ENV = (
    "values of the .env beside it are filled in; the environment of compose takes precedence"
)


@dataclass(slots=True)
class Variables:
    """The variables that the files so far set, and the settings that depend on variables."""

    defaulted_settings: list[tuple[Origin, DefaultedSetting]] = field(default_factory=list)
    variable_values: list[tuple[Origin, VariableValue]] = field(default_factory=list)

    def add(self, intake: Intake, source: str, joined: Joined | None) -> Iterator[str]:
        """Adds those of a file, or of files that are read as one. Yields a problem for each setting
        whose variable has another value than the default of the setting."""
        place = joined.origin if joined else partial(Origin, source)
        defaulted = [
            (place(default.default.line), default) for default in intake.defaulted_settings
        ]
        values = [(place(entry.line), entry) for entry in intake.variable_values]
        self.variable_values += values
        yield from _replaced(defaulted, self.variable_values)
        yield from _replaced(self.defaulted_settings, values)
        self.defaulted_settings += defaulted


def _replaced(
    defaulted: list[tuple[Origin, DefaultedSetting]], values: list[tuple[Origin, VariableValue]]
) -> Iterator[str]:
    for place, setting in defaulted:
        default = setting.default
        for other, entry in values:
            reaches = entry.by_file or not setting.by_compose
            if reaches and entry.variable == default.variable and entry.value != default.value:
                reason = f"{setting.setting} has the default of a variable here, and {other} states"
                yield f"{place}: {reason} another value for that: write the one that counts."
                break


def fill_from_env_files(
    texts: Sequence[tuple[str, str]],
) -> tuple[list[tuple[str, str]], list[str]]:
    """Returns the files, with the values of the `.env` beside a compose file filled in (Compose
    file reference, "Interpolation"), and notes about it. Unless a service has an `env_file`,
    containers get no other variable of it."""
    result, notes = [*texts], list[str]()
    for at, (source, env) in enumerate(texts):
        folder, _, base = source.rpartition("/")
        composes = [
            number for number, (name, text) in enumerate(texts)
            if base == ".env" and name.rpartition("/")[0] == folder
            and detect_kind(text) == "compose"
        ]  # fmt: skip
        values = _values(env)
        for number in composes:
            name, text = result[number]
            result[number] = (name, _with_values(values, text))
            notes += [f"{name}:1: {_FILLED_FROM_ENV}."] if result[number][1] != text else []
        all_composes = "\n".join(texts[number][1] for number in composes)
        if composes and not ENV_FILE_KEY.search(all_composes):
            result[at] = (source, _unused_variables(source, env, values, all_composes, notes))
    emptied = {row for row, base in zip(result, texts, strict=True) if row != base and not row[1]}
    return [row for row in result if row not in emptied], notes


def _values(env: str) -> dict[str, str]:
    lines = env.splitlines()
    rows = filter(None, map(_VARIABLE.fullmatch, lines))
    last = {row[1]: row[2] for row in rows}
    empty = {row[1] for row in filter(None, map(_EMPTY_VARIABLE.fullmatch, lines))}
    last |= {name: "" for name in empty if not last[name]}
    return {name: item for name, item in last.items() if item is not None and not is_secret(name)}


def _with_values(values: Mapping[str, str], text: str) -> str:
    def value(it: re.Match[str]) -> str:
        """Returns the value of a variable; its default where the value is empty."""
        return values.get(it["name"] or it["bare"], it[0]) or it["default"] or ""

    text = _REFERENCE.sub(value, text)
    return _VARIABLE_WITHOUT_VALUE.sub(lambda it: it[0] + _appended_value(it, values), text)


def _appended_value(match: re.Match[str], values: Mapping[str, str]) -> str:
    """Returns the value of a variable that a service lists without one, after the separator."""
    separator = " " if match["colon"] else "="
    return f"{separator}{values[match['name']]}" if values.get(match["name"]) else ""


def _unused_variables(
    source: str, env: str, values: Mapping[str, str], text: str, notes: list[str]
) -> str:
    """Returns a `.env` without the variables that its compose files fill in, and without those that
    no container gets."""
    lines = env.splitlines()
    for at, match in enumerate(map(_VARIABLE.fullmatch, lines)):
        name = match[1] if match else ""
        prefix = next(
            (begin for begin in READ_PREFIXES if name.startswith(begin) and begin in text), ""
        )
        is_used = bool(name) and re.search(rf"\b{name}\b", text) is not None
        if is_used and name in values:
            lines[at] = ""
        elif prefix and not is_used:
            lines[at] = ""
            message = f"{shown(name)} is handed to no container by the compose file beside this one"
            notes.append(f"{source}:{at + 1}: {message}: not read.")
    return "\n".join(lines) if any(map(_VARIABLE.fullmatch, lines)) else ""
