"""The processes around `ClientApplication.java`, with a script that prints the same lines.

tests/cluster/test_java_clients.py holds, pauses and fences the real application.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from labs.engine.base import processes
from labs.engine.base.wait import until
from labs.engine.clients.errors import CUT_OFF
from labs.engine.clients.java_consumer import JavaConsumerConfig
from labs.engine.clients.java_producer import JavaProducerConfig
from labs.engine.clients.process import ClientFailed, ClientProcess
from labs.engine.faults import clients as faults
from labs.engine.faults.record import FaultLog
from tests.engine.clients.ending import LIMIT_S, stop
from tests.engine.rigs import client_rig

pytestmark = pytest.mark.process

_SCRIPT = """
import sys
answers = {answers!r}
print(answers.pop("", ""), flush=True)
for line in sys.stdin:
    if line.strip() in answers:
        print(answers[line.strip()], flush=True)
    if line == "stop\\n" and {ends!r}:
        break
"""


def script_command(*begin: str, ends: bool = True, **answers: str) -> tuple[str, ...]:
    """The command of a program that prints `begin`, and then answers the lines in `answers`."""
    lines = {"": "\n".join(begin), **{key.replace("_", " "): text for key, text in answers.items()}}
    return (sys.executable, "-c", _SCRIPT.format(answers=lines, ends=ends))


def producer(
    folder: Path, command: tuple[str, ...], acknowledged: int, flush_limit_s: float = LIMIT_S
) -> ClientProcess:
    config = JavaProducerConfig(
        str(folder / "ledger"), "producer-1", "orders", command, flush_limit_s=flush_limit_s
    )
    client = ClientProcess("java_producer", config, folder, folder)
    until(
        lambda: client.latest.get("acknowledged") == acknowledged or client.returncode is not None,
        LIMIT_S, "the answers were not heard",
    )  # fmt: skip
    return client


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    read = pq.read_table(folder / "ledger" / f"{table}.parquet")
    return read.sort_by("value").to_pylist() if "value" in read.column_names else read.to_pylist()


SENT = ("sent 0 1000", "ok 0 0 7 1500", "sent 1 2000")


def test_a_stop_waits_for_the_last_answers_and_completes_the_ledger(tmp_path: Path) -> None:
    command = script_command(
        *SENT, "a word of the client", stop="ok 1 0 8 2500\nsent 2 3000\ndone 3 2"
    )
    client = producer(tmp_path, command, acknowledged=1)
    data = stop(client)
    assert (data["sent"], data["acknowledged"], data["failed"]) == (3, 2, 1)
    assert [
        (row["value"], row["completed_ns"], row["outcome"], row["error"])
        for row in rows(tmp_path, "sends")
    ] == [(0, 1500, "ok", None), (1, 2500, "ok", None), (2, None, "info", CUT_OFF)]
    assert "a word of the client" in (tmp_path / "java_producer.log").read_text()


def test_a_producer_that_does_not_end_is_killed_and_an_incomplete_line_is_ignored(
    tmp_path: Path,
) -> None:
    torn = "import sys; print('ok 1 0', end='', flush=True); "
    command = (sys.executable, "-c", f"print({chr(10).join(SENT)!r}, flush=True); {torn}"
               "import threading; threading.Event().wait()")  # fmt: skip
    client = producer(tmp_path, command, acknowledged=1, flush_limit_s=0.5)
    assert stop(client)["ended"]
    assert [row["outcome"] for row in rows(tmp_path, "sends")] == ["ok", "info"]


def test_the_client_fails_when_its_jvm_is_killed(tmp_path: Path) -> None:
    client = producer(tmp_path, script_command(*SENT), acknowledged=1)
    os.kill(processes.process_tree(client.pid)[1], signal.SIGKILL)
    with pytest.raises(ClientFailed, match=r"the JVM of the \w+ was killed, and not by this run"):
        client.await_end(LIMIT_S)


@pytest.mark.parametrize(
    ("begin", "stop", "message"),
    [
        ([*SENT, "ok 0 0 7 1600"], "", "0 was answered, but no line reports its send"),
        (SENT, "done 2 2", "counts"),
        ([*SENT, "ok 1"], "", "is incomplete"),
    ],
)
def test_an_inconsistent_or_incomplete_record_of_sends_is_refused(
    tmp_path: Path, begin: list[str], stop: str, message: str
) -> None:
    client = producer(tmp_path, script_command(*begin, stop=stop), acknowledged=1)
    client.ask_to_stop()
    with pytest.raises(ClientFailed, match=message):
        client.await_end(LIMIT_S)


def test_a_program_that_cannot_start_fails_with_its_own_message(tmp_path: Path) -> None:
    command = (sys.executable, "-c", "import sys; sys.exit('no such setting')")
    client = producer(tmp_path, command, acknowledged=1)
    with pytest.raises(ClientFailed, match="no such setting"):
        client.await_end(LIMIT_S)


def consumer(folder: Path, command: tuple[str, ...], reports_commits: bool = True) -> ClientProcess:
    config = JavaConsumerConfig(
        str(folder / "ledger"), "consumer-1", "app", "orders", "127.0.0.1:1", "read_committed",
        command, reports_commits, drain_limit_s=0.0,
    )  # fmt: skip
    return ClientProcess("java_consumer", config, folder, folder)


FIRST_POLL = (
    "assigned 0", "placed 0 4", "polled 50", "handed 0 4 7", "committed 60 ok 0:5", "settled 1",
)  # fmt: skip
HELD_AT_PROCESSED = "polled 70\nhanded 0 5 8\nhanded 0 6 9\nstanding processed"


def test_deliveries_and_commits_until_the_stop_are_written(tmp_path: Path) -> None:
    client = consumer(
        tmp_path, script_command(*FIRST_POLL, stop="polled 80\nhanded 0 5 8\nsettled 1")
    )
    client.await_ready(LIMIT_S)
    assert stop(client)["delivered"] == 2
    assert [row["value"] for row in rows(tmp_path, "deliveries")] == [7, 8]
    assert [row["offset"] for row in rows(tmp_path, "commits")] == [5]


def test_without_reported_commits_there_is_no_commits_table(tmp_path: Path) -> None:
    client = consumer(tmp_path, script_command(*FIRST_POLL), reports_commits=False)
    client.await_ready(LIMIT_S)
    stop(client)
    assert not (tmp_path / "ledger" / "commits.parquet").exists()


def test_a_consumer_killed_while_held_has_written_its_deliveries_and_commits(
    tmp_path: Path,
) -> None:
    client, log = (
        consumer(tmp_path, script_command(*FIRST_POLL, hold_processed=HELD_AT_PROCESSED)),
        FaultLog(),
    )
    client.await_ready(LIMIT_S)
    (held,) = faults.hold(client_rig(client, log), "consumer", "processed")
    assert "2 records in hand, all of them are processed" in held.evidence
    assert "signal 9" in faults.kill_client(client_rig(client, log), "consumer")[0].evidence
    assert [row["value"] for row in rows(tmp_path, "deliveries")] == [7, 8, 9]
    assert [row["offset"] for row in rows(tmp_path, "commits")] == [5]


def test_a_paused_consumer_resumes_with_its_jvm_and_reports_an_aborted_transaction(
    tmp_path: Path,
) -> None:
    failed = "going\naborted 2 the work failed at processed\nsettled 2"
    client, log = (
        consumer(
            tmp_path, script_command(*FIRST_POLL, hold_processed=HELD_AT_PROCESSED, fail=failed)
        ),
        FaultLog(),
    )
    client.await_ready(LIMIT_S)
    held = faults.hold(client_rig(client, log), "consumer", "processed")[0]
    assert held.phase == "complete"
    pids = processes.process_tree(client.pid)
    assert len(pids) == 2
    paused = faults.pause_client(client_rig(client, log), "consumer")[0]
    assert "state T in all" in paused.evidence
    assert [processes.state(pid) for pid in pids] == ["T", "T"]
    client.send("fail")
    assert client.latest["standing"], "frozen, it hears nothing"
    assert faults.resume_client(client_rig(client, log), "consumer")[0].phase == "complete"
    until(lambda: "mishap" in client.latest, LIMIT_S, "it told of no mishap")
    assert client.latest["mishap"] == (
        "the work failed at processed: the transaction with 2 records is aborted, and the "
        "application reads its input again"
    )
    assert stop(client)["stopped"] is None


def test_a_consumer_that_stops_on_an_error_reports_why_and_does_not_fail_the_run(
    tmp_path: Path,
) -> None:
    reason = "NoOffsetForPartitionException: Undefined offset with no reset policy"
    client = consumer(tmp_path, (sys.executable, "-c", f"print('stopped {reason}')"))
    until(lambda: client.returncode is not None, LIMIT_S, "it did not end")
    client.await_ready(LIMIT_S)
    assert client.await_end(LIMIT_S)["stopped"] == reason


def test_a_consumer_that_ends_without_a_reason_is_a_failure(tmp_path: Path) -> None:
    client = consumer(tmp_path, (sys.executable, "-c", "print('assigned 0')"))
    with pytest.raises(ClientFailed, match="ended by itself, with code 0"):
        client.await_end(LIMIT_S)
