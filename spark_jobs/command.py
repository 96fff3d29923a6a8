"""The command line of `spark_jobs/verify.py`: judges ledgers, and prints a JSON line for each."""

from __future__ import annotations

import argparse
import json
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from pyspark.sql import SparkSession

from spark_jobs.judging import Report, judge, silent
from spark_jobs.parts import not_a_folder
from spark_jobs.scan import scan
from spark_jobs.session import BRIEF, LARGE, MEDIUM, Kind, start
from spark_jobs.size import QUICK_ROWS, measure
from spark_jobs.tables import MalformedLedger
from spark_jobs.verdict import FORBIDS

JUDGED, BAD_INPUT, CRASHED = 0, 2, 3
"""Exit codes: every ledger was judged, whatever the verdict; one was malformed; the job failed."""


def run(argv: Sequence[str] | None = None) -> int:
    """Runs the program; returns its exit code.

    A ledger that is malformed, or on which the job fails (`crashed`), yields a line with `error`
    and does not stop the others.
    """
    arguments = _parser().parse_args(argv)
    ledgers = [Path(ledger) for ledger in arguments.ledgers]
    if not arguments.bootstrap and not any(ledger.is_dir() for ledger in ledgers):
        # Report wrong paths immediately: Spark would take seconds to start for them.
        errors = [{"ledger": path, "error": not_a_folder(Path(path))} for path in arguments.ledgers]
        _output(errors, arguments.out)
        return BAD_INPUT
    try:
        kind = session_kind(ledgers)
        spark = start("delivery-lab-verify", arguments.master, arguments.jars, kind)
        try:
            answers = _answers(spark, arguments)
            _output(answers, arguments.out)  # the caller need not wait until Spark stops
        finally:
            spark.stop()
    except Exception as error:  # any error: the caller must know that nothing was judged
        sys.stderr.write(f"verify failed: {type(error).__name__}: {error}\n")
        return CRASHED
    if any("crashed" in answer for answer in answers):
        return CRASHED
    return BAD_INPUT if any("error" in answer for answer in answers) else JUDGED


def answer(
    spark: SparkSession, ledger: str, want: str | None, bootstrap: str | None, topic: str | None,
    report: Report = silent,
) -> dict[str, Any]:  # fmt: skip
    """The answer for one ledger. With `bootstrap` and `topic`, the log is scanned into it first."""
    try:
        if bootstrap and topic:
            report("Spark reads the log from the brokers")
            scan(spark, bootstrap, topic, Path(ledger))
        scanned = bool(bootstrap and topic)
        judged = judge(spark, Path(ledger), want, scanned=scanned, report=report)
        return {**judged, "ledger": ledger}
    except MalformedLedger as error:
        return {"ledger": ledger, "error": str(error)}


def session_kind(ledgers: Sequence[Path]) -> Kind:
    """The kind of session for the largest of the ledgers."""
    sizes = [measure(ledger) for ledger in ledgers]
    if all(size.is_small for size in sizes):
        return BRIEF
    return MEDIUM if all(size.rows <= QUICK_ROWS for size in sizes) else LARGE


def _answers(spark: SparkSession, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    return [_answer_or_error(spark, ledger, arguments) for ledger in arguments.ledgers]


def _answer_or_error(
    spark: SparkSession, ledger: str, arguments: argparse.Namespace
) -> dict[str, Any]:
    """The answer for one of several ledgers, or its error, so that the others are still judged."""
    try:
        return answer(spark, ledger, arguments.want, arguments.bootstrap, arguments.topic)
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        text = f"{type(error).__name__}: {error}".partition("\n")[0]
        return {"ledger": ledger, "error": f"{ledger}: the job failed: {text}", "crashed": True}


def _output(answers: Sequence[dict[str, Any]], out: Path | None) -> None:
    """Prints the answers, or writes them to a file, which appears only once it is complete."""
    if out is None:
        _write(answers, sys.stdout)
        return
    hidden = out.with_name(f".{out.name}.new")
    with hidden.open("w", encoding="utf-8") as file:
        _write(answers, file)
    hidden.replace(out)


def _write(answers: Sequence[dict[str, Any]], file: TextIO) -> None:
    file.writelines(json.dumps(answer) + "\n" for answer in answers)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="verify",
        description="Counts what happened to every message of a ledger, and judges it.",
        epilog="Exit codes: 0 judged, 2 a ledger or an argument is wrong, 3 the job failed.",
    )
    parser.add_argument("ledgers", nargs="+", metavar="LEDGER", help="a folder of tables")
    parser.add_argument("--want", choices=list(FORBIDS), help="the guarantee to judge it by")
    parser.add_argument("--bootstrap", metavar="HOST:PORT", help="brokers whose log to scan first")
    parser.add_argument("--topic", help="the topic to scan")
    parser.add_argument("--out", type=Path, help="write the answers here; default: stdout")
    parser.add_argument("--master", help="Spark's master; default: SPARK_MASTER, else Spark's own")
    parser.add_argument("--jars", action="append", default=[], help="a jar for Spark; repeatable")
    return parser
