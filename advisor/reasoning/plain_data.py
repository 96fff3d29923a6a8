"""Converts frozen dataclasses to plain JSON data, and back.

Every value is checked against its declared type, because stored data may come from another release
or may have been modified.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum, StrEnum
from functools import cache, partial
from types import UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

_MOST = 10**100
"""Larger than any number of ours; every smaller one can be divided and converted to text."""

_T = TypeVar("_T")


def to_plain(value: Any) -> Any:
    """Converts dataclasses and mappings to objects, and tuples and sets to lists."""
    if is_dataclass(value):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [to_plain(item) for item in value]
    return value.value if isinstance(value, Enum) else value


def from_plain(kind: type[_T], data: object) -> _T:
    """Returns the `kind` that `to_plain` converted to `data`.

    Raises ValueError for any other data. The message contains the path of the field, never its
    value. A missing field takes its default, so that a release may add one.
    """
    try:
        result: _T = _reader(cast(Hashable, kind))(data)
    except _Invalid as error:
        raise ValueError(f"{'.'.join((kind.__name__, *error.path))} {error.problem}") from None
    return result


class _Invalid(Exception):
    """A problem and the path of its field, which is built while the exception propagates."""

    def __init__(self, problem: str, *path: str) -> None:
        super().__init__(problem)
        self.problem, self.path = problem, path

    def within(self, name: str) -> _Invalid:
        return _Invalid(self.problem, name, *self.path)


@cache
def _reader(hint: Any) -> Callable[[Any], Any]:
    """Returns the function that reads data as one declared type. It is cached, because an answer
    has about a thousand values."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (tuple, frozenset):
        return partial(_collection, origin, _reader(inner[0]))
    if origin is Mapping:
        return partial(_mapping, _reader(inner[0]), _reader(inner[1]))
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        return partial(
            _object, hint, [(field, _reader(hints[field.name])) for field in fields(hint)]
        )
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return partial(_word, hint)
    return partial(_scalar, frozenset(inner if origin is UnionType else (hint,)))


def _collection(kind: Any, read: Callable[[Any], Any], data: Any) -> Any:
    return kind(map(read, _checked(list, data)))


def _mapping(key: Callable[[Any], Any], value: Callable[[Any], Any], data: Any) -> Any:
    return {key(name): _read_item(name, value, item) for name, item in _checked(dict, data).items()}


def _object(kind: Any, readers: list[tuple[Field[Any], Callable[[Any], Any]]], data: Any) -> Any:
    items, values = _checked(dict, data), {}
    for field, read in readers:
        if field.name in items:
            values[field.name] = _read_item(field.name, read, items[field.name])
        elif field.default is MISSING and field.default_factory is MISSING:
            raise _Invalid("is missing", field.name)
    return kind(**values)


def _word(kind: type[StrEnum], data: Any) -> Any:
    if data in list(kind):
        return kind(data)
    raise _Invalid("is not as it should be")


def _scalar(kinds: frozenset[type], data: Any) -> Any:
    if type(data) in kinds and _is_sound(data):
        return data
    raise _Invalid("is not as it should be")


def _checked(kind: type, data: Any) -> Any:
    if isinstance(data, kind):
        return data
    raise _Invalid("is not as it should be")


def _read_item(name: str, read: Callable[[Any], Any], data: Any) -> Any:
    try:
        return read(data)
    except _Invalid as error:
        raise error.within(name) from None


def _is_sound(value: object) -> bool:
    """Whether a text can be encoded, and a number is small enough to calculate with."""
    if isinstance(value, str):
        return value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value)
    return not isinstance(value, int) or abs(value) < _MOST
