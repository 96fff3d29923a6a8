"""Judges ledgers with Spark: in the warm session if it answers, else in a cold process."""

from __future__ import annotations

import json
import os
import select
import socket as sockets
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from labs.engine.base.processes import ROOT, end, spawn
from labs.engine.base.wait import WaitTimeout, until
from labs.engine.distributions.distribution import spark_connector
from labs.engine.distributions.java import JavaMissing, find_java
from labs.engine.distributions.spark_java import quoted, spark_home
from labs.engine.judge.classes import archive_options

PROGRAMS = ROOT / "spark_jobs"
LIMIT_S = 300.0
"""The limit for one step of a judging in the warm session (waiting for others is one), or for a
whole judging in a process of its own, with the start of Spark."""

_TAIL = 2_000


class JudgeFailed(Exception):
    """There is no verdict: the run is `unknown`. The message has the reason, and Spark's output."""


class _NoAnswer(Exception):
    """The warm session does not exist, or died during the request."""


def _silent(_: str) -> None: ...


def judge(
    ledger: Path,
    want: str | None,
    bootstrap: str | None = None,
    topic: str | None = None,
    socket: Path | None = None,
    limit_s: float = LIMIT_S,
    report: Callable[[str], None] = _silent,
) -> dict[str, Any]:
    """The answer of `spark_jobs/verify.py` (docs/ledger.md) for one ledger.

    With `bootstrap` and `topic` the brokers' log is first scanned into the ledger. `report`
    receives each step of Spark, in words for users. Raises `JudgeFailed` if the ledger is
    malformed, the job crashes, or `limit_s` seconds pass without progress.
    """
    deadline = time.monotonic() + limit_s
    if socket is not None:
        ask = {"ledger": str(ledger), "want": want, "bootstrap": bootstrap, "topic": topic}
        try:
            return _judged(_ask(socket, ask, limit_s, report))
        except _NoAnswer:
            pass  # a cold process does not need the warm one
    report("Spark starts for this ledger alone")
    answers = judge_cold([ledger], want, bootstrap, topic, deadline - time.monotonic())
    return _judged(answers[0])


def judge_each(
    ledgers: Sequence[Path], want: str | None, socket: Path, limit_s: float = LIMIT_S
) -> list[dict[str, Any]]:
    """The answers as of `judge_cold`, from the warm session as long as it answers, the rest cold.

    Raises `JudgeFailed` as `judge_cold` does.
    """
    deadline = time.monotonic() + limit_s
    answers: list[dict[str, Any]] = []
    for ledger in ledgers:
        try:
            answers.append(_ask_for(ledger, want, socket, deadline - time.monotonic()))
        except _NoAnswer:
            break  # do not ask a session again that did not answer
    rest = ledgers[len(answers) :]
    if rest:
        answers += judge_cold(rest, want, limit_s=deadline - time.monotonic())
    return answers


def _ask_for(ledger: Path, want: str | None, socket: Path, limit_s: float) -> dict[str, Any]:
    """The warm session's answer, with the ledger's path as given: its working folder is another."""
    path = str(ledger.absolute())
    answer = _ask(socket, {"ledger": path, "want": want}, limit_s)
    if "error" in answer:
        answer["error"] = str(answer["error"]).replace(path, str(ledger))
    return {**answer, "ledger": str(ledger)}


def practise(socket: Path) -> bool:
    """Lets the warm session judge a synthetic ledger; returns whether it did."""
    try:
        _ask(socket, {"practise": True}, LIMIT_S)
    except (_NoAnswer, JudgeFailed):
        return False
    return True


def judge_cold(
    ledgers: Sequence[Path],
    want: str | None,
    bootstrap: str | None = None,
    topic: str | None = None,
    limit_s: float = LIMIT_S,
) -> list[dict[str, Any]]:
    """The answers of a separate process, in the order of the ledgers.

    The answer for a malformed ledger has `error`. Raises `JudgeFailed` if there are no answers, for
    example because there is no Java.
    """
    arguments: list[str | Path] = [*ledgers, *spark_arguments(connector=bootstrap is not None)]
    for name, value in (("want", want), ("bootstrap", bootstrap), ("topic", topic)):
        if value is not None:
            arguments += [f"--{name}", value]
    with tempfile.TemporaryDirectory(prefix="delivery-lab-judge-") as folder:
        out, log = Path(folder, "answers.jsonl"), Path(folder, "spark.log")
        program = [sys.executable, PROGRAMS / "verify.py", "--out", out, *arguments]
        try:
            process = spawn(program, log=log, env=spark_environment(Path(folder)))
        except JavaMissing as missing:
            raise JudgeFailed(str(missing)) from missing
        is_external = _is_external_cluster()

        def is_over() -> bool:
            # Our own Spark may be killed; on the cluster of others it must deregister first.
            return process.poll() is not None or (out.exists() and not is_external)

        try:
            until(is_over, max(limit_s, 0), "the job runs", awaits="for Spark to judge")
        except WaitTimeout:
            raise JudgeFailed(f"no answer within {limit_s:.0f} s:\n{_tail(log)}") from None
        finally:
            code = end(process, grace_s=0)
        if not out.exists():
            raise JudgeFailed(f"the job ended with code {code}:\n{_tail(log)}")
        return [json.loads(line) for line in out.read_text("utf-8").splitlines()]


def spark_arguments(connector: bool) -> list[str | Path]:
    """The arguments of the programs of `spark_jobs` for the master and the jars.

    The master is `LAB_SPARK_MASTER`; without it those programs read `SPARK_MASTER` themselves.
    """
    master = os.environ.get("LAB_SPARK_MASTER", "").strip()
    arguments: list[str | Path] = ["--master", master] if master else []
    for jar in spark_connector() if connector else ():
        arguments += ["--jars", jar]
    return arguments


def _is_external_cluster() -> bool:
    """Whether Spark runs on a cluster that the environment names."""
    return any(os.environ.get(name, "").strip() for name in ("LAB_SPARK_MASTER", "SPARK_MASTER"))


def spark_environment(scratch: Path | None = None) -> dict[str, str]:
    """The environment for Spark: the Java of `find_java`, and its class archive if there is one.

    Spark writes its temporary files below `scratch`, or in the system's temporary folder if that is
    None. A Spark that is killed leaves them there, and the caller must remove them. Raises
    `JavaMissing`.
    """
    java = find_java()
    options = [*archive_options(java), *([f"-Djava.io.tmpdir={scratch}"] if scratch else [])]
    existing = os.environ.get("SPARK_SUBMIT_OPTS", "")
    environment = {
        **os.environ, "JAVA_HOME": str(spark_home(java)),
        "SPARK_SUBMIT_OPTS": " ".join([*([existing] if existing else []), *map(quoted, options)]),
    }  # fmt: skip
    if scratch is None:
        return environment
    return {"SPARK_LOCAL_DIRS": str(scratch), **environment, "TMPDIR": str(scratch)}


def _ask(
    socket: Path, request: dict[str, Any], limit_s: float, report: Callable[[str], None] = _silent
) -> dict[str, Any]:
    try:
        with sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM) as connection:
            connection.settimeout(limit_s)
            connection.connect(str(socket))
            connection.sendall(json.dumps(request).encode() + b"\n")
            answer = _answer(connection, limit_s, report)
    except (TimeoutError, WaitTimeout):
        raise JudgeFailed(f"the warm session did not answer within {limit_s:.0f} s") from None
    except OSError as error:
        raise _NoAnswer from error
    if "failed" in answer:
        raise _NoAnswer
    return answer


def _answer(
    connection: sockets.socket, limit_s: float, report: Callable[[str], None]
) -> dict[str, Any]:
    """The last line of the reply, which is the answer; the lines before it are progress.

    Each line may take `limit_s`: a session that reports progress is slow, but not dead.
    """
    rest = b""
    while True:
        until(lambda: select.select([connection], [], [], 0)[0], limit_s, "no answer",
              awaits="for Spark to judge")  # fmt: skip
        received = connection.recv(65536)
        if not received:
            raise _NoAnswer
        *lines, rest = (rest + received).split(b"\n")
        for line in lines:
            answer: dict[str, Any] = json.loads(line)
            if "doing" not in answer:
                return answer
            report(str(answer["doing"]))


def _judged(answer: dict[str, Any]) -> dict[str, Any]:
    if "error" in answer:
        raise JudgeFailed(str(answer["error"]))
    return answer


def _tail(log: Path) -> str:
    text = log.read_text("utf-8", errors="replace") if log.exists() else ""
    return text[-_TAIL:].strip() or "it said nothing"
