"""The functions, consumers, queues, pools and HTTP sessions of a Python program, by name, and the
calls that poll or commit with them."""

from __future__ import annotations

import ast

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function
from advisor.intake.programs.python.errors import error_handling, ignored_errors, responses
from advisor.intake.programs.python.errors.flags import returns_success
from advisor.intake.programs.python.errors.retained_buffers import keeps_its_buffer
from advisor.intake.programs.python.normal_form.aliases import callee, last_name, stand_ins
from advisor.intake.programs.python.records.branch import Branch
from advisor.intake.programs.python.records.polled import returns_message, takes_next_message


class ProgramNames:
    """The names of a program that its poll loops use."""

    def __init__(self, tree: ast.Module) -> None:
        self.functions = error_handling.functions_of_file(tree)
        self._stand_ins = stand_ins(tree, self.functions)
        self.fields = error_handling.fields_holding_arguments(tree)
        self.consumers = syntax.consumer_names(tree)
        self.queues = syntax.queue_names(tree)
        self.pools, self.task_groups = syntax.pool_names(tree)
        self.sessions = responses.http_sessions(tree)
        by_name = error_handling.functions_by_name
        self.sources = by_name(self.functions, returns_message, self.consumers)
        """The functions that poll and return the message."""
        self.single_polls = by_name(self.functions, error_handling.polls_once, self.consumers)
        self.success_functions = {
            name for name in by_name(self.functions, returns_success)
            if not keeps_its_buffer(tree, self.functions[name])
        }  # fmt: skip
        self.called_in_loops = error_handling.called_in_loops(tree)
        methods = {syntax.method_name(call) for call in syntax.calls(tree)}
        self.stores_offsets = "store_offsets" in methods
        self.awaits_futures = syntax.awaits_by_name(tree)
        self.unread_collections = syntax.unread_collections(tree)
        self.commits_transactions = "commit_transaction" in methods
        self.sends_offsets = "send_offsets_to_transaction" in methods

    def possible_functions(self, name: str) -> list[Function]:
        """The functions of the file that a name may refer to."""
        function = self.functions.get(name)
        return [function] if function else self._stand_ins.get(name, [])

    def functions_of(self, call: ast.Call) -> list[Function]:
        """The functions of the file that a call may run."""
        return self.possible_functions(callee(call))

    def polls(self, call: ast.Call) -> bool:
        """Whether a call polls a consumer, or is of a function that does and returns the
        message."""
        is_source = syntax.method_name(call) in self.sources
        return (is_source and syntax.receiver(call) in ("", "self")) or syntax.polls(
            call, self.consumers
        )

    def is_request(self, call: ast.Call) -> bool:
        """Whether a call is an HTTP request."""
        return responses.is_request(call, self.sessions)

    def iterates_poll(self, loop: ast.For | ast.AsyncFor | ast.While, branch: Branch) -> bool:
        """Whether a loop is over the messages of one poll."""
        if isinstance(loop, ast.While):
            return any(takes_next_message(call, branch.names) for call in syntax.calls(loop))
        calls = [*syntax.calls(loop.iter)]
        yields = any(syntax.method_name(call) in self.sources for call in calls)
        polls = any(map(self.polls, calls))
        return (polls and not yields) or bool(syntax.names_in(loop.iter) & branch.names)

    def poll_in_arguments(self, call: ast.Call) -> ast.Call | None:
        """The poll that is an argument of a call, as in `handle(consumer.poll())`."""
        arguments = (value for value in call.args if isinstance(value, ast.Call))
        return next(filter(self.polls, arguments), None)

    def commits(self, call: ast.Call, branch: Branch) -> bool:
        """Whether a call commits the offset after the last polled message."""
        if (
            syntax.method_name(call) not in syntax.COMMITS
            or syntax.receiver(call) not in self.consumers
        ):
            return False
        arguments = syntax.commit_argument(call)
        if not arguments:
            return syntax.method_name(call) == "commit" and not self.stores_offsets
        return any(ignored_errors.is_after_message(value, branch.names) for value in arguments)

    def commits_in_callback(self, call: ast.Call, branch: Branch) -> bool:
        """Whether a call adds a callback that commits the message without a check of its result."""
        return any(
            self.commits(inner, branch) and not ignored_errors.checks_future(function)
            for value in ignored_errors.done_callbacks(call)
            for function in [value, *self.possible_functions(last_name(value))]
            for inner in syntax.calls(function)
        )
