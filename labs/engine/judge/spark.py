"""Asks Spark for a verdict on a ledger: the warm session if it answers, else a cold process."""

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
"""How long one step of a judging may take (to wait for others is one), or all of it in a process of
its own, with its start."""

_TAIL = 2_000


class JudgeFailed(Exception):
    """No verdict: the run is `unknown`. The message says why, with the end of Spark's output."""


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

    With `bootstrap` and `topic` the brokers' log is first scanned into the ledger. `report` hears
    what Spark does next, in words for people. Raises `JudgeFailed` when the ledger is malformed,
    the job crashed or `limit_s` seconds passed without a word.
    """
    deadline = time.monotonic() + limit_s
    if socket is not None:
        ask = {"ledger": str(ledger), "want": want, "bootstrap": bootstrap, "topic": topic}
        try:
            return _judged(_ask(socket, ask, limit_s, report))
        except _NoAnswer:
            pass  # a cold process owes nothing to the warm one
    report("Spark starts for this ledger alone")
    answers = judge_cold([ledger], want, bootstrap, topic, deadline - time.monotonic())
    return _judged(answers[0])


def judge_each(
    ledgers: Sequence[Path], want: str | None, socket: Path, limit_s: float = LIMIT_S
) -> list[dict[str, Any]]:
    """The answers as of `judge_cold`: by the warm session as far as it answers, the rest cold.

    Raises `JudgeFailed` as that does.
    """
    deadline = time.monotonic() + limit_s
    answers: list[dict[str, Any]] = []
    for ledger in ledgers:
        try:
            answers.append(_ask_for(ledger, want, socket, deadline - time.monotonic()))
        except _NoAnswer:
            break  # who does not answer once is not asked again
    rest = ledgers[len(answers) :]
    if rest:
        answers += judge_cold(rest, want, limit_s=deadline - time.monotonic())
    return answers


def _ask_for(ledger: Path, want: str | None, socket: Path, limit_s: float) -> dict[str, Any]:
    """The warm session's answer, which names the ledger as we do: its folder is another one."""
    there = str(ledger.absolute())
    answer = _ask(socket, {"ledger": there, "want": want}, limit_s)
    if "error" in answer:
        answer["error"] = str(answer["error"]).replace(there, str(ledger))
    return {**answer, "ledger": str(ledger)}


def practise(socket: Path) -> bool:
    """Lets the warm session judge a made-up ledger; returns whether it did."""
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
    """The answers of one process of its own, in order; a malformed ledger's holds `error`.

    Raises `JudgeFailed` when there are no answers, for want of a Java among other reasons.
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
        orderly = _somebody_elses()

        def is_over() -> bool:
            # Nobody needs the end of a Spark of ours; in a cluster of others it is a goodbye.
            return process.poll() is not None or (out.exists() and not orderly)

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
    """Master and jars, as the programs of `spark_jobs` take them.

    The master is `LAB_SPARK_MASTER`; without it those programs look for `SPARK_MASTER` themselves.
    """
    master = os.environ.get("LAB_SPARK_MASTER", "").strip()
    arguments: list[str | Path] = ["--master", master] if master else []
    for jar in spark_connector() if connector else ():
        arguments += ["--jars", jar]
    return arguments


def _somebody_elses() -> bool:
    """Whether Spark runs on a cluster that the environment names."""
    return any(os.environ.get(name, "").strip() for name in ("LAB_SPARK_MASTER", "SPARK_MASTER"))


def spark_environment(scratch: Path | None = None) -> dict[str, str]:
    """Our environment for Spark: the Java that was found, and its class archive if there is one.

    What it puts on a disk comes below `scratch`; a Spark that is killed leaves it there, for us to
    remove. Without one it is the system's temporary folder.
    """
    java = find_java()
    options = [*archive_options(java), *([f"-Djava.io.tmpdir={scratch}"] if scratch else [])]
    given = os.environ.get("SPARK_SUBMIT_OPTS", "")
    ours = {
        **os.environ, "JAVA_HOME": str(spark_home(java)),
        "SPARK_SUBMIT_OPTS": " ".join([*([given] if given else []), *map(quoted, options)]),
    }  # fmt: skip
    if scratch is None:
        return ours
    return {"SPARK_LOCAL_DIRS": str(scratch), **ours, "TMPDIR": str(scratch)}


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
    """The last line of the reply, which is the answer; lines before it are progress.

    Each may take `limit_s`: who says what it does is slow, and not dead.
    """
    rest = b""
    while True:
        until(lambda: select.select([connection], [], [], 0)[0], limit_s, "no answer",
              awaits="for Spark to judge")  # fmt: skip
        heard = connection.recv(65536)
        if not heard:
            raise _NoAnswer
        *lines, rest = (rest + heard).split(b"\n")
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
