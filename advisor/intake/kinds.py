"""Which files are of which kind, and what they say of each other before they are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from advisor.catalog import Family, kafka_versions, versions
from advisor.intake.frameworks.chosen_profile import on
from advisor.intake.reading import Product, Reader, Started
from advisor.intake.registry import detect, find, read
from advisor.intake.text import MARK, shown

_STARTS = ("environment", "compose", "kubernetes")
"""Kinds that say what processes are started with."""
_OF_VARIABLES = re.compile(r"(?:[\w-]+)?\.env(?:\.[\w-]+)?|[\w.-]+\.env")
"""How files of variables are called (Compose file reference, `env_file`)."""


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
