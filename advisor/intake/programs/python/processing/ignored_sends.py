"""Sends that fail, after which a Python program goes on as if the message had been sent.

The program is run with sends that fail (`example_run`): their callbacks learn of it at the next
`poll`, or only when the producer is flushed.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence

from advisor.intake.programs.facts import IGNORED
from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function
from advisor.intake.programs.python.errors.sends import commits_transactions, send_callbacks
from advisor.intake.programs.python.processing.example_program import Program
from advisor.intake.programs.python.processing.example_record import Failing, Record
from advisor.intake.programs.python.processing.example_runs import (
    all_runs,
    certain_facts,
    numbers_of_messages,
    polling_scopes,
    program_of,
)

_MAX_ROOTS, _MAX_DEPTH = 12, 4


def ignored_sends(tree: ast.Module) -> dict[str, int]:
    """Returns whether the program ignores a send that fails: `IGNORED`, with the line of the
    send."""
    sends = [call for call in syntax.calls(tree) if send_callbacks(call)]
    if not sends or _may_check_elsewhere(tree):
        return {}
    program = program_of(tree)
    if not any(map(program.sends, sends)):
        return {}
    if program.consumers:
        commits = any(syntax.is_commit(call) for call in syntax.calls(tree))
        shapes = [*numbers_of_messages(tree, program)]
        for scope, polls in itertools.product(polling_scopes(tree, program), shapes):
            if facts := _facts(program, scope, polls, commits=commits):
                return facts
        return {}
    for scope in _roots(tree, program):
        is_whole = scope is tree and _gives_up(tree)
        if facts := _facts(program, scope, (), is_whole=is_whole):
            return facts
    return {}


def _may_check_elsewhere(tree: ast.Module) -> bool:
    """Whether a transaction, or a callback in the settings, learns of a send that fails."""
    keys = (key for node in syntax.nodes(tree) if isinstance(node, ast.Dict) for key in node.keys)
    return commits_transactions(tree) or any(
        isinstance(key, ast.Constant) and key.value == "on_delivery" for key in keys
    )


def _gives_up(tree: ast.Module) -> bool:
    """Whether a program may end while sends are pending: it waits for them with a timeout, and
    neither a `with` block nor another function flushes the producer."""
    flushes = [call for call in syntax.calls(tree) if syntax.method_name(call) == "flush"]
    called = {id(call.func) for call in flushes}
    if all(map(syntax.waits_for_all, flushes)):
        return False
    return not any(
        (isinstance(node, ast.Attribute) and node.attr == "flush" and id(node) not in called)
        or (isinstance(node, ast.withitem)
            and syntax.method_name(node.context_expr).endswith("Producer"))
        for node in syntax.nodes(tree)
    )  # fmt: skip


def _roots(tree: ast.Module, program: Program) -> Iterator[Function | ast.Module]:
    """Yields the module if it sends, directly or through calls, and the functions that send and
    that no other function of the file calls."""
    functions = program.functions
    calls = {name: {syntax.method_name(call) for call in syntax.calls(function)}
             for name, function in functions.items()}  # fmt: skip
    sending = {name for name, called in calls.items() if "produce" in called}
    for _ in range(_MAX_DEPTH):
        sending |= {name for name, called in calls.items() if called & sending}
    own = [node for node in tree.body if not isinstance(node, Function | ast.ClassDef)]
    called = {syntax.method_name(call) for node in own for call in syntax.calls(node)}
    if called & {*sending, "produce"}:
        yield tree
    uncalled = sorted(sending - called.union(*calls.values()))
    yield from (functions[name] for name in uncalled[:_MAX_ROOTS])


def _facts(
    program: Program,
    scope: Function | ast.Module,
    polls: Sequence[int],
    *,
    commits: bool = False,
    is_whole: bool = False,
) -> dict[str, int]:
    """Whether runs with sends that fail show that the program ignores one."""
    for offsets in [frozenset({0}), frozenset({1}), *(frozenset(range(n)) for n in polls[:1])]:
        for is_late in (False, True):
            failing = Failing(offsets, is_lasting=True, is_sent=True, is_late=is_late)
            runs, are_all = all_runs(program, scope, polls, failing=failing)
            shown = [
                (run, _ignored(run, polls, commits=commits, is_whole=is_whole)) for run in runs
            ]
            if facts := dict(certain_facts(shown, are_all)):
                return facts
    return {}


def _ignored(run: Record, polls: Sequence[int], *, commits: bool, is_whole: bool) -> dict[str, int]:
    for offset, (_, line) in run.failed.items():
        is_past = run.is_done
        if polls:
            # a commit is enough: an error that is raised after it does not bring the message back
            is_past = offset in run.covered or (run.is_stopped and not commits)
        is_reported = offset not in run.unreported or is_whole
        if is_past and is_reported and offset not in run.handled:
            return {IGNORED: line}
    return {}
