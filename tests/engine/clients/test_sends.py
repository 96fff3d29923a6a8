"""The table of sends: its rows are correct in whatever order the responses arrive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from labs.engine.clients.sends import NEVER_INVOKED, Sends


def rows(ledger: Path) -> list[dict[str, Any]]:
    return pq.read_table(ledger / "sends.parquet").sort_by("value").to_pylist()


def test_responses_may_arrive_in_any_order_and_across_parts(tmp_path: Path) -> None:
    sends = Sends(tmp_path, "p1", "p1", "orders", keyed=True)
    attempts = [sends.invoke(value) for value in (10, 11, 12, 13)]
    sends.complete(attempts[2], "ok", 1, 0)
    sends.complete(attempts[0], "ok", 0, 7)
    sends.flush()
    sends.complete(attempts[3], "fail", error="refused")
    sends.complete(attempts[1], "info", 1, error="timed out")
    assert (len(sends), sends.open, sends.count) == (4, 0, {"ok": 2, "fail": 1, "info": 1})
    sends.close()
    records = [
        (row["value"], row["key"], row["outcome"], row["partition"], row["offset"], row["error"])
        for row in rows(tmp_path)
    ]
    assert records == [
        (10, "10", "ok", 0, 7, None),
        (11, "11", "info", 1, None, "timed out"),
        (12, "12", "ok", 1, 0, None),
        (13, "13", "fail", None, None, "refused"),
    ]
    invoked = [row["invoked_ns"] for row in rows(tmp_path)]
    assert invoked == sorted(invoked)
    assert all(row["invoked_ns"] <= row["completed_ns"] for row in rows(tmp_path))
    assert {(row["producer"], row["topic"]) for row in rows(tmp_path)} == {("p1", "orders")}


def test_a_send_that_is_open_at_the_end_is_unknown_and_has_no_completion_time(
    tmp_path: Path,
) -> None:
    sends = Sends(tmp_path, "p1", "p1", "orders", keyed=False)
    sends.invoke(5)
    sends.complete(sends.invoke(6), "ok", 0, -1001)
    assert sends.open == 1
    sends.close()
    open_row, completed = rows(tmp_path)
    assert (open_row["outcome"], open_row["completed_ns"], open_row["key"]) == ("info", None, None)
    assert (completed["outcome"], completed["offset"], completed["error"]) == ("ok", None, None)
    assert sends.open == 0


def test_sends_that_the_end_of_the_run_cut_off_are_unknown_and_marked(tmp_path: Path) -> None:
    sends = Sends(tmp_path, "p1", "p1", "orders", keyed=False)
    sends.complete(sends.invoke(5), "info", error="timed out")
    sends.invoke(6)
    sends.cut_off(sends.invoke(7, NEVER_INVOKED))
    sends.close(run_over=True)
    given_up, open_, never = rows(tmp_path)
    assert [row["outcome"] for row in (given_up, open_, never)] == ["info"] * 3
    assert [row["cut_off"] for row in (given_up, open_, never)] == [False, True, True]
    assert (open_["completed_ns"], never["invoked_ns"]) == (None, None)
    assert never["completed_ns"] > 0, "a row without any time has no place in the run"


def test_a_value_that_is_sent_again_has_another_row(tmp_path: Path) -> None:
    sends = Sends(tmp_path, "p1", "p1", "orders", keyed=False)
    sends.complete(sends.invoke(1), "info", error="timed out")
    sends.complete(sends.invoke(1), "ok", 0, 3)
    sends.close()
    assert sorted(row["outcome"] for row in rows(tmp_path)) == ["info", "ok"]


def test_shared_keys_are_the_value_modulo_the_number_of_keys(tmp_path: Path) -> None:
    sends = Sends(tmp_path, "p1", "p1", "orders", keyed=True, keys=100)
    for value in (7, 107, 300):
        sends.complete(sends.invoke(value), "ok", 0, value)
    sends.close()
    assert [(row["value"], row["key"]) for row in rows(tmp_path)] == [
        (7, "7"), (107, "7"), (300, "0"),
    ]  # fmt: skip
