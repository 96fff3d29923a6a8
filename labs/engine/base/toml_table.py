"""Reads TOML files that people write: each key has a type, and unknown keys are errors."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_T = TypeVar("_T")
_WORDS = {
    str: "a text",
    int: "a whole number",
    list: "a list",
    dict: "a table",
    bool: "true or false",
}


class Table:
    """One table of a file. It returns each key once and knows the keys that were not read.

    `of` is what the file describes, as in `a lab`; `wrong` the exception that names file and key.
    """

    def __init__(
        self, file: str, path: str, data: Mapping[str, Any], of: str, wrong: type[ValueError]
    ) -> None:
        self._file, self._path, self._left = file, path, dict(data)
        self._of, self._wrong = of, wrong

    @classmethod
    def read(cls, file: Path, of: str, wrong: type[ValueError]) -> Self:
        """The whole file. Raises `wrong` if it is missing or no TOML."""
        name = f"{file.parent.name}/{file.name}"
        try:
            return cls(name, "", tomllib.loads(file.read_text("utf-8")), of, wrong)
        except FileNotFoundError as missing:
            raise wrong(f"{name}: is missing") from missing
        except tomllib.TOMLDecodeError as error:
            raise wrong(f"{name}: {error}") from error

    def error(self, key: str, what: str) -> ValueError:
        """The error about a key: `folder/file: key: what is wrong`."""
        return self._wrong(f"{self._file}: {self._path}{key}: {what}")

    def take(self, key: str, kind: type[_T]) -> _T:
        """A required value; it must not be empty."""
        if key not in self._left:
            raise self.error(key, "is missing")
        value = self._left.pop(key)
        # bool is an int in Python, and none in such a file.
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.error(key, f"has to be {_WORDS[kind]}, not {value!r}")
        if kind in (str, list, dict) and not value:
            raise self.error(key, "is empty")
        return value

    def maybe(self, key: str, kind: type[_T], otherwise: _T) -> _T:
        """An optional value."""
        return self.take(key, kind) if key in self._left else otherwise

    def one_of(self, key: str, names: Iterable[str]) -> str:
        """A text that must be one of the known ones."""
        value, among = self.take(key, str), list(names)
        if value not in among:
            raise self.error(key, f"{value!r} is none of {', '.join(among)}")
        return value

    def slug(self, key: str) -> str:
        """A name of lower-case letters and digits, with dashes between its words."""
        name = self.take(key, str)
        if not SLUG.fullmatch(name):
            raise self.error(key, f"{name!r} has to be lower-case letters, digits and dashes")
        return name

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, none of them empty."""
        values = self.take(key, list)
        if not all(isinstance(value, str) and value.strip() for value in values):
            raise self.error(key, "has to be a list of texts")
        return tuple(values)

    def table(self, key: str) -> Self:
        """A table below this one."""
        return self._below(f"{key}.", self.take(key, dict))

    def tables(self, key: str) -> list[Self]:
        """A list of tables below this one."""
        values = self.take(key, list)
        if not all(isinstance(value, dict) for value in values):
            raise self.error(key, f"has to be tables, [[{self._path}{key}]]")
        return [self._below(f"{key}[{number}].", item) for number, item in enumerate(values, 1)]

    def settings(self, key: str) -> dict[str, str]:
        """Settings as the questionnaire takes them: all values are texts."""
        values = self.take(key, dict) if key in self._left else {}
        for name, value in values.items():
            if not isinstance(value, str):
                raise self.error(f"{key}.{name}", "has to be a text, as it would be typed")
        return values

    def finish(self) -> None:
        """Raises an error if the table has a key that was not read."""
        for key in self._left:
            raise self.error(key, f"is not a key of {self._of}")

    def _below(self, path: str, data: Mapping[str, Any]) -> Self:
        return type(self)(self._file, f"{self._path}{path}", data, self._of, self._wrong)
