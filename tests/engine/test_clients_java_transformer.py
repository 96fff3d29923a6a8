"""The process around TransformerApplication.java, with a script that prints what it does.

The real one is held, frozen and fenced in tests/cluster/test_java_clients.py.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from labs.engine.base import processes
from labs.engine.base.wait import until
from labs.engine.clients.java_transformer import JavaTransformerConfig
from labs.engine.clients.process import ClientProcess
from labs.engine.faults import FaultLog
from labs.engine.faults import clients as faults
from tests.engine import test_clients_java as tools
from tests.engine.rigs import alone

pytestmark = pytest.mark.process

_APPLICATION = """
import sys
print({begin!r}, flush=True)
for line in sys.stdin:
    if line == "hold processed\\n":
        print({hold!r}, flush=True)
    elif line == "fail\\n":
        print({fail!r}, flush=True)
    elif line == "stop\\n":
        break
"""
ABORTED = tools.event("aborted", '"count":2,"why":"the work failed at processed"')
HELD = "\n".join((tools.record(8, 5), tools.record(9, 6), "standing processed"))
FAILED = "\n".join(("going", ABORTED, tools.POLLED))


def application(folder: Path, *begin: str) -> ClientProcess:
    text = _APPLICATION.format(begin="\n".join(begin), hold=HELD, fail=FAILED)
    config = JavaTransformerConfig(
        str(folder / "ledger"), "consumer-1", "app", "orders", "127.0.0.1:1", "read_committed",
        (sys.executable, "-c", text), tells_commits=True, drain_limit_s=0.0,
    )  # fmt: skip
    return ClientProcess("java_transformer", config, folder, folder)


BEGUN = (
    tools.ASSIGNED, tools.event("placed", '"topic":"orders","partition":0,"offset":4'),
    tools.record(7, 4), tools.committed(5, '"success":true'), tools.POLLED,
)  # fmt: skip


def test_an_application_that_is_killed_where_it_stands_has_written_all_down(tmp_path: Path) -> None:
    client, log = application(tmp_path, *BEGUN), FaultLog()
    client.await_ready(tools.LIMIT_S)
    (held,) = faults.hold(alone(client, log), "consumer", "processed", tools.LIMIT_S)
    assert "2 records in hand, all of them are processed" in held.evidence
    assert (
        "signal 9" in faults.kill_client(alone(client, log), "consumer", tools.LIMIT_S)[0].evidence
    )
    assert [row["value"] for row in tools.rows(tmp_path, "deliveries")] == [7, 8, 9]
    assert [row["offset"] for row in tools.rows(tmp_path, "commits")] == [5]


def test_frozen_with_its_jvm_it_goes_on_and_says_what_it_aborted(tmp_path: Path) -> None:
    client, log = application(tmp_path, *BEGUN), FaultLog()
    client.await_ready(tools.LIMIT_S)
    assert (
        faults.hold(alone(client, log), "consumer", "processed", tools.LIMIT_S)[0].phase
        == "complete"
    )
    pids = processes.family(client.pid)
    assert len(pids) == 2
    assert (
        "state T in all"
        in faults.pause_client(alone(client, log), "consumer", tools.LIMIT_S)[0].evidence
    )
    assert [processes.state(pid) for pid in pids] == ["T", "T"]
    client.tell("fail")
    assert client.latest["standing"], "frozen, it hears nothing"
    assert faults.let_go(alone(client, log), "consumer", tools.LIMIT_S)[0].phase == "complete"
    until(lambda: "mishap" in client.latest, tools.LIMIT_S, "it told of no mishap")
    assert client.latest["mishap"] == (
        "the work failed at processed: the transaction with 2 records is aborted, and the "
        "application reads its input again"
    )
    client.ask_to_stop()
    assert client.await_end(tools.LIMIT_S)["stopped"] is None


def test_an_application_that_cannot_go_on_ends_and_says_why(tmp_path: Path) -> None:
    why = "InvalidPidMappingException: gone"
    ended = tools.event("stopped", f'"why":"{why}"')
    config = JavaTransformerConfig(
        str(tmp_path / "ledger"), "consumer-1", "app", "orders", "127.0.0.1:1", "read_committed",
        (sys.executable, "-c", f"print({ended!r})"),
        tells_commits=True,
    )  # fmt: skip
    client = ClientProcess("java_transformer", config, tmp_path, tmp_path)
    assert client.await_end(tools.LIMIT_S)["stopped"] == why
