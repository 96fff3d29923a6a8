"""Append-only files of JSON lines. After a kill the last line may be incomplete."""

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
    """Returns the result of `parse(number, text)` for each complete line; numbers begin with 1.

    The list is empty if there is no file. An incomplete last line is removed from the file. If
    `parse` raises an error, the file remains unchanged.
    """
    text = file.read_text("utf-8") if file.exists() else ""
    complete = text[: text.rfind("\n") + 1]
    parsed = [parse(number, line) for number, line in enumerate(complete.splitlines(), start=1)]
    if complete != text:
        file.write_text(complete, "utf-8")
    return parsed


def append(file: Path, row: DataclassInstance) -> None:
    """Appends a line; it is in the file when this returns. Creates the file if it is absent."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as out:
        out.write(json.dumps(asdict(row), sort_keys=True) + "\n")
