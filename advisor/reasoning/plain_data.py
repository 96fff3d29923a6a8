"""Frozen dataclasses as plain JSON data, and back.

What comes back is of the declared types throughout, or refused: data that was kept may be of
another release, or of another hand.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum, StrEnum
from functools import cache, partial
from types import UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

_MOST = 10**100
"""No number of ours is as large, and every smaller one can be divided and written out."""

_T = TypeVar("_T")


def to_plain(value: Any) -> Any:
    """Dataclasses and mappings become objects, tuples and sets lists; the rest is plain."""
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
    """What `to_plain` wrote of a `kind`. Raises ValueError for anything else,
    and says where: never what.

    A field that is missing takes its default, so that a release may add one.
    """
    try:
        result: _T = _reader(cast(Hashable, kind))(data)
    except _Wrong as wrong:
        raise ValueError(f"{'.'.join((kind.__name__, *wrong.path))} {wrong.what}") from None
    return result


class _Wrong(Exception):
    """What is wrong, and in which field of which field: the path is made on the way out."""

    def __init__(self, what: str, *path: str) -> None:
        super().__init__(what)
        self.what, self.path = what, path

    def within(self, name: str) -> _Wrong:
        return _Wrong(self.what, name, *self.path)


@cache
def _reader(hint: Any) -> Callable[[Any], Any]:
    """What reads data as one declared type: found once a type, an answer has a thousand values."""
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
    return kind(map(read, _of(list, data)))


def _mapping(key: Callable[[Any], Any], value: Callable[[Any], Any], data: Any) -> Any:
    return {key(name): _named(name, value, item) for name, item in _of(dict, data).items()}


def _object(kind: Any, parts: list[tuple[Field[Any], Callable[[Any], Any]]], data: Any) -> Any:
    text, given = _of(dict, data), {}
    for field, read in parts:
        if field.name in text:
            given[field.name] = _named(field.name, read, text[field.name])
        elif field.default is MISSING and field.default_factory is MISSING:
            raise _Wrong("is missing", field.name)
    return kind(**given)


def _word(kind: type[StrEnum], data: Any) -> Any:
    if data in list(kind):
        return kind(data)
    raise _Wrong("is not as it should be")


def _scalar(kinds: frozenset[type], data: Any) -> Any:
    if type(data) in kinds and _is_sound(data):
        return data
    raise _Wrong("is not as it should be")


def _of(kind: type, data: Any) -> Any:
    if isinstance(data, kind):
        return data
    raise _Wrong("is not as it should be")


def _named(name: str, read: Callable[[Any], Any], data: Any) -> Any:
    try:
        return read(data)
    except _Wrong as wrong:
        raise wrong.within(name) from None


def _is_sound(value: object) -> bool:
    """Whether a text can be written to a page, and a number be calculated with."""
    if isinstance(value, str):
        return value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value)
    return not isinstance(value, int) or abs(value) < _MOST
