"""A whole pipeline in one TOML file, as flat fields: the ones that the questionnaire sends.

family = "librdkafka"
kafka = "4.3"
[need]
guarantee = "at-least-once"
[producer]
acks = "all"
enable.idempotence = true
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from advisor.catalog import Component, Problem
from advisor.intake.clients.other_products_text import refuse_others
from advisor.intake.text import IntakeError, check_text, is_secret, shown

_ERROR_LINE = re.compile(r"\(at line (\d+)")
_HEAD_FIELDS = frozenset({"family", "version", "kafka", "brokers"})
_NEED_FIELDS = frozenset({"need.guarantee", "need.survive", "need.ordering"})


@dataclass(slots=True)
class PipelineFile:
    """The fields of the file by dotted name (`producer.acks`), as text that is not yet judged.

    `notes` name what was ignored on purpose, `problems` what cannot be used.
    """

    fields: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def read_pipeline(text: str) -> PipelineFile:
    """Reads a pipeline file. Errors in the file are problems, and raise nothing.

    Credentials are dropped and named in a note. The caller parses the fields and judges names and
    values, as for a form.
    """
    file = PipelineFile()
    try:
        check_text(text)
        refuse_others(text)
        stated = list(_flat(tomllib.loads(text)))
    except IntakeError as error:
        words = str(error)
    except (ValueError, RecursionError) as error:  # TOMLDecodeError is a ValueError
        # The message repeats names of the file; only its line is used.
        place = _ERROR_LINE.search(str(error))
        where = f"Line {place[1]}" if place else "The file"
        words = f"{where}: this is not well-formed TOML."
    else:
        for name, value in stated:
            _take(file, name, value)
        return file
    file.problems.append(Problem(Component.APPLICATION, "file", words))
    return file


def _take(file: PipelineFile, name: str, value: Any) -> None:
    head, _, key = name.partition(".")
    by_name = {component.value: component for component in Component}
    component = by_name.get(head, Component.APPLICATION)
    if is_secret(key):
        file.notes.append(f"{shown(name)} is a credential: dropped, not read.")
    elif head not in by_name and name not in _HEAD_FIELDS | _NEED_FIELDS:
        sections = ", ".join([*sorted(_HEAD_FIELDS), "need", *by_name])
        message = f"{shown(name)} is not part of a pipeline file; these are: {sections}."
        file.problems.append(Problem(component, shown(name), message))
    elif isinstance(value, bool):
        file.fields[name] = str(value).lower()
    elif isinstance(value, str) or (isinstance(value, int) and abs(value) < 2**63):
        file.fields[name] = str(value)
    else:
        message = f"{shown(name)} must be a text, a whole number of 64 bits, true or false."
        file.problems.append(Problem(component, shown(key), message))


def _flat(table: Mapping[str, Any], head: str = "") -> Iterator[tuple[str, Any]]:
    """Yields dotted names: TOML reads a dotted key as nested tables."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{head}{key}.")
        else:
            yield f"{head}{key}", value
