"""A warm session behind a Unix socket; requests and answers are lines of JSON.

`python spark_jobs/serve.py SOCKET`; the program is in `spark_jobs.server`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NoReturn


def main() -> NoReturn:
    """Runs the program with the parent folder as the import path."""
    if not __package__:
        sys.path[0] = str(Path(__file__).resolve().parent.parent)
    from spark_jobs.server import run

    run()


if __name__ == "__main__":
    main()
