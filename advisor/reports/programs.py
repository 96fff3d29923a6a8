"""What an answer rests on where the code of a program was read for it."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.intake.programs.code_facts import OF_CODE
from advisor.reasoning.answer import Answer
from advisor.reasoning.assumptions import Assumption


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
