"""Exception handlers of a Python program that swallow the error of a message: they only log it, and
the program continues with the next message."""

from __future__ import annotations

import ast
from collections.abc import Container

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.errors import error_branches, error_handling, ignored_errors
from advisor.intake.programs.python.errors.flags import Flags
from advisor.intake.programs.python.processing.program_names import ProgramNames
from advisor.intake.programs.python.records.branch import Branch


class SwallowingHandlers:
    """Decides for the handlers of a program; `names` are those of the program."""

    def __init__(self, names: ProgramNames) -> None:
        self._names = names
        self._flags: dict[ast.AST, Flags] = {}

    def swallows(
        self, attempt: ast.Try, handler: ast.ExceptHandler, branch: Branch, scope: ast.AST,
        *, in_function: bool, is_checked: bool, leaves: Container[int],
    ) -> bool:  # fmt: skip
        """Whether a handler of a `try` swallows the error in one of its branches.

        `scope` is the function with the `try`, or the program. `in_function` says whether the
        reader followed a call into it, and `is_checked` whether the caller checks what it
        returns. `leaves` are the ids of statements that leave a loop only for a commit.
        """

        def commits(call: ast.Call) -> bool:
            only_logs = error_handling.only_logs_error(call, self._names.functions)
            only_logs = only_logs or (
                syntax.only_stores(call)
                and syntax.last_name_of_receiver(call) in self._names.unread_collections
            )
            return (
                only_logs
                or ignored_errors.seeks_past_message(call, handler)
                or self._names.commits(call, branch)
            )

        flags = self._flags.get(scope) or Flags(scope)
        self._flags[scope] = flags

        def is_swallowing(statements: list[ast.stmt]) -> bool:
            body = flags.without(attempt, statements, leaves, in_function=in_function)
            body = [
                statement
                for statement in body
                if syntax.target_dict(statement) not in self._names.unread_collections
            ]
            return syntax.only_logs_and_continues(
                body, commits, in_function=in_function, leaves=leaves
            )

        reports_error = is_checked and flags.tells(attempt, handler)
        return not reports_error and any(
            map(is_swallowing, error_branches.branches(handler, attempt))
        )
