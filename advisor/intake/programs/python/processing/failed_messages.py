"""Messages that a Python program cannot process, and without which it continues.

A poll moves the position past all messages that it returns, whatever happens to them, and the next
commit covers them (confluent-kafka, Consumer.poll and commit). The program is run with messages
that fail (`example_run`): with one, and with all of a poll; at each attempt, and once only. A
program that collects what failed, as in `failed = [m for m in messages if not save(m)]`, is also
run with calls that return that they failed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from advisor.intake.programs.facts import BEFORE, CLOSE, SKIP
from advisor.intake.programs.python.clients import Function
from advisor.intake.programs.python.errors.outcome_names import FAILURES
from advisor.intake.programs.python.processing.example_program import Program
from advisor.intake.programs.python.processing.example_record import Failing, Record
from advisor.intake.programs.python.processing.example_runs import FEW, all_runs, certain_facts

_MOST_CALLS = 3


def failed_messages(
    program: Program, scope: Function | ast.Module, polls: Sequence[int], rows: str = ""
) -> dict[str, int]:
    """Returns that the program goes on without a message that a call cannot process, or commits
    past it before it is processed again: a constant of `programs.facts`, with the call's line."""
    runs, _ = all_runs(program, scope, polls, rows, Failing(frozenset(), is_lasting=False))
    known = set[str]().union(*(run.calls for run in runs))
    failures = [*_failing(polls, runs)]
    if _collects_failures(program, scope):
        failures += [replace(failing, is_returned=True) for failing in failures]
    for failing in failures:
        failed, is_whole = all_runs(program, scope, polls, rows, failing)
        shown = [(run, _facts(run, known, are_rows=bool(rows))) for run in failed]
        if facts := dict(certain_facts(shown, is_whole)):
            return facts
    return {}


def _failing(polls: Sequence[int], runs: Sequence[Record]) -> Iterator[Failing]:
    """The messages that fail in a run."""
    polled = frozenset(range(polls[0]))
    most = max((run.calls_with_message for run in runs), default=0)
    second = [frozenset({1})] if len(polled) <= FEW else []
    for offsets in [*second, polled] if len(polled) > 1 else second:
        for is_lasting in (True, False):
            for calls in range(min(most, _MOST_CALLS)):
                yield Failing(offsets, is_lasting, calls)


def _collects_failures(program: Program, scope: Function | ast.Module) -> bool:
    """Whether the program assigns a name of what holds the messages that failed."""
    return any(
        isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store)
        and FAILURES.fullmatch(program.text(node).rpartition(".")[2])
        for part in (scope, *program.scopes) for node in ast.walk(part)
    )  # fmt: skip


def _facts(run: Record, known: set[str], *, are_rows: bool) -> dict[str, int]:
    """Whether a run shows that a message is skipped. Nothing is certain after a call that no run
    without a failure makes. A query takes its rows as done when the function returns, whatever
    names hold."""
    if run.calls_after_failure - known:
        return {}
    for offset, (_, line) in run.failed.items():
        is_past = run.is_done if are_rows else offset in run.covered or run.is_stopped
        is_held = not are_rows and offset in run.held
        if is_past and offset not in run.handled and not is_held:
            return {SKIP: line}
        if offset in run.covered:
            return {BEFORE: line}
        if run.closed and not is_past and offset not in run.handled:
            return {CLOSE: run.closed}
    return {}
