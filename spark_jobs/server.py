"""The warm session: Spark's start is paid once, before anybody waits for a verdict.

A request is `{"ledger", "want", "bootstrap", "topic"}` and its answer that of `verify`, after lines
`{"doing": WORDS}` that say how far it is; to
`{"practise": true}` it judges a made-up ledger once more, which makes the next judging quicker. The
process ends when its standard input does (its owner died), when its JVM did, and after a number
of requests; who started it starts it again. It never repairs a session: after a JVM's death
neither `getOrCreate()` nor `stop()` brings one back (docs/decisions/0003).
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
from spark_jobs.size import WARM_ROWS, rows
from spark_jobs.verdict import FORBIDS

RECYCLED, SESSION_DIED = 0, 70
"""Exit codes: enough was served, or the owner is gone; the JVM is gone."""

_WARM_UPS = 2
_AT_ONCE = 2
"""Judgings side by side: an experiment has two arms, and planning keeps but one core busy."""


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def __init__(self, socket: Path, requests: int) -> None:
        super().__init__(str(socket), _Request)
        self.left = requests
        self.counting = threading.Lock()
        self.turns = threading.Semaphore(_AT_ONCE)
        self.practices = count()
        self.folder = Path(tempfile.mkdtemp(prefix="delivery-lab-warm-"))
        self.sessions: list[SparkSession] = []

    def answer(self, ask: dict[str, Any], report: Report) -> dict[str, Any]:
        """The answer to one request, which only comes here once there is a session."""
        (spark,) = self.sessions
        if ask.get("practise"):
            return self.practise(spark)
        if rows(Path(ask["ledger"])) > WARM_ROWS:
            return {"failed": f"more than {WARM_ROWS:,} rows: that takes a process of its own"}
        want, bootstrap, topic = (ask.get(name) for name in ("want", "bootstrap", "topic"))
        return answer(spark, str(ask["ledger"]), want, bootstrap, topic, report)

    def practise(self, spark: SparkSession) -> dict[str, Any]:
        """The answer for a made-up ledger: every other time for one that counts as not small."""
        if next(self.practices) % 2 == 0:
            return self.warm_up(spark)
        larger = self.folder / "larger"
        if not larger.exists():
            write(spark, larger, LARGER_ROWS)
        return judge(spark, larger, "at-least-once", small=False)

    def warm_up(self, spark: SparkSession) -> dict[str, Any]:
        """The answer for the small made-up ledger."""
        small = self.folder / "small"
        if not small.exists():
            write(spark, small)
        return judge(spark, small, "at-least-once", small=True)

    def tidy(self) -> None:
        """Has the JVM collect what judgings left, if nobody judges.

        Its old generation would fill up and be collected at work, which is half a second of it.
        """
        taken = sum(self.turns.acquire(blocking=False) for _ in range(_AT_ONCE))
        if taken == _AT_ONCE:
            self.sessions[0]._jvm.System.gc()  # type: ignore[union-attr]  # no public way to it
        if taken:
            self.turns.release(taken)

    def count(self) -> None:
        """Notes that a request was answered; after the last one, waits for others and ends."""
        with self.counting:
            self.left -= 1
            if self.left <= 0:
                self.all_turns()
                _leave(self, RECYCLED)

    def all_turns(self) -> None:
        """Waits until no ledger is being judged; while it is held, none is."""
        for _ in range(_AT_ONCE):
            self.turns.acquire()


class _Request(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        line = self.rfile.readline()
        if not line:
            return  # somebody only asked whether we are there
        self._take_turn()
        try:
            self._write(self._reply(line))
        finally:
            self.server.turns.release()
        self.server.tidy()
        self.server.count()

    def _take_turn(self) -> None:
        if not self.server.turns.acquire(blocking=False):
            is_up = bool(self.server.sessions)
            self._report("Spark judges another arm first" if is_up else "Spark starts")
            self.server.turns.acquire()

    def _report(self, doing: str) -> None:
        with suppress(OSError):  # who has gone asked in vain; the session is well
            self._write({"doing": doing})

    def _write(self, reply: dict[str, Any]) -> None:
        self.wfile.write(json.dumps(reply).encode() + b"\n")
        self.wfile.flush()

    def _reply(self, line: bytes) -> dict[str, Any]:
        try:
            ask = json.loads(line)
            want = ask.get("want")
            if want is not None and want not in FORBIDS:
                return {"error": f"`want` is {want!r}, which is none of {', '.join(FORBIDS)}"}
            return self.server.answer(ask, self._report)
        except (Py4JNetworkError, ConnectionError) as error:
            sys.stderr.write(f"the session died: {error}\n")
            _leave(self.server, SESSION_DIED)
        except Exception as error:  # the session lives on, and so does the server
            return {"failed": f"{type(error).__name__}: {error}"}


def run(argv: Sequence[str] | None = None) -> NoReturn:
    """Serves until it is time to end, then ends the process."""
    arguments = _parser().parse_args(argv)
    os.umask(0o077)  # whoever may connect may have any file judged that we can read
    arguments.socket.unlink(missing_ok=True)
    server = _Server(arguments.socket, arguments.requests)
    threading.Thread(target=_watch_owner, args=(server,), daemon=True).start()
    # Requests that come now wait for the session, which is sooner there than a second one.
    server.all_turns()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    spark = start("delivery-lab-judge", arguments.master, arguments.jars)
    server.sessions.append(spark)
    server.turns.release(_AT_ONCE)
    threading.Thread(target=_warm_up, args=(server, spark), daemon=True).start()
    _watch_session(server, spark)


def _warm_up(server: _Server, spark: SparkSession) -> None:
    """Judges a made-up ledger some times, so that a real one finds its code compiled.

    Between two times whoever waits has the turn.
    """
    for _ in range(_WARM_UPS):
        with server.turns:
            server.warm_up(spark)
    sys.stderr.write("warm\n")
    sys.stderr.flush()


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
    shutil.rmtree(server.folder, ignore_errors=True)
    sys.stderr.flush()
    os._exit(code)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="serve", description="Keeps a Spark session for verify.")
    parser.add_argument("socket", type=Path, help="the Unix socket to answer at")
    parser.add_argument("--requests", type=int, default=200, help="end after so many; default 200")
    parser.add_argument("--master", help="Spark's master; default: SPARK_MASTER, else Spark's own")
    parser.add_argument("--jars", action="append", default=[], help="a jar for Spark; repeatable")
    return parser
