"""What `manage.py challenges --verify --keep` saw: kept with the challenges, run by run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "verified.json"


def keep(file: Path, seen: Mapping[str, Sequence[str]], challenge: str, seed: int) -> None:
    """Puts what was seen of one challenge in place of what was known of it; sorted by name.

    `seen` has the grade and its reason of each run, by role; `seed` is that of the first.
    """
    known = _read(file)
    day = datetime.now(UTC).date().isoformat()
    known[challenge] = {
        "day": day,
        "seed": seed,
        **{role: list(told) for role, told in seen.items()},
    }
    file.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n", "utf-8")


@cache
def verified() -> Mapping[str, Mapping[str, Any]]:
    """The record that ships, by challenge."""
    return _read(FILE)


def _read(file: Path) -> dict[str, Any]:
    return dict(json.loads(file.read_text("utf-8"))) if file.exists() else {}
