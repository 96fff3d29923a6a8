"""Append-only files of JSON lines. A kill may have cut the last line short."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")


def read(file: Path, parse: Callable[[int, str], T]) -> list[T]:
    """The result of `parse(number, text)` for each complete line; numbers begin with 1.

    Nothing where there is no file. A last line that was cut short is taken out of it. What `parse`
    raises passes through, and the file stays as it is.
    """
    text = file.read_text("utf-8") if file.exists() else ""
    whole = text[: text.rfind("\n") + 1]
    parsed = [parse(number, line) for number, line in enumerate(whole.splitlines(), start=1)]
    if whole != text:
        file.write_text(whole, "utf-8")
    return parsed


def append(file: Path, row: DataclassInstance) -> None:
    """Adds a line, which is in the file when this returns. Makes a file that is absent."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as out:
        out.write(json.dumps(asdict(row), sort_keys=True) + "\n")
