"""Settings as files for the products that people use: one renderer a product, found by walking.

A module of this package holds `EXPORTS`, the files that it renders; adding a product is adding
a file. Every export is fed to the product's own parser by tests/contracts.
"""

from advisor.export.base import Export, Stamp
from advisor.export.registry import all_exports, exports_for, find

__all__ = ["Export", "Stamp", "all_exports", "exports_for", "find"]
