"""One scenario a file; each has a `SCENARIO`, found by walking this package."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache

from labs.engine.scenarios.model import Scenario, ScenarioError

__all__ = ["Scenario", "ScenarioError", "all_scenarios", "find"]


@cache
def all_scenarios() -> tuple[Scenario, ...]:
    """Every scenario, by name."""
    modules = (
        importlib.import_module(f"{__name__}.{found.name}")
        for found in pkgutil.iter_modules(__path__)
    )
    found = [module.SCENARIO for module in modules if hasattr(module, "SCENARIO")]
    return tuple(sorted(found, key=lambda scenario: scenario.name))


def find(name: str) -> Scenario:
    """The scenario of that name. Raises `ScenarioError`, with the nearest name there is."""
    known = {scenario.name: scenario for scenario in all_scenarios()}
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}"
    raise ScenarioError(f"there is no scenario {name!r}; {hint}")
