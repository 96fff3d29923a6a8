"""Exception handlers of a Python program that swallow the error of a message: they only log it, and
the program continues with the next message."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Sequence

from advisor.intake.programs.facts import CLOSE, SKIP
from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.errors import (
    error_branches,
    error_handling,
    ignored_errors,
    returned_errors,
)
from advisor.intake.programs.python.errors.flags import Flags
from advisor.intake.programs.python.errors.retained_buffers import keeps_buffer
from advisor.intake.programs.python.errors.returned_errors import CallResult
from advisor.intake.programs.python.processing.program_names import ProgramNames
from advisor.intake.programs.python.records.branch import Branch


class SwallowingHandlers:
    """Decides for the handlers of a program; `names` are those of the program."""

    def __init__(self, tree: ast.AST, names: ProgramNames) -> None:
        self._tree, self._names = tree, names
        self._assigned_names = returned_errors.assigned_names(tree)
        self._closing = set[str]() if names.stores_offsets else {*names.consumers}
        self._flags: dict[ast.AST, Flags] = {}

    def finally_facts(
        self, body: Sequence[ast.stmt], branch: Branch, in_function: bool
    ) -> Iterator[tuple[str, int]]:
        """Yields what a `finally` block, which also runs after an error, does with the message:
        constants of `programs.facts`, each with its line."""
        yield SKIP, ignored_errors.finally_drops_error(body, in_function=in_function)
        for call in (call for node in body for call in syntax.calls(node)):
            if self._names.commits(call, branch):
                yield SKIP, call.lineno
            elif syntax.method_name(call) == "close" and syntax.receiver(call) in self._closing:
                yield CLOSE, call.lineno

    def result(
        self, call: ast.Call, scope: ast.AST, *, is_used: bool, in_function: bool
    ) -> CallResult:
        """What a scope does with the result of a call."""
        names = self._assigned_names.get(id(call), ())
        return CallResult(is_used, names, self._flags_of(scope), in_function)

    def _flags_of(self, scope: ast.AST) -> Flags:
        flags = self._flags.get(scope) or Flags(scope)
        self._flags[scope] = flags
        return flags

    def only_logs(self, call: ast.Call) -> bool:
        """Whether a call is to a function that only logs, or stores what nothing reads."""
        return error_handling.only_logs_error(call, self._names.functions_of) or (
            syntax.only_stores(call)
            and syntax.last_name_of_receiver(call) in self._names.unread_collections
        )

    def is_harmless(self, call: ast.Call) -> bool:
        """Whether a call only logs, or commits."""
        return syntax.is_commit(call) or self.only_logs(call)

    def swallows(
        self, attempt: ast.Try, handler: ast.ExceptHandler, branch: Branch, scope: ast.AST,
        *, in_function: bool, result: CallResult, leaves: Container[int], in_retry: bool,
    ) -> bool:  # fmt: skip
        """Whether a handler of a `try` swallows the error in one of its branches.

        `scope` is the function with the `try`, or the program. `in_function` says whether the
        reader followed a call into it, and `result` what the caller does with what it returns.
        `leaves` are the ids of statements that leave a loop only for a commit. `in_retry` says
        that the program counts the attempts for one message.
        """

        def commits(call: ast.Call) -> bool:
            return (
                self.only_logs(call)
                or _calls_itself(call, scope)
                or ignored_errors.seeks_past_message(call, handler)
                or self._names.commits(call, branch)
            )

        flags = self._flags_of(scope)

        def is_swallowing(statements: list[ast.stmt]) -> bool:
            body = flags.without(
                attempt, statements, leaves, in_function=in_function, in_retry=in_retry
            )
            body = [
                statement
                for statement in body
                if syntax.target_dict(statement) not in self._names.unread_collections
            ]
            return syntax.only_logs_and_continues(
                body, commits, in_function=in_function, leaves=leaves
            )

        if keeps_buffer(self._tree, scope, attempt, handler):
            return False
        reports_error = returned_errors.reports_error(scope, attempt, handler, flags, result)
        return not reports_error and any(
            map(is_swallowing, error_branches.branches(handler, attempt))
        )


def _calls_itself(call: ast.Call, scope: ast.AST) -> bool:
    """Whether a function calls itself, which is another attempt."""
    return syntax.method_name(call) == getattr(scope, "name", None)
