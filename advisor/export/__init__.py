"""Settings as configuration files for products. Each product has one renderer.

A module of this package has `EXPORTS`, the files that it renders; a new product needs only a new
module. The tests in tests/contracts pass every export to the product's own parser.
"""

import pkgutil
from functools import cache
from importlib import import_module

from advisor.export.base import Export, Revision, Stamp
from advisor.reasoning.pipeline import Pipeline

__all__ = ["Export", "Stamp", "all_exports", "exports_for", "find"]


@cache
def all_exports() -> tuple[Export, ...]:
    """Returns every export: by module, and in the order of each module."""
    modules = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return tuple(
        export
        for module in modules
        for export in getattr(import_module(f"{__name__}.{module}"), "EXPORTS", ())
    )


def exports_for(pipeline: Pipeline, described: Pipeline | None = None) -> tuple[Export, ...]:
    """Returns the exports that this pipeline can use. With `described`, only those that are needed
    to get from there to this pipeline."""
    return tuple(
        export
        for export in all_exports()
        if export.applies(pipeline)
        and (described is None or export.needed(Revision(pipeline, described)))
    )


def find(name: str) -> Export | None:
    """Returns the export with that name, or None."""
    return next((export for export in all_exports() if export.name == name), None)
