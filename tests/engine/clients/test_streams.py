"""The process that keeps the ledger of a Kafka Streams application; a script stands in for that.

tests/cluster/test_scenarios.py kills, holds and stops the real application.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from labs.engine.base.wait import until
from labs.engine.clients.java_process import parse_line
from labs.engine.clients.process import ClientFailed, ClientProcess
from labs.engine.clients.streams import WORD_COUNTS, StreamsConfig

pytestmark = pytest.mark.process

APPLICATION = """
import sys
print("state RUNNING", flush=True)
print("[log] a line of Kafka's", flush=True)
print("handed 0 0 41 5", flush=True)
for line in sys.stdin:
    if line == "hold processed\\n":
        print("handed 0 1 42 6", flush=True)
        print("standing processed", flush=True)
    elif line == "go\\n":
        print("going", flush=True)
    elif line == "stop\\n":
        print("kept 41 1", flush=True)
        print("kept 42 2", flush=True)
        break
"""


def client(folder: Path, program: str = APPLICATION) -> ClientProcess:
    config = StreamsConfig(
        ledger=str(folder), name="consumer-1", group="app", topic="orders",
        bootstrap="127.0.0.1:1", isolation="read_committed",
        command=[sys.executable, "-c", program], drain_limit_s=0,
    )  # fmt: skip
    return ClientProcess("streams", config, folder, folder)


def deliveries(folder: Path) -> list[tuple[int, int, int]]:
    rows = pq.read_table(folder / "deliveries.parquet").to_pylist()
    return [(row["offset"], row["value"], row["time_ns"]) for row in rows]


def test_deliveries_are_written_before_a_held_application_is_killed(tmp_path: Path) -> None:
    application = client(tmp_path)
    application.await_ready(20)
    assert application.hold("processed", 20) == "2 records, the last one's result is written"
    assert application.latest["written"]
    assert deliveries(tmp_path) == [(0, 41, 5), (1, 42, 6)]
    application.send("go")
    until(lambda: not application.latest["standing"], 20, "it still stands")
    assert not application.latest["written"]
    application.kill()
    assert application.killed


def test_a_stopped_application_closes_and_reports_the_contents_of_its_state(tmp_path: Path) -> None:
    application = client(tmp_path)
    application.await_ready(20)
    application.ask_to_stop()
    ended = application.await_end(30)
    assert ended["kept"] == {"41": 1, "42": 2}
    assert deliveries(tmp_path) == [(0, 41, 5)]


def test_an_application_that_ends_by_itself_is_a_failure(tmp_path: Path) -> None:
    application = client(tmp_path, "print('failed no such topic: orders')")
    with pytest.raises(ClientFailed, match="ended by itself"):
        application.await_end(20)


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("handed 0 12 345 678", ["handed", "0", "12", "345", "678"]),
        ("failed a.B: no valid offset", ["failed", "a.B: no valid offset"]),
        ("[main] INFO state", None),
        ("", None),
    ],
)  # fmt: skip
def test_only_known_lines_are_parsed(line: str, parts: list[str] | None) -> None:
    assert parse_line(line, WORD_COUNTS) == parts
