"""The exports that there are: whatever modules of this package call `EXPORTS`."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from advisor.export.base import Export, Way
from advisor.reasoning.pipeline import Pipeline


@cache
def all_exports() -> tuple[Export, ...]:
    """Every export, ordered by module and then as the module orders them."""
    package = __name__.rpartition(".")[0]
    folder = import_module(package).__path__
    modules = sorted(module.name for module in pkgutil.iter_modules(folder))
    return tuple(
        export
        for module in modules
        for export in getattr(import_module(f"{package}.{module}"), "EXPORTS", ())
    )


def exports_for(pipeline: Pipeline, described: Pipeline | None = None) -> tuple[Export, ...]:
    """The exports that this pipeline can use; without those that the way from the one described
    does not need, if that is given."""
    return tuple(
        export
        for export in all_exports()
        if export.applies(pipeline)
        and (described is None or export.needed(Way(pipeline, described)))
    )


def find(name: str) -> Export | None:
    """The export of that name, or None."""
    return next((export for export in all_exports() if export.name == name), None)
