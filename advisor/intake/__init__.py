"""Reads configuration files that a team already has. Each kind of file has one reader.

A module of this package has `READERS`; a new kind needs only a new module. A reader turns a text
into settings with their lines, and `read` has the catalog judge them. Credentials are dropped
immediately; messages repeat nothing of a text but names.
"""

from advisor.intake.intake import Intake
from advisor.intake.live import ClusterState, Entry, Group, read_live
from advisor.intake.pipeline_file import PipelineFile, read_pipeline
from advisor.intake.reading import Product, Reader
from advisor.intake.registry import all_readers, detect, find_reader, read, read_application
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
    "find_reader",
    "is_secret",
    "read",
    "read_application",
    "read_live",
    "read_pipeline",
    "short_name",
]
