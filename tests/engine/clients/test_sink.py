"""The sink: a real database, plain and idempotent, and what is read from it at the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from labs.engine.clients.sink import Database, Style, effects


def applied(database: Path) -> dict[int, int]:
    results = effects(database)
    return dict(zip(results["value"], results["applied"], strict=True))


@pytest.mark.parametrize(
    ("style", "left"), [("plain", {1: 2, 2: 3, 3: 1}), ("idempotent", {1: 1, 2: 1, 3: 1})]
)
def test_only_an_idempotent_sink_knows_what_it_was_given(
    tmp_path: Path, style: Style, left: dict[int, int]
) -> None:
    database = tmp_path / "sink.sqlite"
    first = Database(database, style)
    first.apply([1, 2, 2])
    second = Database(database, style)  # a successor, while the dead one's connection is open
    second.apply([1, 2, 3])
    assert applied(database) == left
    for item in (first, second):
        item.close()


def test_a_poll_is_applied_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    sink = Database(tmp_path / "sink.sqlite", "plain")
    broken: list[Any] = [1, None]
    with pytest.raises(Exception, match="NOT NULL"):
        sink.apply(broken)
    assert applied(tmp_path / "sink.sqlite") == {}
    sink.close()


def test_a_sink_that_nobody_wrote_to_has_no_rows_and_all_columns(tmp_path: Path) -> None:
    assert effects(tmp_path / "sink.sqlite") == {
        "sink": [], "value": [], "applied": [], "time_ns": []
    }  # fmt: skip
