"""The code that a run is evidence for: a short hash of each part on which its result depends."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from advisor.reasoning.failures import all_events
from advisor.reasoning.obstacle import obstacles
from labs.calibration.table import happens_in
from labs.engine.base.processes import ROOT
from labs.engine.scenarios import find

_SCENARIOS = ROOT / "labs" / "engine" / "scenarios"
_REASONING = ROOT / "advisor" / "reasoning"
_CATALOG = ROOT / "advisor" / "catalog"
_DIGITS = 12


def fingerprint(scenario: str) -> Mapping[str, str]:
    """The hashes of the scenario's file, the engine with the judge, and the predicting rules.

    Raises `ScenarioError` for a scenario that does not exist.
    """
    name = find(scenario).name
    module = _SCENARIOS / f"{name.replace('-', '_')}.py"
    return {"scenario": _hash([module]), "engine": _engine(), "rules": _rules(name)}


def short_form(code: Mapping[str, str]) -> str:
    """A fingerprint in a few letters; empty for a run that was recorded without one."""
    return " ".join(code[part][:6] for part in ("scenario", "engine", "rules") if part in code)


@cache
def _engine() -> str:
    scenarios = set(_SCENARIOS.glob("*.py")) - {_SCENARIOS / "model.py", _SCENARIOS / "steps.py"}
    files = (ROOT / "labs" / "engine").rglob("*")
    return _hash([*(set(_source_files(files)) - scenarios), *(ROOT / "spark_jobs").rglob("*.py")])


@cache
def _rules(scenario: str) -> str:
    return _hash(predicting_files(scenario))


def predicting_files(scenario: str) -> frozenset[Path]:
    """The files of the events that may happen in a scenario, their imports, and the catalog's data.

    A run is compared with what these events permit. Findings, levers and the search for changes do
    not decide what a run may show (docs/decisions/0164-evidence-for-the-code-that-predicts.md).
    """
    events = [event for event in all_events() if happens_in(event, scenario)]
    names = [part.__module__ for part in (obstacles, *(event.permits for event in events))]
    pending = [ROOT.joinpath(*name.split(".")).with_suffix(".py") for name in names]
    files = {file for file in _source_files(_CATALOG.rglob("*")) if file.suffix != ".py"}
    while pending:
        file = pending.pop()
        if file not in files:
            files.add(file)
            pending += _imported(file)
    return frozenset(files)


@cache
def _imported(file: Path) -> tuple[Path, ...]:
    """The modules of the reasoning and the catalog that a module imports."""
    places = (ROOT.joinpath(*name.split(".")) for name in _names(ast.parse(file.read_bytes())))
    files = (path for place in places for path in (place.with_suffix(".py"), place / "__init__.py"))
    return tuple(
        path for path in files
        if path.is_file() and not {_REASONING, _CATALOG}.isdisjoint(path.parents)
    )  # fmt: skip


def _names(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _source_files(files: Iterable[Path]) -> Iterable[Path]:
    return (file for file in files if file.suffix in {".py", ".java", ".toml", ".json"})


def _hash(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()[:_DIGITS]
