"""The sink: a database, plain or idempotent, and the effects that are read from it at the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from labs.engine.clients.sink import Database, Style, effects


def applied(database: Path) -> dict[int, int]:
    table = effects(database)
    return dict(zip(table["value"], table["applied"], strict=True))


@pytest.mark.parametrize(
    ("style", "expected"), [("plain", {1: 2, 2: 3, 3: 1}), ("idempotent", {1: 1, 2: 1, 3: 1})]
)
def test_only_an_idempotent_sink_ignores_values_that_it_already_has(
    tmp_path: Path, style: Style, expected: dict[int, int]
) -> None:
    database = tmp_path / "sink.sqlite"
    first = Database(database, style)
    first.apply([1, 2, 2])
    second = Database(database, style)  # a successor, while the first connection is open
    second.apply([1, 2, 3])
    assert applied(database) == expected
    for connection in (first, second):
        connection.close()


def test_a_poll_is_applied_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    sink = Database(tmp_path / "sink.sqlite", "plain")
    values: list[Any] = [1, None]
    with pytest.raises(Exception, match="NOT NULL"):
        sink.apply(values)
    assert applied(tmp_path / "sink.sqlite") == {}
    sink.close()


def test_an_unused_sink_has_all_columns_and_no_rows(tmp_path: Path) -> None:
    assert effects(tmp_path / "sink.sqlite") == {
        "sink": [], "value": [], "applied": [], "time_ns": []
    }  # fmt: skip
