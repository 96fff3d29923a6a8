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
from itertools import islice

from advisor.catalog import Component
from advisor.intake.clients.generated_names import is_new, with_assigned
from advisor.intake.reading import Reading
from advisor.intake.spark import shared_checkpoints

_REACH = 300
_REMOVES = r"(?:\brmtree|-rm\b|\brm\s|\.rm\s*\(|\bdelete\w*\s*\()"
_QUOTED = r"\"[^\"\n]*\"|'[^'\n]*'"
_FUNCTION = re.compile(r"\b(?:def|fun|void)\s+(?P<name>\w+)\s*\((?P<given>[^()\n]{1,200})\)")
_WHOLE = r"\W{{0,4}}(?:(?:new\s+)?(?:\w+\.){{0,8}}(?:str|Path)\s*\(\s*)?{}\s*[,)]"
"""A name that is all that something is given."""
_NO_FOLDERS = frozenset({"f", "s", "str", "os", "path", "join", "Path", "new", "toString"})
_MOST, _MOST_NAMES = 60, 8
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
    removes = "|".join([_REMOVES, *(rf"\b{name}\s*\(" for name in _removers(code))])
    for written, line in stated:
        place = written.strip().strip("'\"")
        own = [rf"[^\n]{{0,120}}{re.escape(place)}\b"] if len(place) > 1 else []
        own += [rf"[^\n]{{0,60}}['\"]{re.escape(above)}/?['\"]" for above in _above(place)]
        own += [_WHOLE.format(name) for name in _folders(code, written)]
        if own and re.search(rf"(?:{removes})(?:{'|'.join(own)})", code):
            reading.state(Component.APPLICATION, "checkpoint", "local", line)
            reading.note(line, "this checkpoint is removed here, so that the query begins anew")


def _removers(code: str) -> Iterator[str]:
    """The functions of a program that remove a folder which they are given."""
    for match in islice(_FUNCTION.finditer(code), _MOST):
        given = _NAME.findall(re.sub(r":[^,]*", "", match["given"]))[-_MOST_NAMES:]
        names = "|".join(given) or "(?!)"
        body = code[match.end() : match.end() + _REACH]
        if re.search(rf"{_REMOVES}[^\n]{{0,80}}\b(?:{names})\b", body):
            yield match["name"]


def _above(place: str) -> list[str]:
    """The folders above one that is written down."""
    parts = place.split("/")[:_MOST_NAMES] if re.fullmatch(r"[\w:/.-]+", place) else []
    return ["/".join(parts[:end]) for end in range(1, len(parts)) if parts[end - 1]]


def _folders(code: str, written: str) -> list[str]:
    """The names of what a place is made of, each of which may be a folder above it."""
    found = list[str]()
    for expression in (written, with_assigned(code, written.strip())):
        inside = " ".join(re.findall(r"\{(\w+)\}", expression))
        found += _NAME.findall(f"{re.sub(_QUOTED, ' ', expression)} {inside}")
    return [name for name in found[:_MOST_NAMES] if name not in _NO_FOLDERS]


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
