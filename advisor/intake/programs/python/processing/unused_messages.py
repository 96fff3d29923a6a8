"""Messages of a poll that a Python program never uses, or commits before it uses them.

`consume()` moves the position past all the messages that it returns, and a commit without arguments
commits that position (confluent-kafka, Consumer.consume and commit). The program is run with a few
messages (`example_run`), with each result of the decisions that are unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from advisor.intake.programs.facts import BEFORE, SKIP
from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function, parameters
from advisor.intake.programs.python.processing.example_program import NotRun, Program
from advisor.intake.programs.python.processing.example_run import ExampleRun

_MOST_RUNS, _FEW, _ROWS, _MANY, _POLLS = 40, 7, 997, 1_000, 4
_CALLBACKS = ("on_revoke", "on_lost")
_LISTS = frozenset({"list", "deque", "set"})


@dataclass(slots=True)
class UnusedMessages:
    """What a program does with messages that it does not use: constants of `programs.facts`, each
    with its line."""

    facts: dict[str, int] = field(default_factory=dict)
    lists: frozenset[str] = frozenset()
    """The names of lists of which everything is known: all code that polls could be run."""

    @classmethod
    def of(cls, tree: ast.Module) -> UnusedMessages:
        """Runs the module and each function that polls."""
        program, unused = _program(tree), cls()
        for scope in [tree, *(node for node in syntax.nodes(tree) if isinstance(node, Function))]:
            nodes = [node for part in scope.body for node in syntax.own_nodes(part)]
            if not any(isinstance(node, ast.Call) and program.polls(node) for node in nodes):
                continue
            unused.lists = frozenset(_list_names(tree))
            for polls in _polls(tree, program):
                runs, is_whole = _runs(program, scope, polls)
                polling = [(run, _facts(run)) for run in runs if len(run.polled) > 1]
                for fact, line in _certain_facts(polling, is_whole):
                    unused.facts.setdefault(fact, line)
                if not is_whole:
                    unused.lists = frozenset()
                    return unused
        return unused


def line_of_unused_rows(tree: ast.Module, function: Function, name: str) -> int:
    """The line of a function that ends without the use of some of the rows that it takes under a
    name; 0 if it uses all."""
    program = _program(tree)
    for count in (_FEW, _ROWS):
        runs, is_whole = _runs(program, function, [count], name)
        done = [run for run in runs if run.is_done]
        for fact, line in _certain_facts([(run, _unused_rows(run)) for run in done], is_whole):
            return line if fact == SKIP else 0
    return 0


def _unused_rows(run: ExampleRun) -> dict[str, int]:
    (offsets, line) = run.polled[0]
    return {SKIP: line} if run.used and not (run.used | run.submitted).issuperset(offsets) else {}


def _program(tree: ast.Module) -> Program:
    functions = [node for node in syntax.nodes(tree) if isinstance(node, Function)]
    names = [function.name for function in functions]
    by_name = {node.name: node for node in functions if names.count(node.name) == 1}
    callbacks = [by_name[name] for name in _callback_names(tree) if name in by_name]
    consumers = syntax.consumer_names(tree).union(
        *(parameters(function)[:2] for function in callbacks)
    )
    return Program(by_name, consumers, dict(_constants(tree)), callbacks)


def _callback_names(tree: ast.Module) -> Iterator[str]:
    """The names of the functions that are called when partitions are revoked."""
    for call in syntax.calls(tree):
        for keyword in call.keywords:
            if keyword.arg in _CALLBACKS:
                yield ast.unparse(keyword.value).rpartition(".")[2]


def _constants(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """The numbers and the empty lists with which the names of a module and the fields of its
    objects begin."""
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
            value = _constant(getattr(node, "value", None))
            if value:
                yield from ((prefix + ast.unparse(target), value) for target in targets)


def _list_names(tree: ast.Module) -> Iterator[str]:
    """The names to which a program assigns an empty list."""
    for node in syntax.nodes(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(
            _constant(node.value), ast.List
        ):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from map(ast.unparse, targets)


def _constant(value: ast.expr | None) -> ast.expr | None:
    """A number or an empty list; None for any other value."""
    match value:
        case ast.Constant(value=int() | None) | ast.List(elts=[]):
            return value
        case ast.Call(args=arguments, keywords=words) if syntax.method_name(value) in _LISTS:
            is_empty = not arguments and all(word.arg == "maxlen" for word in words)
            return ast.List([], ast.Load()) if is_empty else None
        case ast.Call(keywords=[ast.keyword(arg="default_factory", value=ast.Name("list"))]):
            return ast.List([], ast.Load())
        case _:
            return None


def _polls(tree: ast.Module, program: Program) -> Iterator[list[int]]:
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
        yield [1, 1, 0, *[1] * (max(largest, _FEW) + _POLLS)]
        return
    name = ast.unparse(counts[0])
    value = getattr(program.constants.get(name, counts[0]), "value", None)
    count = value if type(value) is int and value > 0 else _FEW
    program.constants.setdefault(name, ast.Constant(count))
    few = min(count, _FEW)
    yield [few, few, 0, *[few] * (largest // few + _POLLS)]
    if count > _FEW:
        yield [min(count, _MANY) - 3, count % 10 + 1, min(count, _MANY)]


def _certain_facts(
    runs: Sequence[tuple[ExampleRun, dict[str, int]]], is_whole: bool
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


def _runs(
    program: Program, scope: Function | ast.Module, polls: Sequence[int], rows: str = ""
) -> tuple[list[ExampleRun], bool]:
    """Returns a run for each result of the decisions, and whether there are no others."""
    pending, runs = [dict[str, bool]()], list[ExampleRun]()
    while pending and len(runs) < _MOST_RUNS:
        fixed = pending.pop()
        run = ExampleRun(program, polls, dict(fixed))
        try:
            run.run(scope, rows)
        except (NotRun, RecursionError):
            return runs, False
        runs.append(run)
        texts = [text for text in run.choices if text not in fixed]
        for index, text in enumerate(texts):
            pending.append(fixed | dict.fromkeys(texts[:index], True) | {text: False})
    return runs, not pending


def _facts(run: ExampleRun) -> dict[str, int]:
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
