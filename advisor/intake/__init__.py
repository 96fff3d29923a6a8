"""Reads what a team already has: properties files and pipeline files."""

from advisor.intake.pipeline_file import PipelineFile, read_pipeline
from advisor.intake.properties import Intake, read_properties
from advisor.intake.text import MAX_BYTES, IntakeError

__all__ = [
    "MAX_BYTES",
    "Intake",
    "IntakeError",
    "PipelineFile",
    "read_pipeline",
    "read_properties",
]
