"""Ledgers judged by a warm session where one answers, and by a process of its own where not."""

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
def warm(folder: Path, reply: Reply) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    """A session that answers with `reply`, or hangs up for None; the socket, and what was asked."""
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
def cold(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The ledgers that a process of its own was started for."""
    judged: list[Path] = []

    def judge_cold(ledgers: list[Path], want: str | None, **_: Any) -> list[dict[str, Any]]:
        judged.extend(ledgers)
        return [{"ledger": str(ledger), "verdict": "cold", "want": want} for ledger in ledgers]

    monkeypatch.setattr(spark, "judge_cold", judge_cold)
    return judged


def test_the_warm_session_is_asked_by_whole_path_and_answers_by_the_given_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cold: list[Path]
) -> None:
    monkeypatch.chdir(tmp_path)

    def reply(ask: dict[str, Any]) -> dict[str, Any]:
        if ask["ledger"].endswith("bad"):
            return {"ledger": ask["ledger"], "error": f"{ask['ledger']}/sends.jsonl, line 1: no"}
        return {"ledger": ask["ledger"], "verdict": "holds"}

    with warm(tmp_path, reply) as (socket, requests):
        good, bad = spark.judge_each([Path("runs/good"), Path("bad")], "none", socket)
    assert requests[0] == {"ledger": str(tmp_path / "runs" / "good"), "want": "none"}
    assert good == {"ledger": "runs/good", "verdict": "holds"}
    assert bad == {"ledger": "bad", "error": "bad/sends.jsonl, line 1: no"}
    assert cold == []


@pytest.mark.parametrize("refusal", [None, {"failed": "too many rows"}], ids=["gone", "failed"])
def test_what_the_warm_session_does_not_answer_is_judged_cold_in_order(
    tmp_path: Path, cold: list[Path], refusal: dict[str, Any] | None
) -> None:
    ledgers = [tmp_path / name for name in ("one", "two", "three")]

    def reply(ask: dict[str, Any]) -> dict[str, Any] | None:
        return {"verdict": "holds"} if ask["ledger"].endswith("one") else refusal

    with warm(tmp_path, reply) as (socket, _):
        answers = spark.judge_each(ledgers, None, socket)
    assert [(answer["ledger"], answer["verdict"]) for answer in answers] == [
        (str(ledgers[0]), "holds"), (str(ledgers[1]), "cold"), (str(ledgers[2]), "cold"),
    ]  # fmt: skip
    assert cold == ledgers[1:]


def test_without_a_warm_session_all_are_judged_cold(tmp_path: Path, cold: list[Path]) -> None:
    spark.judge_each([tmp_path], None, tmp_path / "nowhere.sock")
    assert cold == [tmp_path]
