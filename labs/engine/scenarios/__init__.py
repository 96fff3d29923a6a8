"""The scenarios: one module each, with a `SCENARIO` that is found by walking this package."""

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
        importlib.import_module(f"{__name__}.{module.name}")
        for module in pkgutil.iter_modules(__path__)
    )
    results = [module.SCENARIO for module in modules if hasattr(module, "SCENARIO")]
    return tuple(sorted(results, key=lambda scenario: scenario.name))


def find(name: str) -> Scenario:
    """The scenario with a name. Raises `ScenarioError`, which suggests the nearest name."""
    by_name = {scenario.name: scenario for scenario in all_scenarios()}
    if name in by_name:
        return by_name[name]
    matches = difflib.get_close_matches(name, by_name, n=1)
    hint = f"did you mean {matches[0]}?" if matches else f"there are: {', '.join(by_name)}"
    raise ScenarioError(f"there is no scenario {name!r}; {hint}")
