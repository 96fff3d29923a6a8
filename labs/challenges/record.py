"""The results of `manage.py challenges --verify --keep`, run by run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from labs.challenges.grading import FAILED, PASSED

ROLES = {"optimum": PASSED, "tempting": FAILED}
"""The known answers of a challenge, and the grade that each must get."""
FILE = Path(__file__).parent / "verified.json"


def keep(file: Path, grades: Mapping[str, Sequence[str]], challenge: str, seed: int) -> None:
    """Replaces the record of one challenge; the file is sorted by name.

    `grades` has the grade and its reason for each run, by role; `seed` is that of the first.
    """
    by_name = _read(file)
    day = datetime.now(UTC).date().isoformat()
    by_name[challenge] = {
        "day": day,
        "seed": seed,
        **{role: list(lines) for role, lines in grades.items()},
    }
    file.write_text(json.dumps(dict(sorted(by_name.items())), indent=1) + "\n", "utf-8")


def verified(challenge: str) -> str:
    """Returns the day on which the optimum passed and the tempting answer failed in the record.

    Empty if it was not played, or if a run had another grade.
    """
    results = shipped().get(challenge, {})
    runs = [(data, state) for role, state in ROLES.items() for data in results.get(role, ())]
    proven = all(data.startswith(f"{state}: ") for data, state in runs)
    return str(results["day"]) if runs and proven else ""


@cache
def shipped() -> Mapping[str, Mapping[str, Any]]:
    return _read(FILE)


def _read(file: Path) -> dict[str, Any]:
    return dict(json.loads(file.read_text("utf-8"))) if file.exists() else {}
