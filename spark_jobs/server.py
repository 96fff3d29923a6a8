"""The warm session: Spark's start is paid once, before anybody waits for a verdict.

A request is `{"ledger", "want", "bootstrap", "topic"}` and its answer that of `verify`. The
process ends when its standard input does (its owner died), when its JVM did, and after a number
of requests; who started it starts it again. It never repairs a session: after a JVM's death
neither `getOrCreate()` nor `stop()` brings one back (docs/decisions/0003).
"""

from __future__ import annotations

import argparse
import json
import os
import socketserver
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from py4j.protocol import Py4JNetworkError
from pyspark.sql import SparkSession

from spark_jobs.command import answer
from spark_jobs.session import start
from spark_jobs.verdict import FORBIDS

RECYCLED, SESSION_DIED = 0, 70
"""Exit codes: enough was served, or the owner is gone; the JVM is gone."""

_WARM_UPS = 3


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def __init__(self, socket: Path, requests: int) -> None:
        super().__init__(str(socket), _Request)
        self.left = requests
        self.turn = threading.Lock()
        self.sessions: list[SparkSession] = []

    def answer(self, ask: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request, which only comes here once there is a session."""
        (spark,) = self.sessions
        want, bootstrap, topic = (ask.get(name) for name in ("want", "bootstrap", "topic"))
        return answer(spark, str(ask["ledger"]), want, bootstrap, topic)


class _Request(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        line = self.rfile.readline()
        if not line:
            return  # somebody only asked whether we are there
        # One after the other: two judgings at once would only make both late.
        with self.server.turn:
            reply = self._reply(line)
            self.wfile.write(json.dumps(reply).encode() + b"\n")
            self.wfile.flush()
            self.server.left -= 1
            if self.server.left <= 0:
                _leave(self.server, RECYCLED)

    def _reply(self, line: bytes) -> dict[str, Any]:
        try:
            ask = json.loads(line)
            want = ask.get("want")
            if want is not None and want not in FORBIDS:
                return {"error": f"`want` is {want!r}, which is none of {', '.join(FORBIDS)}"}
            return self.server.answer(ask)
        except (Py4JNetworkError, ConnectionError) as error:
            sys.stderr.write(f"the session died: {error}\n")
            _leave(self.server, SESSION_DIED)
        except Exception as error:  # the session lives on, and so does the server
            return {"failed": f"{type(error).__name__}: {error}"}


def run(argv: Sequence[str] | None = None) -> NoReturn:
    """Serves until its end is due, and ends the process itself."""
    arguments = _parser().parse_args(argv)
    arguments.socket.unlink(missing_ok=True)
    server = _Server(arguments.socket, arguments.requests)
    threading.Thread(target=_watch_owner, args=(server,), daemon=True).start()
    # Requests that come now wait for the session, which is sooner there than a second one.
    with server.turn:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        spark = start("delivery-lab-judge", arguments.master, arguments.jars)
        _warm_up(spark)
        server.sessions.append(spark)
    sys.stderr.write("ready\n")
    sys.stderr.flush()
    _watch_session(server, spark)


def _warm_up(spark: SparkSession) -> None:
    """Judges a small ledger, so that the first real one finds its classes compiled."""
    tables = {
        "sends": [{"producer": "p", "value": 1, "invoked_ns": 1, "completed_ns": 2, "offset": 0}],
        "log": [{"topic": "t", "partition": 0, "offset": 0, "value": 2}],
        "deliveries": [{"consumer": "c", "group": "g", "poll": 1, "offset": 0, "value": 1}],
        "commits": [{"group": "g", "offset": 1, "outcome": "ok"}],
    }
    with tempfile.TemporaryDirectory(prefix="delivery-lab-warm-") as folder:
        for table, rows in tables.items():
            lines = [json.dumps({"outcome": "ok", **row}) for row in rows]
            Path(folder, f"{table}.jsonl").write_text("\n".join(lines), encoding="utf-8")
        for _ in range(_WARM_UPS):
            answer(spark, folder, "at-least-once", None, None)


def _watch_owner(server: _Server) -> None:
    while sys.stdin.buffer.read(4096):
        pass
    _leave(server, RECYCLED)


def _watch_session(server: _Server, spark: SparkSession) -> NoReturn:
    """Waits for the JVM's end; a request in flight learns of it by its closed connection."""
    spark.sparkContext._gateway.proc.wait()  # type: ignore[union-attr]  # no public way to it
    sys.stderr.write("the session's JVM is gone\n")
    _leave(server, SESSION_DIED)


def _leave(server: _Server, code: int) -> NoReturn:
    """Ends at once: the JVM follows, since its standard input closes with us."""
    Path(str(server.server_address)).unlink(missing_ok=True)
    sys.stderr.flush()
    os._exit(code)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="serve", description="Keeps a Spark session for verify.")
    parser.add_argument("socket", type=Path, help="the Unix socket to answer at")
    parser.add_argument("--requests", type=int, default=200, help="end after so many; default 200")
    parser.add_argument("--master", help="Spark's master; default: SPARK_MASTER, else Spark's own")
    parser.add_argument("--jars", action="append", default=[], help="a jar for Spark; repeatable")
    return parser
