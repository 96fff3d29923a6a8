"""What an answer rests on beside settings: a program's code, and what is not here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.catalog import Component
from advisor.intake.programs.code_facts import OF_CODE
from advisor.reasoning.answer import Answer
from advisor.reasoning.assumptions import Assumption


@dataclass(frozen=True, slots=True)
class Read:
    """What was read for an answer: whether code of a program, and the notes of files that are not
    here (`advisor.intake.absent_files`)."""

    program: bool = False
    absent: Sequence[str] = ()


def conditions(answer: Answer, read: Read) -> str:
    """What a yes goes as far as, in words; empty where it rests on nothing else."""
    parts = ["the program does what is assumed"] if read.program and of_code(answer) else []
    parts += ["what is not here states nothing else"] if read.absent else []
    return f", if {' and '.join(parts)}" if parts else ""


def as_data(answer: Answer, read: Read) -> dict[str, list[str]]:
    """The same as `--json` and SARIF have it: the facts that are assumed of a program, and the
    notes of what is not here."""
    assumed = {"assumed_of_program": assumed_of_program(answer)} if read.program else {}
    return assumed | ({"not_given": [*read.absent]} if read.absent else {})


def of_code(answer: Answer) -> list[Assumption]:
    """What is assumed, decides, and only the code of the application can show."""
    return [
        assumption
        for assumption in answer.assumed
        if assumption.component is Component.APPLICATION and assumption.setting in OF_CODE
    ]


def assumed_of_program(answer: Answer) -> list[str]:
    """The names of these facts, as `--json` and SARIF give them for a program that was read."""
    return [f"{assumption.component}.{assumption.setting}" for assumption in of_code(answer)]
