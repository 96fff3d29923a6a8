"""The runs of a Python program with example messages: with which numbers of messages, and which
results of its decisions."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Sequence

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function, parameters
from advisor.intake.programs.python.errors.outcome_names import is_outcome
from advisor.intake.programs.python.errors.returned_errors import assigned_names
from advisor.intake.programs.python.errors.sends import PRODUCERS
from advisor.intake.programs.python.processing.conditions import refusal_names
from advisor.intake.programs.python.processing.example_program import (
    NotRun,
    Program,
    first_value,
)
from advisor.intake.programs.python.processing.example_record import Failing, Record
from advisor.intake.programs.python.processing.example_run import ExampleRun

FEW = 7
_MOST_RUNS, _MANY, _POLLS = 40, 1_000, 4
_CALLBACKS = ("on_revoke", "on_lost")


def program_of(tree: ast.Module) -> Program:
    functions = [node for node in syntax.nodes(tree) if isinstance(node, Function)]
    names = [function.name for function in functions]
    by_name = {node.name: node for node in functions if names.count(node.name) == 1}
    callbacks = [by_name[name] for name in _callback_names(tree) if name in by_name]
    consumers = syntax.consumer_names(tree).union(
        *(parameters(function)[:2] for function in callbacks)
    )
    definitions = [node for node in syntax.nodes(tree) if isinstance(node, ast.ClassDef)]
    classes = {node.name: node for node in definitions}
    constants, (executors, _) = dict(_constants(tree, classes)), syntax.pool_names(tree)
    tested = frozenset(_tested_calls(tree))
    producers = syntax.names_created_by(tree, PRODUCERS)
    return Program(
        functions, by_name, classes, consumers, constants, executors, producers, callbacks, tested,
        refusal_names(tree),
    )  # fmt: skip


def _tested_calls(tree: ast.Module) -> Iterator[int]:
    """The ids of calls whose result is assigned to a name that a condition tests: `ok = save(m)`,
    then `if not ok:`; or `pairs = [(m, save(m)) for m in ms]`, then `for m, ok in pairs`."""
    nodes = [*syntax.nodes(tree)]
    names = set(_tested_names(nodes))
    loops = (node for node in nodes if isinstance(node, ast.For | ast.comprehension))
    tests_items = any(
        isinstance(loop.target, ast.Tuple) and names & syntax.names_in(loop.target)
        for loop in loops
    )  # fmt: skip
    for call, assigned in assigned_names(tree).items():
        if len(assigned) == 1 and assigned[0] in names:
            yield call
    for node in nodes if tests_items else ():
        if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load):
            yield from map(id, node.elts)


def _tested_names(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """The names whose truth a condition tests."""
    tests = [node.test for node in nodes if isinstance(node, ast.If | ast.IfExp | ast.While)]
    tests += [test for node in nodes if isinstance(node, ast.comprehension) for test in node.ifs]
    while tests:
        match tests.pop():
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                tests.append(operand)
            case ast.BoolOp(values=values):
                tests += values
            case ast.Name(name):
                yield name
            case ast.Attribute(value=ast.Name(name), attr=attr) if is_outcome(attr):
                yield name
            case _:
                pass


def _callback_names(tree: ast.Module) -> Iterator[str]:
    """The names of the functions that are called when partitions are revoked."""
    for call in syntax.calls(tree):
        for keyword in call.keywords:
            if keyword.arg in _CALLBACKS:
                yield ast.unparse(keyword.value).rpartition(".")[2]


def _constants(tree: ast.Module, classes: Container[str]) -> Iterator[tuple[str, ast.expr]]:
    """The numbers, the empty lists and the new objects with which the names of a module and the
    fields of its objects begin."""
    blocks = [("", tree.body)]
    for node in syntax.nodes(tree):
        if isinstance(node, ast.ClassDef):
            blocks.append(("self.", node.body))
        elif isinstance(node, ast.FunctionDef) and node.name == "__init__":
            blocks.append(("", node.body))
    for prefix, block in blocks:
        for node in block:
            targets = node.targets if isinstance(node, ast.Assign) else []
            targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
            given = getattr(node, "value", None)
            creates = isinstance(given, ast.Call) and syntax.method_name(given) in classes
            value = given if creates else first_value(given)
            if value:
                yield from ((prefix + ast.unparse(target), value) for target in targets)


def polling_scopes(tree: ast.Module, program: Program) -> list[Function | ast.Module]:
    """The module and the functions that poll, each if its own statements do."""
    return [
        scope for scope in [tree, *program.scopes]
        if any(isinstance(node, ast.Call) and program.polls(node)
               for part in scope.body for node in syntax.own_nodes(part))
    ]  # fmt: skip


def numbers_of_messages(tree: ast.Module, program: Program) -> Iterator[list[int]]:
    """The numbers of messages that polls return: so many that each buffer is filled once, and as
    many as a poll may return."""
    numbers = (node.value for node in syntax.nodes(tree) if isinstance(node, ast.Constant))
    largest = max((value for value in numbers if type(value) is int and value <= _MANY), default=0)
    counts = [
        count for call in syntax.calls(tree) if syntax.polls(call, program.consumers)
        if syntax.polls_many(call)
        for count in [*call.args[:1], *(word.value for word in call.keywords
                                        if word.arg == "num_messages")]
    ]  # fmt: skip
    if not counts:
        yield [1, 1, 0, *[1] * (max(largest, FEW) + _POLLS)]
        return
    name = ast.unparse(counts[0])
    value = getattr(program.constants.get(name, counts[0]), "value", None)
    count = value if type(value) is int and value > 0 else FEW
    program.constants.setdefault(name, ast.Constant(count))
    few = min(count, FEW)
    yield [few, few, 0, *[few] * (largest // few + _POLLS)]
    if count > FEW:
        yield [min(count, _MANY) - 3, count % 10 + 1, min(count, _MANY)]


def certain_facts(
    runs: Sequence[tuple[Record, dict[str, int]]], is_whole: bool
) -> Iterator[tuple[str, int]]:
    """Yields the facts that some result of the free decisions shows, whatever the others are. If
    not all runs are known, all of these must show a fact."""
    for run, shown in runs:
        free = {text: value for text, value in run.choices.items() if text in run.free and is_whole}
        similar = [
            facts for other, facts in runs
            if all(other.choices.get(text, value) == value for text, value in free.items())
        ]  # fmt: skip
        yield from ((fact, line) for fact, line in shown.items()
                    if all(fact in facts for facts in similar))  # fmt: skip


def all_runs(
    program: Program, scope: Function | ast.Module, polls: Sequence[int], rows: str = "",
    failing: Failing | None = None,
) -> tuple[list[Record], bool]:  # fmt: skip
    """Returns a run for each result of the decisions, and whether there are no others."""
    pending, runs = [dict[str, bool]()], list[Record]()
    while pending and len(runs) < _MOST_RUNS:
        fixed = pending.pop()
        run = Record(program, polls, dict(fixed), failing)
        try:
            ExampleRun(program, run).run(scope, rows)
        except (NotRun, RecursionError):
            return runs, False
        runs.append(run)
        texts = [text for text in run.choices if text not in fixed]
        for index, text in enumerate(texts):
            pending.append(fixed | dict.fromkeys(texts[:index], True) | {text: False})
    return runs, not pending
