"""The conditions of an answer besides settings: a program's code, and files that are absent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.catalog import Component
from advisor.intake.programs.code_facts import PROGRAM_FACTS
from advisor.reasoning.answer import Answer
from advisor.reasoning.assumptions import Assumption


@dataclass(frozen=True, slots=True)
class Read:
    """What was read for an answer: whether it was a program, and the notes about absent files
    (`advisor.intake.absent_files`)."""

    program: bool = False
    absent: Sequence[str] = ()


def conditions(answer: Answer, read: Read) -> str:
    """Returns the conditions of a yes, in words; empty if it depends on settings only."""
    parts = (
        ["the program does what is assumed"] if read.program and code_assumptions(answer) else []
    )
    parts += ["the sources that were not given state nothing else"] if read.absent else []
    return f", if {' and '.join(parts)}" if parts else ""


def as_data(answer: Answer, read: Read) -> dict[str, list[str]]:
    """Returns the conditions for `--json` and SARIF: the facts that are assumed of a program, and
    the notes about absent files."""
    assumed = {"assumed_of_program": assumed_facts(answer)} if read.program else {}
    return assumed | ({"not_given": [*read.absent]} if read.absent else {})


def code_assumptions(answer: Answer) -> list[Assumption]:
    """Returns the assumptions that decide and that only the code of the application can show."""
    return [
        assumption
        for assumption in answer.assumed
        if assumption.component is Component.APPLICATION and assumption.setting in PROGRAM_FACTS
    ]


def assumed_facts(answer: Answer) -> list[str]:
    """Returns the names of these facts, as in `--json` and SARIF for a program that was read."""
    return [
        f"{assumption.component}.{assumption.setting}" for assumption in code_assumptions(answer)
    ]
