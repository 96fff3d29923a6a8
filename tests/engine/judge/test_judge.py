"""How Spark is asked; what it answers is tested with a real session in tests/spark."""

from __future__ import annotations

import socketserver
import threading
from pathlib import Path

import pytest

from config.places import socket_path
from labs.engine.base import wait
from labs.engine.judge import spark

LINGERING = """
import json, os, signal, sys
out = sys.argv[sys.argv.index("--out") + 1]
with open(out + ".new", "w") as file:
    json.dump({"pid": os.getpid()}, file)
os.replace(out + ".new", out)
signal.pause()
"""
"""A job that answers and does not end."""


@pytest.fixture
def lingering(tmp_path, monkeypatch):
    (tmp_path / "verify.py").write_text(LINGERING)
    monkeypatch.setattr(spark, "PROGRAMS", tmp_path)


@pytest.mark.process
def test_an_answer_is_taken_as_soon_as_it_is_there_and_what_lingers_is_killed(
    lingering, monkeypatch
):
    for name in ("LAB_SPARK_MASTER", "SPARK_MASTER"):
        monkeypatch.delenv(name, raising=False)
    (answer,) = spark.judge_cold([Path("ledger")], None, limit_s=60)
    assert not Path(f"/proc/{answer['pid']}").exists()


@pytest.mark.process
@pytest.mark.parametrize("name", ["LAB_SPARK_MASTER", "SPARK_MASTER"])
def test_on_a_cluster_of_others_the_job_is_let_end(lingering, monkeypatch, name):
    monkeypatch.setenv(name, "spark://far:7077")
    with pytest.raises(spark.JudgeFailed, match="no answer within"):
        spark.judge_cold([Path("ledger")], None, limit_s=2)


@pytest.mark.parametrize(
    ("stated", "arguments"),
    [
        ({"LAB_SPARK_MASTER": "spark://far:7077"}, ["--master", "spark://far:7077"]),
        ({"LAB_SPARK_MASTER": " local[1] ", "SPARK_MASTER": "other"}, ["--master", "local[1]"]),
        ({"LAB_SPARK_MASTER": ""}, []),
        ({"SPARK_MASTER": "spark://far:7077"}, []),
        ({}, []),
    ],
    ids=["stated", "stated twice", "empty", "for Spark's own programs", "nowhere"],
)
def test_the_master_is_what_the_environment_says_or_left_to_spark(monkeypatch, stated, arguments):
    for name in ("LAB_SPARK_MASTER", "SPARK_MASTER"):
        monkeypatch.delenv(name, raising=False)
    for name, value in stated.items():
        monkeypatch.setenv(name, value)
    assert spark.spark_arguments(connector=False) == arguments


@pytest.mark.parametrize("cut", [False, True], ids=["answered", "died"])
def test_what_spark_does_is_heard_before_its_answer(tmp_path, monkeypatch, cut):
    """Lines may come in any pieces; a session that dies after some is asked no more."""
    lines = '{"doing": "Spark counts …"}\n{"doing": "Spark looks"}\n{"verdict": "holds"}\n'.encode()

    class Session(socketserver.StreamRequestHandler):
        def handle(self):
            self.rfile.readline()
            for piece in (lines[:20], lines[20:60], b"" if cut else lines[60:]):
                self.wfile.write(piece)
                self.wfile.flush()

    monkeypatch.setattr(spark, "judge_cold", lambda *_: [{"verdict": "cold"}])
    heard: list[str] = []
    path = socket_path(tmp_path, "judge.sock")
    with socketserver.UnixStreamServer(str(path), Session) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        answer = spark.judge(tmp_path, None, socket=path, report=heard.append)
        thread.join()
    if cut:
        assert (answer["verdict"], heard[-1]) == ("cold", "Spark starts for this ledger alone")
    else:
        assert (answer["verdict"], heard) == ("holds", ["Spark counts …", "Spark looks"])


def test_a_session_that_says_what_it_does_may_take_longer_than_the_limit(tmp_path, monkeypatch):
    """On a machine with much other work a judging takes minutes; only silence is an end."""
    limits, heard = [], []

    def until(ready, limit_s, what, **rest):
        limits.append(limit_s)
        return wait.until(ready, 60, what, **rest)

    monkeypatch.setattr(spark, "until", until)
    goes_on = threading.Event()

    class Session(socketserver.StreamRequestHandler):
        def handle(self):
            self.rfile.readline()
            self.wfile.write(b'{"doing": "a"}\n')
            goes_on.wait(60)
            self.wfile.write(b'{"verdict": "holds"}\n')

    def report(doing):
        heard.append(doing)
        goes_on.set()

    path = socket_path(tmp_path, "judge.sock")
    with socketserver.UnixStreamServer(str(path), Session) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        answer = spark.judge(tmp_path, None, socket=path, limit_s=7.0, report=report)
        thread.join()
    assert (answer, heard, limits) == ({"verdict": "holds"}, ["a"], [7.0, 7.0])
