"""Reads what a team already has: one reader a kind of file, found by walking.

A module of this package holds `READERS`; adding a kind is adding a file. A reader turns text into
settings with their lines, and `read` has the catalog judge them. Credentials are dropped at the
door; no message repeats more of a text than names.
"""

from advisor.intake.intake import Intake
from advisor.intake.live import ClusterState, Entry, Group, read_live
from advisor.intake.pipeline_file import PipelineFile, read_pipeline
from advisor.intake.reading import Product, Reader
from advisor.intake.registry import all_readers, detect, find, read, read_application
from advisor.intake.text import MARK, MAX_BYTES, IntakeError, is_secret, short_name

__all__ = [
    "MARK",
    "MAX_BYTES",
    "ClusterState",
    "Entry",
    "Group",
    "Intake",
    "IntakeError",
    "PipelineFile",
    "Product",
    "Reader",
    "all_readers",
    "detect",
    "find",
    "is_secret",
    "read",
    "read_application",
    "read_live",
    "read_pipeline",
    "short_name",
]
