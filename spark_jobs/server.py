"""The warm session: Spark starts once, before anybody waits for a verdict.

A request is `{"ledger", "want", "bootstrap", "topic"}`. The reply is some lines `{"doing": WORDS}`
with the progress, and then the answer of `verify`. For the request `{"practise": true}` the session
judges a synthetic ledger once more, which makes the next judging faster. The process ends when its
standard input closes (its owner died), when its JVM dies, and after a number of requests; its owner
starts it again. It never repairs a session: after the death of the JVM neither `getOrCreate()` nor
`stop()` yields a working one (docs/decisions/0003).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socketserver
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, NoReturn

from py4j.protocol import Py4JNetworkError
from pyspark.sql import SparkSession

from spark_jobs.command import answer
from spark_jobs.judging import Report, judge
from spark_jobs.practice import LARGER_ROWS, write
from spark_jobs.session import start
from spark_jobs.size import WARM_ROWS, row_count
from spark_jobs.verdict import FORBIDS

RECYCLED, SESSION_DIED = 0, 70
"""Exit codes: it served its requests, or its owner died; the JVM died."""

_WARM_UPS = 2
_PARALLEL = 2
"""Parallel judgings: an experiment has two arms, and planning keeps only one core busy."""


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def __init__(self, socket: Path, requests: int) -> None:
        super().__init__(str(socket), _Request)
        self.remaining = requests
        self.lock = threading.Lock()
        self.slots = threading.Semaphore(_PARALLEL)
        self.practices = count()
        self.folder = Path(tempfile.mkdtemp(prefix="delivery-lab-warm-"))
        self.sessions: list[SparkSession] = []

    def answer(self, request: dict[str, Any], report: Report) -> dict[str, Any]:
        """The answer to one request. The session must have started."""
        (spark,) = self.sessions
        if request.get("practise"):
            return self.practise(spark)
        if row_count(Path(request["ledger"])) > WARM_ROWS:
            return {"failed": f"more than {WARM_ROWS:,} rows: this needs a process of its own"}
        want, bootstrap, topic = (request.get(name) for name in ("want", "bootstrap", "topic"))
        return answer(spark, str(request["ledger"]), want, bootstrap, topic, report)

    def practise(self, spark: SparkSession) -> dict[str, Any]:
        """The answer for a synthetic ledger: alternately the small one and the larger one."""
        if next(self.practices) % 2 == 0:
            return self.warm_up(spark)
        larger = self.folder / "larger"
        if not larger.exists():
            write(spark, larger, LARGER_ROWS)
        return judge(spark, larger, "at-least-once", small=False)

    def warm_up(self, spark: SparkSession) -> dict[str, Any]:
        """The answer for the small synthetic ledger."""
        small = self.folder / "small"
        if not small.exists():
            write(spark, small)
        return judge(spark, small, "at-least-once", small=True)

    def collect_garbage(self) -> None:
        """Makes the JVM collect garbage, if no ledger is being judged.

        Otherwise its old generation would be collected during a judging: half a second more.
        """
        taken = sum(self.slots.acquire(blocking=False) for _ in range(_PARALLEL))
        if taken == _PARALLEL:
            self.sessions[0]._jvm.System.gc()  # type: ignore[union-attr]  # no public way to it
        if taken:
            self.slots.release(taken)

    def count_request(self) -> None:
        """Counts an answered request; after the last one, waits for the others and exits."""
        with self.lock:
            self.remaining -= 1
            if self.remaining <= 0:
                self.take_all_slots()
                _exit(self, RECYCLED)

    def take_all_slots(self) -> None:
        """Waits until no ledger is being judged, and prevents judging until slots are released."""
        for _ in range(_PARALLEL):
            self.slots.acquire()


class _Request(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        line = self.rfile.readline()
        if not line:
            return  # only a check whether the server runs
        self._take_slot()
        try:
            self._write(self._reply(line))
        finally:
            self.server.slots.release()
        self.server.collect_garbage()
        self.server.count_request()

    def _take_slot(self) -> None:
        if not self.server.slots.acquire(blocking=False):
            is_up = bool(self.server.sessions)
            self._report("Spark judges another arm first" if is_up else "Spark starts")
            self.server.slots.acquire()

    def _report(self, doing: str) -> None:
        with suppress(OSError):  # the client is gone; the session is not affected
            self._write({"doing": doing})

    def _write(self, reply: dict[str, Any]) -> None:
        self.wfile.write(json.dumps(reply).encode() + b"\n")
        self.wfile.flush()

    def _reply(self, line: bytes) -> dict[str, Any]:
        try:
            request = json.loads(line)
            want = request.get("want")
            if want is not None and want not in FORBIDS:
                return {"error": f"`want` is {want!r}, which is none of {', '.join(FORBIDS)}"}
            return self.server.answer(request, self._report)
        except (Py4JNetworkError, ConnectionError) as error:
            sys.stderr.write(f"the session died: {error}\n")
            _exit(self.server, SESSION_DIED)
        except Exception as error:  # neither the session nor the server is affected
            return {"failed": f"{type(error).__name__}: {error}"}


def run(argv: Sequence[str] | None = None) -> NoReturn:
    """Serves until the owner or the JVM dies or enough is served, then ends the process."""
    arguments = _parser().parse_args(argv)
    os.umask(0o077)  # a client may have any file judged that this user can read
    arguments.socket.unlink(missing_ok=True)
    server = _Server(arguments.socket, arguments.requests)
    threading.Thread(target=_watch_owner, args=(server,), daemon=True).start()
    # Requests wait for this session from now on: a second one would take longer.
    server.take_all_slots()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    spark = start("delivery-lab-judge", arguments.master, arguments.jars)
    server.sessions.append(spark)
    server.slots.release(_PARALLEL)
    threading.Thread(target=_warm_up, args=(server, spark), daemon=True).start()
    _watch_session(server, spark)


def _warm_up(server: _Server, spark: SparkSession) -> None:
    """Judges a synthetic ledger `_WARM_UPS` times, so that the code for real ones is compiled.

    Waiting requests come between two of them.
    """
    for _ in range(_WARM_UPS):
        with server.slots:
            server.warm_up(spark)
    sys.stderr.write("warm\n")
    sys.stderr.flush()


def _watch_owner(server: _Server) -> None:
    while sys.stdin.buffer.read(4096):
        pass
    _exit(server, RECYCLED)


def _watch_session(server: _Server, spark: SparkSession) -> NoReturn:
    """Waits for the end of the JVM; the connection of a request in progress is then closed."""
    spark.sparkContext._gateway.proc.wait()  # type: ignore[union-attr]  # no public way to it
    sys.stderr.write("the session's JVM is gone\n")
    _exit(server, SESSION_DIED)


def _exit(server: _Server, code: int) -> NoReturn:
    """Ends the process immediately. The JVM ends, too: its standard input closes."""
    Path(str(server.server_address)).unlink(missing_ok=True)
    shutil.rmtree(server.folder, ignore_errors=True)
    sys.stderr.flush()
    os._exit(code)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="serve", description="Keeps a Spark session for verify.")
    parser.add_argument("socket", type=Path, help="the Unix socket to listen on")
    parser.add_argument(
        "--requests", type=int, default=200, help="exit after this many; default 200"
    )
    parser.add_argument("--master", help="Spark's master; default: SPARK_MASTER, else Spark's own")
    parser.add_argument("--jars", action="append", default=[], help="a jar for Spark; repeatable")
    return parser
