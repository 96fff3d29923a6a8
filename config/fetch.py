"""`python -m config.fetch`: brings the jars into the cache; the image is built with it."""

from __future__ import annotations

import sys

from labs.engine.kafka import distribution


def main() -> None:
    """Fetches and verifies what is missing. Raises as `distribution.kafka` does."""
    distribution.kafka(progress=_say)
    distribution.spark_connector(progress=_say)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
