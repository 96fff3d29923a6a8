"""The process around TransactionalMessageCopier, with a script that logs what its clients do.

The real one is held, frozen and fenced in tests/cluster/test_java_clients.py.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from labs.engine.base import processes
from labs.engine.base.wait import until
from labs.engine.clients.copier_log import Fact, fact
from labs.engine.clients.java_consumer import JavaConsumerConfig
from labs.engine.clients.process import ClientFailed, ClientProcess
from labs.engine.clients.tool import Tool
from labs.engine.faults import FaultLog
from labs.engine.faults import clients as faults
from tests.engine import copied as lines
from tests.engine.rigs import alone
from tests.engine.test_clients_java import LIMIT_S, rows

pytestmark = pytest.mark.process

# Transaction after transaction, two records each, one step every few milliseconds.
_TOOL = """
import sys, time
from tests.engine import copied as lines
offset = 4
print(lines.ASSIGNED + "orders-0", lines.placed(0, offset), sep="\\n", flush=True)
while True:
    for step in (
        lines.BEGUN, lines.copied(0, offset), lines.copied(0, offset + 1),
        lines.joined(_0=offset + 2), lines.COMMITS, lines.COMMITTED,
    ):
        print(step, flush=True)
        time.sleep(0.02)
    offset += 2
"""
_ONCE = """
import pathlib, sys, time
from tests.engine import copied as lines
runs = pathlib.Path(sys.argv[1])
begun = len(runs.read_text()) if runs.exists() else 0
runs.write_text("x" * (begun + 1))
print(lines.ASSIGNED + "orders-0", lines.placed(0, begun), sep="\\n")
print(lines.BEGUN, lines.copied(0, begun), lines.joined(_0=begun + 1), sep="\\n")
print(lines.COMMITS, lines.COMMITTED, sep="\\n", flush=True)
if begun == 2:
    print(lines.turned("READY", "error state FATAL_ERROR") + "Fenced: there is a newer one")
    sys.exit(1)
"""


_NOTHING_TO_COPY = """
from tests.engine import copied as lines
taken = "1 INFO X [c] Revoke previously assigned partitions orders-0"
print(lines.ASSIGNED + "orders-0", lines.placed(0, 0), taken, sep="\\n", flush=True)
"""


def copier(folder: Path, script: str) -> ClientProcess:
    command = (sys.executable, "-c", script, str(folder / "runs"))
    config = JavaConsumerConfig(
        str(folder / "ledger"), "consumer-1", "app", "orders", "127.0.0.1:1", "read_committed",
        command, tells_commits=True, drain_limit_s=0.0,
    )  # fmt: skip
    return ClientProcess("java_copier", config, folder, folder)


def test_it_is_stopped_within_a_transaction_and_a_kill_there_hides_nothing(tmp_path: Path) -> None:
    client, log = copier(tmp_path, _TOOL), FaultLog()
    client.await_ready(LIMIT_S)
    (held,) = faults.hold(alone(client, log), "consumer", "processed", LIMIT_S)
    assert "2 records are with its producer, and nothing is committed" in held.evidence
    _, tool = processes.family(client.pid)
    assert processes.state(tool) == "T"
    assert "signal 9" in faults.kill_client(alone(client, log), "consumer", LIMIT_S)[0].evidence
    offsets = [row["offset"] for row in rows(tmp_path, "deliveries")]
    assert offsets == [*range(4, offsets[-1] + 1)]
    commits = [row["offset"] for row in rows(tmp_path, "commits")] if len(offsets) > 2 else [4]
    assert commits[-1] == offsets[-1] - 1


@pytest.mark.parametrize("point", ["processed", "polling"])
def test_frozen_or_not_it_goes_on_from_where_it_stands(tmp_path: Path, point: str) -> None:
    client, log = copier(tmp_path, _TOOL), FaultLog()
    client.await_ready(LIMIT_S)
    assert faults.hold(alone(client, log), "consumer", point, LIMIT_S)[0].phase == "complete"
    assert (
        "state T in all" in faults.pause_client(alone(client, log), "consumer", LIMIT_S)[0].evidence
    )
    before = client.latest["delivered"]
    assert faults.let_go(alone(client, log), "consumer", LIMIT_S)[0].phase == "complete"
    until(lambda: client.latest["delivered"] > before, LIMIT_S, "it did not go on")
    client.ask_to_stop()
    assert client.await_end(LIMIT_S)["stopped"] is None


def test_one_that_ends_is_started_again_and_one_that_fails_has_stopped(tmp_path: Path) -> None:
    client = copier(tmp_path, _ONCE)
    until(lambda: client.latest.get("stopped"), LIMIT_S, "it did not fail")
    assert client.latest["stopped"] == "Fenced: there is a newer one"
    client.ask_to_stop()
    assert client.await_end(LIMIT_S)["delivered"] == 3
    assert [row["offset"] for row in rows(tmp_path, "commits")] == [1, 2, 3]


def test_one_that_has_its_place_for_a_moment_is_ready(tmp_path: Path) -> None:
    client = copier(tmp_path, _NOTHING_TO_COPY)
    client.await_ready(LIMIT_S)
    client.ask_to_stop()
    assert client.await_end(LIMIT_S)["stopped"] is None


def test_words_between_facts_are_no_silence() -> None:
    text = f"print('a word of the client'); time.sleep(0.2); print({lines.BEGUN!r})"
    script = f"import time; {text.replace(')', ', flush=True)', 1)}"
    tool = Tool[Fact]((sys.executable, "-c", script), fact)
    assert [*tool.hear_out(LIMIT_S)] == [fact(lines.BEGUN)]
    assert tool.ended


def test_one_that_somebody_kills_takes_its_process_with_it(tmp_path: Path) -> None:
    client = copier(tmp_path, _TOOL)
    client.await_ready(LIMIT_S)
    os.kill(processes.family(client.pid)[1], signal.SIGKILL)
    with pytest.raises(ClientFailed, match=r"the JVM of the \w+ was killed, and not by this run"):
        client.await_end(LIMIT_S)


def test_lines_that_cannot_be_true_are_a_failure(tmp_path: Path) -> None:
    client = copier(tmp_path, _TOOL.replace("offset + 2)", "offset + 3)"))
    with pytest.raises(ClientFailed, match="at offset 7 of partition 0, its lines are at 6"):
        client.await_end(LIMIT_S)
