"""Starting the judge and reading its answer; tests/spark tests the answers of a real session."""

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
"""A job that writes its answer and does not end."""


@pytest.fixture
def lingering_job(tmp_path, monkeypatch):
    (tmp_path / "verify.py").write_text(LINGERING)
    monkeypatch.setattr(spark, "PROGRAMS", tmp_path)


@pytest.mark.process
def test_the_answer_is_read_as_soon_as_it_exists_and_a_lingering_job_is_killed(
    lingering_job, monkeypatch
):
    for name in ("LAB_SPARK_MASTER", "SPARK_MASTER"):
        monkeypatch.delenv(name, raising=False)
    (answer,) = spark.judge_cold([Path("ledger")], None, limit_s=60)
    assert not Path(f"/proc/{answer['pid']}").exists()


@pytest.mark.process
@pytest.mark.parametrize("name", ["LAB_SPARK_MASTER", "SPARK_MASTER"])
def test_on_an_external_spark_cluster_the_job_must_end_by_itself(lingering_job, monkeypatch, name):
    monkeypatch.setenv(name, "spark://far:7077")
    with pytest.raises(spark.JudgeFailed, match="no answer within"):
        spark.judge_cold([Path("ledger")], None, limit_s=2)


@pytest.mark.parametrize(
    ("environment", "arguments"),
    [
        ({"LAB_SPARK_MASTER": "spark://far:7077"}, ["--master", "spark://far:7077"]),
        ({"LAB_SPARK_MASTER": " local[1] ", "SPARK_MASTER": "other"}, ["--master", "local[1]"]),
        ({"LAB_SPARK_MASTER": ""}, []),
        ({"SPARK_MASTER": "spark://far:7077"}, []),
        ({}, []),
    ],
    ids=["LAB_SPARK_MASTER", "both", "empty", "SPARK_MASTER-only", "unset"],
)
def test_the_master_comes_from_the_environment_or_is_left_to_spark(
    monkeypatch, environment, arguments
):
    for name in ("LAB_SPARK_MASTER", "SPARK_MASTER"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert spark.spark_arguments(connector=False) == arguments


@pytest.mark.parametrize("dies", [False, True], ids=["answered", "died"])
def test_progress_of_the_session_is_reported_before_its_answer(tmp_path, monkeypatch, dies):
    """Lines may arrive in pieces; after a session died, the ledger is judged by a new process."""
    lines = '{"doing": "Spark counts …"}\n{"doing": "Spark looks"}\n{"verdict": "holds"}\n'.encode()

    class Session(socketserver.StreamRequestHandler):
        def handle(self):
            self.rfile.readline()
            for piece in (lines[:20], lines[20:60], b"" if dies else lines[60:]):
                self.wfile.write(piece)
                self.wfile.flush()

    monkeypatch.setattr(spark, "judge_cold", lambda *_: [{"verdict": "cold"}])
    progress: list[str] = []
    path = socket_path(tmp_path, "judge.sock")
    with socketserver.UnixStreamServer(str(path), Session) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        answer = spark.judge(tmp_path, None, socket=path, report=progress.append)
        thread.join()
    if dies:
        assert (answer["verdict"], progress[-1]) == ("cold", "Spark starts for this ledger alone")
    else:
        assert (answer["verdict"], progress) == ("holds", ["Spark counts …", "Spark looks"])


def test_each_progress_line_restarts_the_limit_of_the_session(tmp_path, monkeypatch):
    """On a busy machine judging takes minutes; only a session that reports nothing times out."""
    limits, progress = [], []

    def until(ready, limit_s, what, **rest):
        limits.append(limit_s)
        return wait.until(ready, 60, what, **rest)

    monkeypatch.setattr(spark, "until", until)
    reported = threading.Event()

    class Session(socketserver.StreamRequestHandler):
        def handle(self):
            self.rfile.readline()
            self.wfile.write(b'{"doing": "a"}\n')
            reported.wait(60)
            self.wfile.write(b'{"verdict": "holds"}\n')

    def report(doing):
        progress.append(doing)
        reported.set()

    path = socket_path(tmp_path, "judge.sock")
    with socketserver.UnixStreamServer(str(path), Session) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        answer = spark.judge(tmp_path, None, socket=path, limit_s=7.0, report=report)
        thread.join()
    assert (answer, progress, limits) == ({"verdict": "holds"}, ["a"], [7.0, 7.0])
