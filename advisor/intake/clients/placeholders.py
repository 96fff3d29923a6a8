"""`${NAME:default}`: what is filled in when the application starts, and what is taken of it."""

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
"""With a default, and no other one inside (Spring Framework, "Placeholder Resolution")."""

COMPOSE = re.compile(r"\$\{(\w{1,200}):?-([^${}]{0,1000})\}")
"""`${NAME:-default}` and `${NAME-default}` (Compose file reference, "Interpolation")."""

FILLED_IN = re.compile(r"\{\{|\{%|<%|\$\{?\w|\$\(|%\(\w|^\{\w+\}$|^<[\w .-]+>$|^@\w+@$")
"""What stands in a value that something else fills in before the file is read: Jinja, Helm's
templates, ERB, a shell, Python, Maven."""

_OPEN = "not read, so that its default counts here"
_MOST = 20
_TRANSACTION = re.compile(r"transaction(?:al\.id|-?id-?prefix)$", re.IGNORECASE)
_VARIABLE = re.compile(r"\$\{[^{}]*\}")
_REFERENCE = re.compile(r"\$\{([\w.\[\]-]{1,200})(?::[^${}]{0,1000})?\}")
_DEEPEST, _LONGEST = 5, 2000


def fill(
    reading: Reading, pattern: re.Pattern[str], named: tuple[str, str, int],
    take: Callable[[str], None],
) -> None:  # fmt: skip
    """Takes a value (`named` is its name, text and line) with the default of each placeholder.

    Says which names may replace one; or that there is one without a default, or for a secret, and
    nothing is taken: a problem where an answer depends on it. A default is never repeated: it may
    be the secret itself.
    """
    name, text, line = named
    if refuse_new_group(reading, Component.CONSUMER, name, text, line):
        return
    filled, may_replace, is_open = _filled(text, pattern)
    if filled is None and is_open and _TRANSACTION.search(name) and _VARIABLE.sub("", text):
        take(_VARIABLE.sub("x", text))  # a name with a variable in it is one, whatever that is
        return
    # A setting that is a credential is dropped below, and that says more.
    if filled is None and is_open and decides(name):
        words = "is filled in when the application starts. Write the value that counts"
        reading.wrong(Component.APPLICATION, name, line, f"{shown(name)} {words}")
        return
    # For a value that is given, such as a name. An image writes what compose leaves empty.
    is_unsaid = filled == "" and pattern is SPRING and not decides(name)
    if filled is None or is_unsaid or not (is_open or is_secret(name)):
        reading.note(line, f"{shown(name)} is filled in when the application starts: {_OPEN}")
        return
    take(filled)
    if may_replace and not is_secret(name):
        by = ", ".join(shown(variable) for variable, _ in may_replace)
        if decides(name):
            of_compose = pattern is COMPOSE
            reading.defaulted_settings += [
                DefaultedSetting(
                    shown(name), VariableValue.by_name(variable, default, line), of_compose
                )
                for variable, default in may_replace
            ]
        reading.note(line, f"{shown(name)}: the default counts here; {by} may replace it")


def by_default(text: str) -> str:
    """A text with the defaults of its placeholders; as it stands where one has none."""
    filled, _, _ = _filled(text, SPRING)
    return text if filled is None else filled


def to_fill_in(names: Sequence[str]) -> str:
    """What is said of settings that decide and hold `FILLED_IN`."""
    be = "is" if len(names) == 1 else "are"
    words = f"{', '.join(names)} {be} filled in before this file is read. Give the file "
    return f"{words}that counts then, or write the values in their place."


def resolved(reading: Reading, leaves: Sequence[Leaf]) -> list[Leaf]:
    """The leaves, in which a name of another property of the same application is its value: that
    goes before a default, and a variable of the environment goes before both (Spring Framework,
    PropertySourcesPropertyResolver; Spring Boot, "Externalized Configuration"; SmallRye Config,
    "Property Expressions")."""
    stated = {_relaxed(".".join(leaf.path)): leaf.text for leaf in leaves}
    result = list[Leaf]()
    for leaf in leaves:
        text, name = leaf.text, ".".join(leaf.path)
        for _ in range(_DEEPEST if "${" in text else 0):
            own = [match[1] for match in _REFERENCE.finditer(text) if _relaxed(match[1]) in stated]
            reading.defaulted_settings += [
                DefaultedSetting(
                    shown(name),
                    VariableValue.by_name(reference, stated[_relaxed(reference)], leaf.line),
                )
                for reference in own
                if decides(name)
            ]
            text = _REFERENCE.sub(lambda it: stated.get(_relaxed(it[1]), it[0]), text)[:_LONGEST]
        result.append(replace(leaf, text=text))
    return result


def _relaxed(name: str) -> str:
    return re.sub("[-_]", "", name.strip()).lower()


def _filled(text: str, pattern: re.Pattern[str]) -> tuple[str | None, list[tuple[str, str]], bool]:
    """The text with each default in its place, and the names that may replace one, with it.

    A default may hold another placeholder. None for a text with one that has no default. The
    last is False if one of the names is that of a secret.
    """
    names, is_open = list[tuple[str, str]](), True
    while (match := pattern.search(text)) and len(names) < _MOST:
        is_open = is_open and not is_secret(match[1])
        names.append((match[1].strip(), match[2]))
        text = text[: match.start()] + match[2] + text[match.end() :]
    return (None if "${" in text else text), names, is_open
