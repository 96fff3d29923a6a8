"""Judges ledgers: `python spark_jobs/verify.py LEDGER… [--want G]`, or by spark-submit.

The program is in `spark_jobs.command`. This file can be run from any folder.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Runs the program with the parent folder as the import path."""
    if not __package__:
        sys.path[0] = str(Path(__file__).resolve().parent.parent)
    from spark_jobs.command import run

    return run()


if __name__ == "__main__":
    sys.exit(main())
