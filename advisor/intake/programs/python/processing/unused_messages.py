"""Messages of a poll that a Python program never uses, or commits before it uses them.

`consume()` moves the position past all the messages that it returns, and a commit without arguments
commits that position (confluent-kafka, Consumer.consume and commit). The program is run with a few
messages (`example_run`), with each result of the decisions that are unknown.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

from advisor.intake.programs.facts import BEFORE, SKIP
from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function
from advisor.intake.programs.python.processing.example_program import first_value
from advisor.intake.programs.python.processing.example_record import Record
from advisor.intake.programs.python.processing.example_runs import (
    FEW,
    all_runs,
    certain_facts,
    numbers_of_messages,
    polling_scopes,
    program_of,
)
from advisor.intake.programs.python.processing.failed_messages import failed_messages

_ROWS, _SOME_ROWS = 997, 97


@dataclass(slots=True)
class UnusedMessages:
    """What a program does with messages that it does not use: constants of `programs.facts`, each
    with its line."""

    facts: dict[str, int] = field(default_factory=dict)
    lists: frozenset[str] = frozenset()
    """The names of lists, and of objects that may hold lists, of which everything is known: all
    code that polls could be run."""

    @classmethod
    def of(cls, tree: ast.Module) -> UnusedMessages:
        """Runs the module and each function that polls."""
        program, unused = program_of(tree), cls()
        objects, others, are_whole = set(_list_names(tree)), set[str](), False
        scopes = polling_scopes(tree, program)
        shapes = [*numbers_of_messages(tree, program)]
        for scope, polls in itertools.product(scopes, shapes):
            runs, are_whole = all_runs(program, scope, polls)
            objects = objects.union(*(run.objects for run in runs))
            others = others.union(*(run.other_objects for run in runs))
            polling = [(run, _facts(run)) for run in runs if len(run.polled) > 1]
            for fact, line in certain_facts(polling, are_whole):
                unused.facts.setdefault(fact, line)
            if not are_whole:
                break
        unused.lists = frozenset(objects - others) if are_whole else frozenset()
        program.steps = 0
        for scope, polls in itertools.product(scopes, shapes):
            unused.facts = failed_messages(program, scope, polls) | unused.facts
        return unused


def line_of_unused_rows(tree: ast.Module, function: Function, name: str) -> int:
    """The line of a function that ends without the use of some of the rows that it takes under a
    name; 0 if it uses all."""
    program = program_of(tree)
    for count in (FEW, _ROWS):
        runs, is_whole = all_runs(program, function, [count], name)
        done = [run for run in runs if run.is_done]
        for fact, line in certain_facts([(run, _unused_rows(run)) for run in done], is_whole):
            return line if fact == SKIP else 0
    return 0


def line_of_failed_rows(tree: ast.Module, function: Function, name: str) -> int:
    """The line of a call that cannot process a row, after which a function ends without it; 0 if
    there is none."""
    program = program_of(tree)
    facts = (failed_messages(program, function, [count], name) for count in (FEW, _SOME_ROWS))
    return next((line for shown in facts for line in shown.values()), 0)


def _unused_rows(run: Record) -> dict[str, int]:
    (offsets, line) = run.polled[0]
    return {SKIP: line} if run.used and not (run.used | run.submitted).issuperset(offsets) else {}


def _facts(run: Record) -> dict[str, int]:
    """What a run does with the messages that it does not use, or uses after a commit."""
    facts = dict[str, int]()
    if not run.used:
        return facts  # the program reads its messages elsewhere, or only counts them
    for offsets, line in run.polled[:-1]:
        if not run.held.union(run.used, run.submitted).issuperset(offsets):
            facts.setdefault(SKIP, line)
    for offset, line in run.committed.items():
        if offset in run.used or (offset in run.held and SKIP not in facts):
            facts.setdefault(BEFORE, line)
        elif offset not in run.held | run.submitted:
            facts.setdefault(SKIP, line)
    return facts


def _list_names(tree: ast.Module) -> Iterator[str]:
    """The names to which a program assigns an empty list."""
    for node in syntax.nodes(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(
            first_value(node.value), ast.List
        ):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from map(ast.unparse, targets)
