"""`manage.py verify`: runs only the Spark job, on any ledgers, in one session."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from advisor.management.exact import BAD_INPUT, NOT_RUN, ExactCommand
from labs.engine.judge.spark import LIMIT_S, JudgeFailed, judge_cold, judge_each

_MARKS = ("seal.json", "sends", "sends.parquet", "sends.jsonl")
"""Files and folders of which every ledger with a verdict has one."""

_WANTS = ("at-most-once", "at-least-once", "exactly-once", "none")


class Command(ExactCommand):
    """Exit codes: 0 every ledger was judged (the verdict is in the answer), 2 one is not a
    ledger, 3 the job failed, or no Java was found."""

    help = (
        "Counts what became of every message in ledgers (docs/ledger.md), and judges each ledger "
        "by a guarantee or, without --want, by all anomalies."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("ledgers", nargs="+", type=Path, metavar="LEDGER_DIR")
        parser.add_argument("--want", choices=_WANTS, help="the guarantee to judge by")
        parser.add_argument(
            "--json", action="store_true", help="a JSON line for each ledger, in order"
        )
        parser.add_argument(
            "--cold",
            action="store_true",
            help="start Spark for it, even if a running worker could judge it",
        )
        parser.add_argument(
            "--limit",
            type=float,
            default=LIMIT_S * 10,
            metavar="SECONDS",
            help="time limit for all of them",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            answers = _answers(options)
        except JudgeFailed as error:
            raise CommandError(str(error), returncode=NOT_RUN) from error
        for answer in answers:
            self.stdout.write(json.dumps(answer) if options["json"] else _table(answer))
        bad = [answer["error"] for answer in answers if "error" in answer]
        if bad:
            crashed = any("crashed" in answer for answer in answers)
            raise CommandError("; ".join(bad), returncode=NOT_RUN if crashed else BAD_INPUT)


def _answers(options: dict[str, Any]) -> list[dict[str, Any]]:
    refused = {path: words for path in options["ledgers"] if (words := _misplaced(path))}
    rest = [path for path in options["ledgers"] if path not in refused]
    judged = iter(_judge(rest, options) if rest else ())
    return [
        {"ledger": str(path), "error": refused[path]} if path in refused else next(judged)
        for path in options["ledgers"]
    ]


def _judge(ledgers: list[Path], options: dict[str, Any]) -> list[dict[str, Any]]:
    if options["cold"]:
        return judge_cold(ledgers, options["want"], limit_s=options["limit"])
    return judge_each(ledgers, options["want"], settings.LAB_JUDGE_SOCKET, options["limit"])


def _misplaced(path: Path) -> str:
    """Where the ledger is if this is its zip file or a folder around it; otherwise an empty text.

    A folder without any table would be judged as a history without sends: `unknown`.
    """
    try:
        if path.is_file() and zipfile.is_zipfile(path):
            return f"{path} is a zip file: unzip it, and give the folder that is in it"
        if not path.is_dir() or _is_ledger(path):
            return ""
        inner = next(_ledgers_within(path), None)
    except OSError:
        return ""
    return f"{path} has no table of a ledger; give the folder {inner}" if inner else ""


def _ledgers_within(path: Path) -> Iterator[Path]:
    for pattern in ("*", "*/*"):
        yield from filter(_is_ledger, sorted(path.glob(pattern)))


def _is_ledger(path: Path) -> bool:
    return any((path / name).exists() for name in _MARKS)


def _table(answer: dict[str, Any]) -> str:
    """Returns an answer as text: the verdict, its reason, and the counts."""
    if "error" in answer:
        return f"{answer['ledger']}: {'not judged' if 'crashed' in answer else 'malformed'}\n"
    lines = [f"{answer['ledger']}: {answer['verdict']}", f"  {answer['reason']}", ""]
    for name, count in answer["counts"].items():
        lines.append(f"  {name:<20}{'not judged' if count is None else format(count, ','):>12}")
    return "\n".join([*lines, ""])
