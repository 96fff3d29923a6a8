"""Which code a run is evidence for: a short hash of each part that the result depends on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from labs.engine.base.processes import ROOT
from labs.engine.scenarios import find

_SCENARIOS = ROOT / "labs" / "engine" / "scenarios"
_DIGITS = 12


def fingerprint(scenario: str) -> Mapping[str, str]:
    """The scenario's file, the engine with the judge, and the rules with their catalog.

    Raises `ScenarioError` for a scenario that does not exist.
    """
    module = _SCENARIOS / f"{find(scenario).name.replace('-', '_')}.py"
    return {"scenario": _hash([module]), "engine": _engine(), "rules": _rules()}


def short_form(code: Mapping[str, str]) -> str:
    """A fingerprint in a few letters; empty for that of a run that was kept without one."""
    return " ".join(code[part][:6] for part in ("scenario", "engine", "rules") if part in code)


@cache
def _engine() -> str:
    scenarios = set(_SCENARIOS.glob("*.py")) - {_SCENARIOS / "model.py", _SCENARIOS / "steps.py"}
    files = (ROOT / "labs" / "engine").rglob("*")
    return _hash([*(set(_sources(files)) - scenarios), *(ROOT / "spark_jobs").rglob("*.py")])


@cache
def _rules() -> str:
    parts = (ROOT / "advisor" / part for part in ("reasoning", "catalog"))
    return _hash(file for part in parts for file in _sources(part.rglob("*")))


def _sources(files: Iterable[Path]) -> Iterable[Path]:
    return (file for file in files if file.suffix in {".py", ".java", ".toml", ".json"})


def _hash(files: Iterable[Path]) -> str:
    whole = hashlib.sha256()
    for file in sorted(files):
        whole.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes() + b"\0")
    return whole.hexdigest()[:_DIGITS]
