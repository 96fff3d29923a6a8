"""The differences between two answers for one pipeline: in content, not in wording."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from advisor.reasoning.answer import Answer, Failure
from advisor.reasoning.assumptions import Assumption
from advisor.reasoning.guarantees import Guarantee
from advisor.reasoning.recommend import Change

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Line:
    """One item in which two answers differ; None if it is missing in one of them."""

    name: str
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class Section:
    """One part of an answer with the lines that differ.

    `kind` decides the type of the lines' values: `guarantees` boundaries with their Guarantee,
    `failures` a Failure, `findings` a FindingData, `possible` a Column, `changes` a Change in the
    column of one `guarantee`, `numbers` a Number, `assumed` an Assumption, `in_force` an InForce.
    """

    kind: str
    lines: tuple[Line, ...]
    guarantee: Guarantee | None = None


def difference(before: Answer, after: Answer) -> tuple[Section, ...]:
    """Returns the sections that differ, the gravest first; empty if the answers are equivalent."""
    return tuple(section for section in _sections(before, after) if section.lines)


def _sections(before: Answer, after: Answer) -> Iterator[Section]:
    then, now = before.judgement, after.judgement
    guarantees = (then.guarantees.items(), now.guarantees.items())
    yield Section(
        "guarantees",
        _lines(*guarantees, lambda boundaries: boundaries[0], lambda boundaries: boundaries[1]),
    )
    failures = (then.failures, now.failures)
    yield Section("failures", _lines(*failures, lambda failure: failure.name, _effects))
    findings = (then.findings, now.findings)
    yield Section(
        "findings", _lines(*findings, lambda finding: finding.code, lambda finding: finding.code)
    )
    columns = (before.columns, after.columns)
    yield Section(
        "possible",
        _lines(*columns, lambda column: column.guarantee, lambda column: not column.refused),
    )
    changes = {column.guarantee: column.changes for column in before.columns}
    for column in sorted(after.columns, key=lambda column: column.guarantee is not after.need):
        both = (changes.get(column.guarantee, ()), column.changes)
        yield Section(
            "changes", _lines(*both, _setting, lambda change: change.after), column.guarantee
        )
    numbers = (before.numbers, after.numbers)
    yield Section(
        "numbers",
        _lines(*numbers, lambda number: number.name, lambda number: (number.value, number.unit)),
    )
    assumed = (before.assumed, after.assumed)
    yield Section("assumed", _lines(*assumed, _setting, lambda assumption: (assumption.value,)))
    yield Section("in_force", _in_force(before, after))


def _lines(
    before: Iterable[_T],
    after: Iterable[_T],
    name: Callable[[_T], str],
    content: Callable[[_T], object],
) -> tuple[Line, ...]:
    """Returns the items whose `content` differs; that of a missing item is None."""
    then, now = ({name(item): item for item in items} for items in (before, after))

    def content_of(items: dict[str, _T], name: str) -> object:
        return content(items[name]) if name in items else None

    return tuple(
        Line(name, then.get(name), now.get(name))
        for name in dict.fromkeys((*then, *now))
        if content_of(then, name) != content_of(now, name)
    )


def _setting(assumption: Change | Assumption) -> str:
    return f"{assumption.component}.{assumption.setting}"


def _effects(failure: Failure) -> object:
    """Returns the possible effects of an event; None, as for a missing event, if there are none."""
    if not failure.permits and not failure.absorbed:
        return None
    return failure.in_scope, failure.breaks, failure.permits.keys(), failure.absorbed.keys()


def _in_force(before: Answer, after: Answer) -> tuple[Line, ...]:
    """Compares the settings that are in both answers. Further settings of a newer catalog are not
    a difference."""
    keys = [
        {(setting.component, setting.key) for setting in answer.in_force}
        for answer in (before, after)
    ]
    both = keys[0] & keys[1]
    then, now = (
        [setting for setting in answer.in_force if (setting.component, setting.key) in both]
        for answer in (before, after)
    )
    return _lines(
        then,
        now,
        lambda setting: f"{setting.component}.{setting.key}",
        lambda setting: (setting.value,),
    )
