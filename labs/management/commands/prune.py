"""`manage.py prune`: keeps the ledgers within their limit, as the worker does after each run.

It also keeps the cache of jars within `LAB_CACHE_LIMIT_MB`, as every download does.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from advisor.management.exact import ExactCommand
from labs.engine.distributions import budget, distribution
from labs.runs import pruning


class Command(ExactCommand):
    help = (
        "Removes the oldest ledgers until all together are within a limit, and the jars that have "
        "been unused for longest until the cache is within LAB_CACHE_LIMIT_MB."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--limit-mb", type=_whole, default=settings.LAB_RUNS_LIMIT_MB,
            help="millions of bytes (by default LAB_RUNS_LIMIT_MB)",
        )  # fmt: skip
        parser.add_argument("--json", action="store_true", help="as data, for other programs")

    def handle(self, *args: object, **options: Any) -> None:
        pruned = pruning.prune(options["limit_mb"] * pruning.MEGABYTE)
        deleted = budget.enforce_limit(distribution.always_kept())
        if options["json"]:
            names = [row.name for row in deleted]
            data = {"limit_mb": options["limit_mb"], "pruned": pruned, "deleted": names}
            self.stdout.write(json.dumps(data))
            return
        self.stdout.write(
            f"{len(pruned)} ledgers were removed; their counts and verdicts stay."
            if pruned
            else "All ledgers are within the limit."
        )
        for row in deleted:
            self.stdout.write(str(row))


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"must be a whole number, 0 or more, not {text!r}")
    return int(text)
