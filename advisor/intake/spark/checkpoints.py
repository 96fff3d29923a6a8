"""Checkpoints of a program's queries that are named in code: one that is another one at each start,
and one that two queries have.

Queries of one checkpoint have one id, so that the second stops the first, or is refused, and goes
on from offsets of other topics (StreamingQueryManager.scala, `startQuery`;
spark.sql.streaming.stopActiveRunOnRestart). Each needs its own (Structured Streaming programming
guide, Recovering from Failures with Checkpointing).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from advisor.catalog import Component
from advisor.intake.clients.generated_names import is_new, with_assigned
from advisor.intake.reading import Reading
from advisor.intake.spark import shared_checkpoints

_REACH = 300
_REMOVES = r"(?:\brmtree|-rm\b|\brm\s|\.rm\s*\(|\bdelete\w*\s*\()"
_NAME = re.compile(r"[A-Za-z_]\w*")

_SHARED = (
    "two queries have this checkpointLocation. They have one id for Spark, so that the second "
    "stops the first and goes on from its offsets. Give each query its own, or leave only the one "
    "that you ask for"
)


def checkpoint(reading: Reading, code: str, at: int, named: str, line: int) -> None:
    """States that a checkpoint whose name is worked out is another one at each start. `at` is where
    its option stands, `named` the variable that holds it."""
    stated = code[at : at + _REACH].split("\n", 1)[0].split(").", 1)[0]
    if is_new(with_assigned(code, named) if named else stated):
        reading.state(Component.APPLICATION, "checkpoint", "local", line)
        reason = "checkpointLocation is another one at each start, so that the query begins anew"
        reading.note(line, f"{reason} (application.checkpoint)")


def shared(reading: Reading, code: str, stated: Sequence[tuple[str, int]]) -> None:
    """Refuses a checkpoint that two queries have; `stated` are the options for it as they are
    written, each with its line."""
    lines = [*_twice(code, stated), *shared_checkpoints.fixed_places(code)]
    if lines:
        reading.wrong(Component.APPLICATION, "checkpoint", min(lines), _SHARED)
    for written, line in stated:
        place = written.strip().strip("'\"")
        if len(place) > 1 and re.search(rf"{_REMOVES}[^\n]{{0,120}}{re.escape(place)}\b", code):
            reading.state(Component.APPLICATION, "checkpoint", "local", line)
            reading.note(line, "this checkpoint is removed here, so that the query begins anew")


def _twice(code: str, stated: Sequence[tuple[str, int]]) -> Iterator[int]:
    """Where a checkpoint is stated that another query has; the value of a name that is set more
    than once, or nowhere here, is not known."""
    seen = set[str]()
    for written, line in stated:
        place = written.strip().replace("'", '"').replace('/"', '"')
        in_text = re.sub(r'"[^"]*"', "", place)
        names = {*_NAME.findall(in_text), *_NAME.findall(" ".join(re.findall(r"\{(.*?)\}", place)))}
        set_once = all(len(re.findall(rf"\b{name}\s*=(?!=)", code)) == 1 for name in names - {"f"})
        if place in seen and set_once:
            yield line
        seen.add(place)
