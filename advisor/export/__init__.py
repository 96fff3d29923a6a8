"""Settings as files for the products that people use: one renderer a product, found by walking.

A module of this package holds `EXPORTS`, the files that it renders; adding a product is adding
a file. Every export is fed to the product's own parser by tests/contracts.
"""

import pkgutil
from functools import cache
from importlib import import_module

from advisor.export.base import Export, Revision, Stamp
from advisor.reasoning.pipeline import Pipeline

__all__ = ["Export", "Stamp", "all_exports", "exports_for", "find"]


@cache
def all_exports() -> tuple[Export, ...]:
    """Every export, ordered by module and then as the module orders them."""
    modules = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return tuple(
        export
        for module in modules
        for export in getattr(import_module(f"{__name__}.{module}"), "EXPORTS", ())
    )


def exports_for(pipeline: Pipeline, described: Pipeline | None = None) -> tuple[Export, ...]:
    """The exports that this pipeline can use; without those that the step from the one described
    does not need, if that is given."""
    return tuple(
        export
        for export in all_exports()
        if export.applies(pipeline)
        and (described is None or export.needed(Revision(pipeline, described)))
    )


def find(name: str) -> Export | None:
    """The export of that name, or None."""
    return next((export for export in all_exports() if export.name == name), None)
