"""verify.py on a standalone Spark master with two workers, as a team's own cluster runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pyspark
import pytest

from labs.engine.base.processes import ROOT, end, spawn
from labs.engine.base.wait import until
from labs.engine.cluster.ports import Ports
from labs.engine.judge.spark import spark_environment
from tests.oracle import Oracle
from tests.spark.ledgers import write
from tests.spark.planting import mostly_sound

pytestmark = pytest.mark.thorough

_START_S = 120
_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"

_VERIFY_AS_LARGE = """
import sys
from spark_jobs import size
from spark_jobs.command import run
size.SMALL_BYTES = -1
sys.exit(run())
"""
"""`spark_jobs/verify.py`, except that every ledger counts as large."""


@pytest.fixture
def master(tmp_path: Path) -> Iterator[str]:
    """The address of a standalone master with two workers of one core each."""
    ports = Ports(2)
    port, page = ports.numbers
    ports.release()
    environment = {**spark_environment(), "SPARK_LOCAL_IP": "127.0.0.1",
                   "SPARK_DAEMON_MEMORY": "256m"}  # fmt: skip
    started: list[subprocess.Popen[bytes]] = []

    def start(name: str, *arguments: str) -> None:
        program: list[str | Path] = [_CLASS, f"org.apache.spark.deploy.{name}", *arguments]
        log = tmp_path / f"{len(started)}.log"
        started.append(spawn(program, log=log, env=environment))

    address = f"spark://127.0.0.1:{port}"
    try:
        start("master.Master", "--host", "127.0.0.1", "--port", str(port),
              "--webui-port", str(page))  # fmt: skip
        until(lambda: _workers(page) is not None, _START_S, "the master does not answer")
        for name in ("one", "two"):
            folder = str(tmp_path / name)
            start("worker.Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", "1g",
                  "--work-dir", folder, "--webui-port", "0", address)  # fmt: skip
        until(lambda: _workers(page) == 2, _START_S, "the workers did not come")
        yield address
    finally:
        for process in reversed(started):
            end(process, grace_s=10)


def _workers(page: int) -> int | None:
    """How many workers the master reports as alive; None while it does not answer."""
    try:
        with urlopen(f"http://127.0.0.1:{page}/json/", timeout=10) as answer:
            data: dict[str, Any] = json.load(answer)
    except (OSError, ValueError):  # not started yet, or started without its pages
        return None
    return int(data["aliveworkers"])


def test_two_workers_count_what_the_oracle_counts(master: str, tmp_path: Path) -> None:
    tables = mostly_sound(range(2), anomalies=10)
    ledger, answers, log = (
        write(tmp_path / "ledger", tables),
        tmp_path / "answers",
        tmp_path / "log",
    )
    program = [sys.executable, "-c", _VERIFY_AS_LARGE, ledger, "--master", master, "--out", answers]
    with log.open("wb") as file:
        process = subprocess.run(
            list(map(str, program)), env=spark_environment(), cwd=ROOT, stderr=file, check=False
        )
    assert process.returncode == 0, log.read_text()[-2000:]
    counts = json.loads(answers.read_text())["counts"]
    expected = Oracle(tables).counts()
    assert {name: counts[name] for name in expected} == expected
    workers = [folder for name in ("one", "two") for folder in (tmp_path / name).glob("app-*/*")]
    assert len(workers) == 2, "each worker ran an executor of the program"
