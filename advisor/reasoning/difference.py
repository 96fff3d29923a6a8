"""Where two answers to one pipeline differ: in what they say, not in how they word it."""

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
    """One thing of which two answers do not say the same; None where one says nothing of it."""

    name: str
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class Section:
    """One part of an answer with the lines that differ.

    `kind` says what the lines hold: `guarantees` boundaries with their Guarantee, `failures` a
    Failure, `findings` a Found, `possible` a Column, `changes` a Change of the column of one
    `guarantee`, `numbers` a Number, `assumed` an Assumption, `in_force` an InForce.
    """

    kind: str
    lines: tuple[Line, ...]
    guarantee: Guarantee | None = None


def difference(before: Answer, after: Answer) -> tuple[Section, ...]:
    """The parts that differ, the gravest first; empty if the two answers say the same."""
    return tuple(section for section in _sections(before, after) if section.lines)


def _sections(before: Answer, after: Answer) -> Iterator[Section]:
    then, now = before.judgement, after.judgement
    given = (then.guarantees.items(), now.guarantees.items())
    yield Section(
        "guarantees",
        _lines(*given, lambda boundaries: boundaries[0], lambda boundaries: boundaries[1]),
    )
    failures = (then.failures, now.failures)
    yield Section("failures", _lines(*failures, lambda failure: failure.name, _does))
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
        made = (changes.get(column.guarantee, ()), column.changes)
        yield Section(
            "changes", _lines(*made, _setting, lambda change: change.after), column.guarantee
        )
    counted = (before.numbers, after.numbers)
    yield Section(
        "numbers",
        _lines(*counted, lambda number: number.name, lambda number: (number.value, number.unit)),
    )
    taken = (before.assumed, after.assumed)
    yield Section("assumed", _lines(*taken, _setting, lambda assumption: (assumption.value,)))
    yield Section("in_force", _in_force(before, after))


def _lines(
    before: Iterable[_T],
    after: Iterable[_T],
    name: Callable[[_T], str],
    says: Callable[[_T], object],
) -> tuple[Line, ...]:
    """The names of which `says` gives two things; None is what it says of nothing."""
    then, now = ({name(item): item for item in some} for some in (before, after))

    def shown(those: dict[str, _T], name: str) -> object:
        return says(those[name]) if name in those else None

    return tuple(
        Line(name, then.get(name), now.get(name))
        for name in dict.fromkeys((*then, *now))
        if shown(then, name) != shown(now, name)
    )


def _setting(assumption: Change | Assumption) -> str:
    return f"{assumption.component}.{assumption.setting}"


def _does(failure: Failure) -> object:
    """What an event may do; one that does nothing says as much as one that nobody looked at."""
    if not failure.permits and not failure.absorbed:
        return None
    return failure.in_scope, failure.breaks, failure.permits.keys(), failure.absorbed.keys()


def _in_force(before: Answer, after: Answer) -> tuple[Line, ...]:
    """Settings that both know: that a catalog knows more of them is no answer."""
    keys = [
        {(setting.component, setting.key) for setting in some.in_force} for some in (before, after)
    ]
    both = keys[0] & keys[1]
    then, now = (
        [setting for setting in some.in_force if (setting.component, setting.key) in both]
        for some in (before, after)
    )
    return _lines(
        then,
        now,
        lambda setting: f"{setting.component}.{setting.key}",
        lambda setting: (setting.value,),
    )
