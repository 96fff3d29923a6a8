"""`spark-defaults.conf`: settings of every application of a cluster that does not state its own.

Source: Spark configuration.md, Dynamically Loading Spark Properties; Utils.getPropertiesFromFile,
which reads it as Java's properties.
"""

from __future__ import annotations

import re

from advisor.catalog import Component, Family
from advisor.intake.formats.java_properties import properties
from advisor.intake.reading import Reader, Reading
from advisor.intake.spark.query import SESSION_CHECKPOINT, SPECULATION

_LINE = re.compile(r"spark\.[\w.-]{1,200}(?:[ \t=:]|$)")
_CHECKPOINT = (
    'counts for every query that states no checkpoint. Write .option("checkpointLocation", …) in '
    "the query, and leave this out"
)


def read(text: str) -> Reading:
    """Reads whether tasks run speculatively. Raises `IntakeError`."""
    reading = Reading(heads={"family": Family.SPARK})
    others = 0
    for entry in properties(text):
        if entry.key == SPECULATION:
            reading.add_setting(Component.APPLICATION, "speculation", entry.value, entry.line)
        elif entry.key == SESSION_CHECKPOINT:
            reading.add_problem(
                Component.APPLICATION, entry.key, entry.line, f"{entry.key} {_CHECKPOINT}"
            )
        else:
            others += 1
    if others:
        reading.note(1, f"no guarantee depends on the other settings here ({others})")
    return reading


def _likeness(text: str) -> float:
    lines = [line for line in map(str.strip, text.splitlines()) if line and line[0] not in "#!"]
    return 0.97 if lines and all(map(_LINE.match, lines)) else 0.0


READERS = (Reader("spark-defaults", "spark-defaults.conf", _likeness, read),)
