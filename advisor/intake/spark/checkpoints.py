"""Checkpoints that a program names in code: one with a new name at each start, and one that two
queries share.

Queries that share a checkpoint have the same id. The second one stops the first, or is refused, and
continues from offsets of other topics (StreamingQueryManager.scala, `startQuery`;
spark.sql.streaming.stopActiveRunOnRestart). Each query needs its own (Structured Streaming
programming guide, Recovering from Failures with Checkpointing).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from advisor.catalog import Component
from advisor.intake.clients.generated_names import is_generated, with_assignments
from advisor.intake.reading import Reading
from advisor.intake.spark import shared_checkpoints

_REACH = 300
_REMOVE_CALL = r"(?:\brmtree|-rm\b|\brm\s|\.rm\s*\(|\bdelete\w*\s*\()"
_QUOTED = r"\"[^\"\n]*\"|'[^'\n]*'"
_FUNCTION_HEAD = re.compile(
    r"\b(?:def|fun|void)\s+(?P<name>\w+)\s*\((?P<parameters>[^()\n]{1,200})\)"
)
_WHOLE_ARGUMENT = r"\W{{0,4}}(?:(?:new\s+)?(?:\w+\.){{0,8}}(?:str|Path)\s*\(\s*)?{}\s*[,)]"
"""A name that is the whole argument of a call."""
_OTHER_NAMES = frozenset({"f", "s", "str", "os", "path", "join", "Path", "new", "toString"})
_MAX_FUNCTIONS, _MAX_NAMES = 60, 8
_NAME = re.compile(r"[A-Za-z_]\w*")

_SHARED = (
    "two queries have this checkpointLocation. For Spark they have the same id, so that the second "
    "stops the first and continues from its offsets. Give each query its own, or leave only the "
    "one that you ask about"
)


def check_generated_name(reading: Reading, code: str, at: int, variable: str, line: int) -> None:
    """States a local checkpoint where its computed name is a new one at each start. `at` is the
    offset of its option, `variable` the name that holds it, if any."""
    stated = code[at : at + _REACH].split("\n", 1)[0].split(").", 1)[0]
    if is_generated(with_assignments(code, variable) if variable else stated):
        reading.add_setting(Component.APPLICATION, "checkpoint", "local", line)
        reason = "checkpointLocation is a new one at each start, so that the query begins anew"
        reading.note(line, f"{reason} (application.checkpoint)")


def refuse_shared(reading: Reading, code: str, stated: Sequence[tuple[str, int]]) -> None:
    """Refuses a checkpoint that two queries share. `stated` are the values of its options as they
    are written, each with its line."""
    lines = [*_shared_literals(code, stated), *shared_checkpoints.shared_lines(code)]
    if lines:
        reading.add_problem(Component.APPLICATION, "checkpoint", min(lines), _SHARED)
    remove_calls = "|".join(
        [_REMOVE_CALL, *(rf"\b{name}\s*\(" for name in _removing_functions(code))]
    )
    for written, line in stated:
        place = written.strip().strip("'\"")
        patterns = [rf"[^\n]{{0,120}}{re.escape(place)}\b"] if len(place) > 1 else []
        patterns += [rf"[^\n]{{0,60}}['\"]{re.escape(parent)}/?['\"]" for parent in _parents(place)]
        patterns += [_WHOLE_ARGUMENT.format(name) for name in _path_variables(code, written)]
        if patterns and re.search(rf"(?:{remove_calls})(?:{'|'.join(patterns)})", code):
            reading.add_setting(Component.APPLICATION, "checkpoint", "local", line)
            reading.note(line, "this checkpoint is removed here, so that the query begins anew")


def _removing_functions(code: str) -> Iterator[str]:
    """The names of the program's functions that remove a folder that is passed to them."""
    for match in islice(_FUNCTION_HEAD.finditer(code), _MAX_FUNCTIONS):
        parameters = _NAME.findall(re.sub(r":[^,]*", "", match["parameters"]))[-_MAX_NAMES:]
        names = "|".join(parameters) or "(?!)"
        body = code[match.end() : match.end() + _REACH]
        if re.search(rf"{_REMOVE_CALL}[^\n]{{0,80}}\b(?:{names})\b", body):
            yield match["name"]


def _parents(place: str) -> list[str]:
    """The parent folders of a literal path."""
    parts = place.split("/")[:_MAX_NAMES] if re.fullmatch(r"[\w:/.-]+", place) else []
    return ["/".join(parts[:end]) for end in range(1, len(parts)) if parts[end - 1]]


def _path_variables(code: str, written: str) -> list[str]:
    """The variables in the expression of a path. Each may hold a parent folder."""
    names = list[str]()
    for expression in (written, with_assignments(code, written.strip())):
        placeholders = " ".join(re.findall(r"\{(\w+)\}", expression))
        names += _NAME.findall(f"{re.sub(_QUOTED, ' ', expression)} {placeholders}")
    return [name for name in names[:_MAX_NAMES] if name not in _OTHER_NAMES]


def _shared_literals(code: str, stated: Sequence[tuple[str, int]]) -> Iterator[int]:
    """The lines that state a checkpoint of another query. The value of a name that is assigned more
    than once, or nowhere in the code, is unknown."""
    seen = set[str]()
    for written, line in stated:
        place = written.strip().replace("'", '"').replace('/"', '"')
        outside_quotes = re.sub(r'"[^"]*"', "", place)
        names = {
            *_NAME.findall(outside_quotes),
            *_NAME.findall(" ".join(re.findall(r"\{(.*?)\}", place))),
        }
        assigned_once = all(
            len(re.findall(rf"\b{name}\s*=(?!=)", code)) == 1 for name in names - {"f"}
        )
        if place in seen and assigned_once:
            yield line
        seen.add(place)
