"""Plain data is read back; errors name the path of invalid data and never its value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import pytest

from advisor.reasoning.plain_data import from_plain, to_plain


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Part:
    size: int | None
    colour: Colour = Colour.RED


@dataclass(frozen=True)
class Whole:
    name: str
    parts: tuple[Part, ...]
    by_name: Mapping[str, Part]
    tags: frozenset[str] = frozenset()


WHOLE = Whole("w", (Part(1), Part(None)), {"a": Part(2)}, frozenset({"x", "y"}))
VALID = to_plain(WHOLE)


def test_plain_data_is_read_back_unchanged() -> None:
    assert from_plain(Whole, VALID) == WHOLE


def test_a_field_with_a_default_may_be_missing() -> None:
    assert from_plain(Part, {"size": 1}) == Part(1)


@pytest.mark.parametrize(
    ("invalid", "path"),
    [
        (None, "Whole is not"),
        ({"name": 7}, "Whole.name is not"),
        ({"name": "\ud800"}, "Whole.name is not"),
        ({"parts": "secret"}, "Whole.parts is not"),
        ({"parts": [{"size": True}]}, "Whole.parts.size is not"),
        ({"parts": [{"size": 10**100}]}, "Whole.parts.size is not"),
        ({"parts": [{"size": 1, "colour": "secret"}]}, "Whole.parts.colour is not"),
        ({"parts": [{"size": 1, "colour": []}]}, "Whole.parts.colour is not"),
        ({"parts": [{}]}, "Whole.parts.size is missing"),
        ({"by_name": {"a": {"size": "secret"}}}, "Whole.by_name.a.size is not"),
        ({"tags": [["secret"]]}, "Whole.tags is not"),
    ],
)
def test_invalid_data_is_refused_with_its_path(
    invalid: dict[str, object] | None, path: str
) -> None:
    with pytest.raises(ValueError, match=path) as refused:
        from_plain(Whole, invalid if invalid is None else VALID | invalid)
    assert "secret" not in str(refused.value)
