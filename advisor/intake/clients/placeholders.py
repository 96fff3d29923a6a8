"""Placeholders such as `${NAME:default}`, which are filled in when the application starts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from advisor.catalog import Component
from advisor.intake.clients.generated_names import refuse_new_group
from advisor.intake.clients.known_settings import decides
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import DefaultedSetting, Reading, VariableValue
from advisor.intake.text import is_secret, shown

SPRING = re.compile(r"\$\{([^${}:]{1,200}):([^${}]{0,1000})\}")
"""A placeholder with a default and without another placeholder in it (Spring Framework,
"Placeholder Resolution")."""

COMPOSE = re.compile(r"\$\{(\w{1,200}):?-([^${}]{0,1000})\}")
"""`${NAME:-default}` and `${NAME-default}` (Compose file reference, "Interpolation")."""

FILLED_IN = re.compile(r"\{\{|\{%|<%|\$\{?\w|\$\(|%\(\w|^\{\w+\}$|^<[\w .-]+>$|^@\w+@$")
"""A placeholder in a value that is filled in before the file is read: by Jinja, Helm, ERB, a shell,
Python or Maven."""

_DEFAULT_COUNTS = "not read, so that its default counts here"
_MAX_PLACEHOLDERS = 20
_TRANSACTION = re.compile(r"transaction(?:al\.id|-?id-?prefix)$", re.IGNORECASE)
_VARIABLE = re.compile(r"\$\{[^{}]*\}")
_REFERENCE = re.compile(r"\$\{([\w.\[\]-]{1,200})(?::[^${}]{0,1000})?\}")
_MAX_DEPTH, _MAX_LENGTH = 5, 2000


def fill(
    reading: Reading, pattern: re.Pattern[str], setting: tuple[str, str, int],
    take: Callable[[str], None],
) -> None:  # fmt: skip
    """Takes a value with the defaults of its placeholders. `setting` is its name, text and line.

    Notes which variables may replace a default. A value with a placeholder for a secret, or without
    a default, is not taken, which is a problem if an answer depends on it. A default is never
    quoted, because it may be a secret.
    """
    name, text, line = setting
    if refuse_new_group(reading, Component.CONSUMER, name, text, line):
        return
    filled, may_replace, is_open = _filled(text, pattern)
    if filled is None and is_open and _TRANSACTION.search(name) and _VARIABLE.sub("", text):
        take(_VARIABLE.sub("x", text))  # with or without its variable it is a name
        return
    # A setting that is a credential is dropped below, with a more specific note.
    if filled is None and is_open and decides(name):
        words = "is filled in when the application starts. Write the value that counts"
        reading.add_problem(Component.APPLICATION, name, line, f"{shown(name)} {words}")
        return
    # An empty default stands for a value that is set, such as a name. Images write empty values.
    is_empty = filled == "" and pattern is SPRING and not decides(name)
    if filled is None or is_empty or not (is_open or is_secret(name)):
        reading.note(
            line, f"{shown(name)} is filled in when the application starts: {_DEFAULT_COUNTS}"
        )
        return
    take(filled)
    if may_replace and not is_secret(name):
        variables = ", ".join(shown(variable) for variable, _ in may_replace)
        if decides(name):
            is_compose = pattern is COMPOSE
            reading.defaulted_settings += [
                DefaultedSetting(
                    shown(name), VariableValue.by_name(variable, default, line), is_compose
                )
                for variable, default in may_replace
            ]
        reading.note(line, f"{shown(name)}: the default counts here; {variables} may replace it")


def by_default(text: str) -> str:
    """A text with the defaults of its placeholders; unchanged if a placeholder has none."""
    filled, _, _ = _filled(text, SPRING)
    return text if filled is None else filled


def filled_in_message(names: Sequence[str]) -> str:
    """The message for settings that decide and whose values match `FILLED_IN`."""
    be = "is" if len(names) == 1 else "are"
    words = f"{', '.join(names)} {be} filled in before this file is read. Give the rendered "
    return f"{words}file, or write the values in their place."


def with_references(reading: Reading, leaves: Sequence[Leaf]) -> list[Leaf]:
    """The leaves, with references to other properties of the application replaced by their values.
    These override a default, and an environment variable overrides both (Spring Framework,
    PropertySourcesPropertyResolver; Spring Boot, "Externalized Configuration"; SmallRye Config,
    "Property Expressions")."""
    stated = {_relaxed(".".join(leaf.path)): leaf.text for leaf in leaves}
    result = list[Leaf]()
    for leaf in leaves:
        text, name = leaf.text, ".".join(leaf.path)
        for _ in range(_MAX_DEPTH if "${" in text else 0):
            references = [
                match[1] for match in _REFERENCE.finditer(text) if _relaxed(match[1]) in stated
            ]
            reading.defaulted_settings += [
                DefaultedSetting(
                    shown(name),
                    VariableValue.by_name(reference, stated[_relaxed(reference)], leaf.line),
                )
                for reference in references
                if decides(name)
            ]
            text = _REFERENCE.sub(lambda it: stated.get(_relaxed(it[1]), it[0]), text)[:_MAX_LENGTH]
        result.append(replace(leaf, text=text))
    return result


def _relaxed(name: str) -> str:
    return re.sub("[-_]", "", name.strip()).lower()


def _filled(text: str, pattern: re.Pattern[str]) -> tuple[str | None, list[tuple[str, str]], bool]:
    """The text with defaults filled in, the variables with their defaults, and whether none of the
    variables is a secret.

    A default may hold another placeholder. The text is None if a placeholder has no default.
    """
    names, is_open = list[tuple[str, str]](), True
    while (match := pattern.search(text)) and len(names) < _MAX_PLACEHOLDERS:
        is_open = is_open and not is_secret(match[1])
        names.append((match[1].strip(), match[2]))
        text = text[: match.start()] + match[2] + text[match.end() :]
    return (None if "${" in text else text), names, is_open
