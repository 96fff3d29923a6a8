"""Reads TOML files written by people: each key has a type, and unknown keys are errors."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_T = TypeVar("_T")
_TYPE_NAMES = {
    str: "a text",
    int: "a whole number",
    list: "a list",
    dict: "a table",
    bool: "true or false",
}


class Table:
    """One table of a file. It returns each key once, and reports keys that were not read.

    `subject` is what the file describes, as in `a lab`. `error_type` is the exception type; its
    message has the file and the key.
    """

    def __init__(
        self,
        file: str,
        path: str,
        data: Mapping[str, Any],
        subject: str,
        error_type: type[ValueError],
    ) -> None:
        self._file, self._path, self._unread = file, path, dict(data)
        self._subject, self._error_type = subject, error_type

    @classmethod
    def read(cls, file: Path, subject: str, error_type: type[ValueError]) -> Self:
        """Returns the whole file. Raises `error_type` if it is missing or not valid TOML."""
        name = f"{file.parent.name}/{file.name}"
        try:
            return cls(name, "", tomllib.loads(file.read_text("utf-8")), subject, error_type)
        except FileNotFoundError as missing:
            raise error_type(f"{name}: is missing") from missing
        except tomllib.TOMLDecodeError as error:
            raise error_type(f"{name}: {error}") from error

    def error(self, key: str, problem: str) -> ValueError:
        """Returns the error about a key, with the message `folder/file: key: problem`."""
        return self._error_type(f"{self._file}: {self._path}{key}: {problem}")

    def take(self, key: str, kind: type[_T]) -> _T:
        """Returns a required value, which must not be empty."""
        if key not in self._unread:
            raise self.error(key, "is missing")
        value = self._unread.pop(key)
        # bool is a subclass of int in Python, but not an integer in TOML.
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.error(key, f"has to be {_TYPE_NAMES[kind]}, not {value!r}")
        if kind in (str, list, dict) and not value:
            raise self.error(key, "is empty")
        return value

    def maybe(self, key: str, kind: type[_T], otherwise: _T) -> _T:
        """Returns an optional value."""
        return self.take(key, kind) if key in self._unread else otherwise

    def one_of(self, key: str, names: Iterable[str]) -> str:
        """Returns a text that must be one of `names`."""
        value, allowed = self.take(key, str), list(names)
        if value not in allowed:
            raise self.error(key, f"{value!r} is none of {', '.join(allowed)}")
        return value

    def slug(self, key: str) -> str:
        """Returns a name of lower-case letters and digits, with dashes between its words."""
        name = self.take(key, str)
        if not SLUG.fullmatch(name):
            raise self.error(key, f"{name!r} has to be lower-case letters, digits and dashes")
        return name

    def texts(self, key: str) -> tuple[str, ...]:
        """Returns a list of non-empty texts."""
        values = self.take(key, list)
        if not all(isinstance(value, str) and value.strip() for value in values):
            raise self.error(key, "has to be a list of texts")
        return tuple(values)

    def table(self, key: str) -> Self:
        """Returns a nested table."""
        return self._nested(f"{key}.", self.take(key, dict))

    def tables(self, key: str) -> list[Self]:
        """Returns a list of nested tables."""
        values = self.take(key, list)
        if not all(isinstance(value, dict) for value in values):
            raise self.error(key, f"has to be tables, [[{self._path}{key}]]")
        return [self._nested(f"{key}[{number}].", item) for number, item in enumerate(values, 1)]

    def settings(self, key: str) -> dict[str, str]:
        """Returns settings as the questionnaire accepts them: all values are texts."""
        values = self.take(key, dict) if key in self._unread else {}
        for name, value in values.items():
            if not isinstance(value, str):
                raise self.error(f"{key}.{name}", "has to be a text, as it would be typed")
        return values

    def finish(self) -> None:
        """Raises an error if the table has a key that was not read."""
        for key in self._unread:
            raise self.error(key, f"is not a key of {self._subject}")

    def _nested(self, path: str, data: Mapping[str, Any]) -> Self:
        return type(self)(self._file, f"{self._path}{path}", data, self._subject, self._error_type)
