"""Which files are of which kind, and what they say of each other before they are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from advisor.catalog import Family, kafka_versions, versions
from advisor.intake.application_file import file_profile
from advisor.intake.frameworks.chosen_profile import on
from advisor.intake.reading import Product, Reader, Started
from advisor.intake.registry import detect, find, read
from advisor.intake.text import MARK, is_secret, shown

_STARTS = ("environment", "compose", "kubernetes")
"""Kinds that say what processes are started with."""
_OF_VARIABLES = re.compile(r"(?:[\w-]+)?\.env(?:\.[\w-]+)?|[\w.-]+\.env")
"""How files of variables are called (Compose file reference, `env_file`)."""

_FILLED = re.compile(
    r"(?<!\$)\$(?:\{(?P<name>\w{1,100})(?::?[-?][^{}$\n]{0,200})?\}|(?P<bare>\w{1,100}))"
)
_VARIABLE = re.compile(
    r"[ \t]*(?:export[ \t]+)?(\w{1,100})[ \t]*="
    r"(?:[ \t]*[\"']?(-?\d{1,20}|[A-Za-z_-]{1,40})[\"']?[ \t]*|.*)"
)
"""A variable, and its value where that is a number or a word: no secret. The last one counts."""
_OF_SPRING = re.compile(r"\bSPRING_(?:KAFKA|CLOUD_STREAM)_")
_HELD = re.compile(r"^[ \t]+application[\w.-]*\.(?:ya?ml|properties):", re.MULTILINE)
"""A file of an application's in a manifest."""


def goes_first(text: str) -> bool:
    """Whether a file says what processes are started with: that goes before their own files."""
    return kind_of(text) in _STARTS


def kind_of(text: str) -> str:
    """How a text would be read; empty for one that nothing reads."""
    reader = detect(text.removeprefix(MARK))
    return reader.kind if reader else ""


def of_application(texts: Iterable[str], kind: str) -> Reader | None:
    """The reader of an application's files, if one of them is of a framework that has several."""
    readers = [find(kind)] if kind else (detect(text.removeprefix(MARK)) for text in texts)
    return next((reader for reader in readers if reader and reader.read_files), None)


def kind_by_name(name: str, text: str) -> str:
    """`environment` for a file of variables by its name, which no variable of which is Kafka's or
    Spring's; else empty: then its text tells the kind."""
    by_name = _OF_VARIABLES.fullmatch(name.rpartition("/")[2])
    return "environment" if by_name and not kind_of(text) else ""


def started(texts: Iterable[tuple[str, str]]) -> list[tuple[str, Started]]:
    """The profiles that files start applications in, and which file says so."""
    product = Product(Family.JAVA, versions(Family.JAVA)[0], kafka_versions()[0])
    found = list[tuple[str, Started]]()
    for name, text in texts:
        if kind := kind_by_name(name, text) or (kind_of(text) if goes_first(text) else ""):
            found += [(name, it) for it in read(text, product, kind).started]
    return found


def profiles(found: Iterable[tuple[str, Started]]) -> tuple[str, ...]:
    """The profiles that are on, where every file starts in the same ones."""
    return on(it for _, it in found)


def started_notes(found: Sequence[tuple[str, Started]], *, is_read: bool) -> list[str]:
    """Says in which profiles applications are started, and whether files of one are read for
    them."""
    notes = list[str]()
    for source, it in found:
        names = ", ".join(map(shown, it.profiles))
        if not is_read:
            words = "and no file of it is here: what its files state is not read. Give them, too"
        elif profiles(found):
            words = "so that what counts there is read"
        else:
            words = "and others in another one: choose one with --only"
        started_in = f"an application is started in profile {names}"
        notes.append(f"{source}:{it.line}: {started_in}, {words}.")
    return notes


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


def beneath_notes(texts: Sequence[tuple[str, str]], *, is_read: bool) -> list[str]:
    """Names files that count beneath those that are here: an application's own beneath its
    variables, and that of no profile beneath one of a profile."""
    notes, plain = list[str](), any(file_profile(name) == "" for name, _ in texts)
    for name, text in texts:
        stated = None if is_read or _HELD.search(text) else _OF_SPRING.search(text)
        if file_profile(name) and not plain and of_application([text], ""):
            words = "what the application's file of no profile states counts beneath this one"
            notes.append(f"{name}:1: {words}, and is not here. Give it, too.")
        if stated and goes_first(text):
            line = text.count("\n", 0, stated.start()) + 1
            words = "what the application's own files state counts beneath its variables"
            notes.append(f"{name}:{line}: {words}, and is not here. Give them, too.")
    return notes
