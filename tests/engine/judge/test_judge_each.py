"""Ledgers are judged by a warm session if one answers, and by a new process otherwise."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from config.places import socket_path
from labs.engine.judge import spark

Reply = Callable[[dict[str, Any]], dict[str, Any] | None]


@contextmanager
def warm_session(folder: Path, reply: Reply) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    """Serves a session that answers with `reply`, or closes the connection if that returns None.

    Yields its socket and the list of its requests.
    """
    requests: list[dict[str, Any]] = []

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            requests.append(json.loads(self.rfile.readline()))
            data = reply(requests[-1])
            if data is not None:
                self.wfile.write(json.dumps(data).encode() + b"\n")

    socket = socket_path(folder, "judge.sock")
    with socketserver.ThreadingUnixStreamServer(str(socket), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield socket, requests
        server.shutdown()


@pytest.fixture
def judged_cold(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The ledgers that were judged by a new process."""
    judged: list[Path] = []

    def judge_cold(ledgers: list[Path], want: str | None, **_: Any) -> list[dict[str, Any]]:
        judged.extend(ledgers)
        return [{"ledger": str(ledger), "verdict": "cold", "want": want} for ledger in ledgers]

    monkeypatch.setattr(spark, "judge_cold", judge_cold)
    return judged


def test_the_warm_session_gets_absolute_paths_and_answers_name_the_given_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judged_cold: list[Path]
) -> None:
    monkeypatch.chdir(tmp_path)

    def reply(request: dict[str, Any]) -> dict[str, Any]:
        if request["ledger"].endswith("bad"):
            return {
                "ledger": request["ledger"],
                "error": f"{request['ledger']}/sends.jsonl, line 1: no",
            }
        return {"ledger": request["ledger"], "verdict": "holds"}

    with warm_session(tmp_path, reply) as (socket, requests):
        good, bad = spark.judge_each([Path("runs/good"), Path("bad")], "none", socket)
    assert requests[0] == {"ledger": str(tmp_path / "runs" / "good"), "want": "none"}
    assert good == {"ledger": "runs/good", "verdict": "holds"}
    assert bad == {"ledger": "bad", "error": "bad/sends.jsonl, line 1: no"}
    assert judged_cold == []


@pytest.mark.parametrize("refusal", [None, {"failed": "too many rows"}], ids=["hangs-up", "fails"])
def test_ledgers_that_the_warm_session_does_not_answer_are_judged_cold_in_order(
    tmp_path: Path, judged_cold: list[Path], refusal: dict[str, Any] | None
) -> None:
    ledgers = [tmp_path / name for name in ("one", "two", "three")]

    def reply(request: dict[str, Any]) -> dict[str, Any] | None:
        return {"verdict": "holds"} if request["ledger"].endswith("one") else refusal

    with warm_session(tmp_path, reply) as (socket, _):
        answers = spark.judge_each(ledgers, None, socket)
    assert [(answer["ledger"], answer["verdict"]) for answer in answers] == [
        (str(ledgers[0]), "holds"), (str(ledgers[1]), "cold"), (str(ledgers[2]), "cold"),
    ]  # fmt: skip
    assert judged_cold == ledgers[1:]


def test_without_a_warm_session_all_ledgers_are_judged_cold(
    tmp_path: Path, judged_cold: list[Path]
) -> None:
    spark.judge_each([tmp_path], None, tmp_path / "nowhere.sock")
    assert judged_cold == [tmp_path]
