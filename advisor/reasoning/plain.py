"""Frozen dataclasses as plain JSON data, and back.

What comes back is of the declared types throughout, or refused: data that was kept may be of
another release, or of another hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum, StrEnum
from functools import cache
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

_MOST = 10**100
"""No number of ours is as large, and every smaller one can be divided and written out."""

_T = TypeVar("_T")


def to_plain(value: Any) -> Any:
    """Dataclasses and mappings become objects, tuples and sets lists; the rest is plain."""
    if is_dataclass(value):
        return {each.name: to_plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(each) for key, each in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [to_plain(each) for each in value]
    return value.value if isinstance(value, Enum) else value


def from_plain(kind: type[_T], data: object) -> _T:
    """What `to_plain` wrote of a `kind`. Raises ValueError for anything else,
    and says where: never what.

    A field that is missing takes its default, so that a release may add one.
    """
    found: _T = _read(kind, data, kind.__name__)
    return found


def _read(hint: Any, data: Any, where: str) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (tuple, frozenset) and isinstance(data, list):
        return origin(_read(inner[0], each, where) for each in data)
    if origin is Mapping and isinstance(data, dict):
        key, value = inner
        return {_read(key, k, where): _read(value, v, f"{where}.{k}") for k, v in data.items()}
    if is_dataclass(hint) and isinstance(data, dict):
        return _object(hint, data, where)
    if isinstance(hint, type) and issubclass(hint, StrEnum) and isinstance(data, str):
        return hint(data)
    scalars = inner if origin is UnionType else (hint,)
    if type(data) in scalars and _is_sound(data):
        return data
    raise ValueError(f"{where} is not as it should be")


def _object(kind: Any, data: Mapping[str, object], where: str) -> Any:
    hints, given = _hints(kind), {}
    for each in fields(kind):
        if each.name in data:
            given[each.name] = _read(hints[each.name], data[each.name], f"{where}.{each.name}")
        elif each.default is MISSING and each.default_factory is MISSING:
            raise ValueError(f"{where}.{each.name} is missing")
    return kind(**given)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _is_sound(value: object) -> bool:
    """Whether a text can be written to a page, and a number be calculated with."""
    if isinstance(value, str):
        return value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value)
    return not isinstance(value, int) or abs(value) < _MOST
