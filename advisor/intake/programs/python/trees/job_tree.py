"""A Python program that only sends, as a tree for the simulation (`programs.simulation`): it sends
its arguments or the data that it reads, and ends.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress

from advisor.intake.programs import simulation
from advisor.intake.programs.facts import IGNORED
from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function
from advisor.intake.programs.python.errors import error_handling
from advisor.intake.programs.python.trees import loop_tree
from advisor.intake.programs.python.trees.send_tree import Sends
from advisor.intake.programs.trees import Block, Call, Condition, Flush, ForEach, Jump, Unclear

_MAX_ROOTS, _MAX_DEPTH = 12, 4
_EXIT_FUNCTIONS = frozenset({"exit", "_exit", "quit"})
_MAIN_CHECK = "__name__ == '__main__'"


def ignored_send_error(tree: ast.Module) -> int:
    """The line where a program ignores a failed send and runs on to its end; 0 if there is none."""
    functions = error_handling.functions_of_file(tree)
    sends = Sends(tree, functions)
    for body, is_whole in _roots(tree, functions):
        with suppress(Unclear):
            reader = _Reader(sends, functions)
            if facts := simulation.ignored_send_errors(reader.block(body), is_whole=is_whole):
                return facts[IGNORED]
    return 0


def _roots(
    tree: ast.Module, functions: dict[str, Function]
) -> Iterator[tuple[list[ast.stmt], bool]]:
    """Yields the bodies that send, directly or through calls, and that no other function of the
    file calls; and whether the program ends with the body."""
    calls = {name: {syntax.method_name(call) for call in syntax.calls(function)}
             for name, function in functions.items()}  # fmt: skip
    sending = {name for name, called in calls.items() if "produce" in called}
    for _ in range(_MAX_DEPTH):
        sending |= {name for name, called in calls.items() if called & sending}
    module_body = [node for node in tree.body if not isinstance(node, Function | ast.ClassDef)]
    called = {syntax.method_name(call) for node in module_body for call in syntax.calls(node)}
    if called & {*sending, "produce"}:
        yield module_body, True
    uncalled = sorted(sending - called.union(*calls.values()))
    yield from ((functions[name].body, False) for name in uncalled[:_MAX_ROOTS])


class _Reader(loop_tree.Reader):
    """Reads a function that sends. Its other statements do not matter, unless they may handle a
    failed send."""

    def __init__(self, sends: Sends, functions: dict[str, Function]) -> None:
        super().__init__(sends, set(), functions)

    def _statement(self, node: ast.stmt) -> Block:
        if isinstance(node, ast.Assert):
            raise Unclear
        return super()._statement(node)

    def _assignment(self, name: str, value: ast.expr) -> Block:
        if isinstance(value, ast.Call) and (flush := self._flush(value)):
            self._sends.add_flush_result(name)
            return flush
        return self._expression(value, is_alone=False)

    def _expression(self, value: ast.expr, *, is_alone: bool) -> Block:
        if (
            isinstance(value, ast.Call)
            and (statements := self._sends.producer_call(value)) is not None
        ):
            return statements
        names = {syntax.method_name(call) for call in syntax.calls(value)}
        is_exit = isinstance(value, ast.Call) and syntax.method_name(value) in _EXIT_FUNCTIONS
        if is_exit and names <= {*_EXIT_FUNCTIONS, "len", "str", "join"}:
            return [Jump("exit")]
        if self._sends.uses_errors(value):
            raise Unclear
        if isinstance(value, ast.Call) and syntax.method_name(value) in self._functions:
            return [self._call(value)]
        calls = [*syntax.calls(value)]
        if any(syntax.method_name(call) in self._functions for call in calls):
            raise Unclear
        if self._sends.uses_producer(value):
            raise Unclear
        is_log = isinstance(value, ast.Call) and syntax.is_log(value)
        if self._handling and calls and not is_log:
            raise Unclear  # it may handle the error of a message
        return []

    def _call(self, call: ast.Call) -> Call:
        function = self._functions[syntax.method_name(call)]
        is_plain = isinstance(function, ast.FunctionDef) and not function.decorator_list
        if self._depth == _MAX_DEPTH or not is_plain:
            raise Unclear
        before, self._depth, self._handling = self._handling, self._depth + 1, False
        body = self.block(function.body)
        self._handling, self._depth = before, self._depth - 1
        return Call(body)

    def _condition(self, test: ast.expr) -> Condition:
        if ast.unparse(test) == _MAIN_CHECK:
            return Condition(True)
        if condition := self._sends.condition(test):
            return condition
        if any(syntax.method_name(call) in self._functions for call in syntax.calls(test)):
            raise Unclear
        return Condition()

    def _loop(self, node: ast.For | ast.While) -> Block:
        if isinstance(node, ast.While) and (isinstance(node.test, ast.Constant) or node.orelse):
            raise Unclear
        if isinstance(node, ast.While) and self._checks_flush(node.test):
            return [Flush()]
        if isinstance(node, ast.For) and syntax.method_name(node.iter) == "range":
            return super()._loop(node)
        head = self._expression(
            node.iter if isinstance(node, ast.For) else node.test, is_alone=False
        )
        body, orelse = self.block(node.body), self.block(node.orelse)
        return [*head, ForEach(body, orelse=orelse)] if body or orelse else [*head]

    def _checks_flush(self, test: ast.expr) -> bool:
        condition = self._sends.condition(test)
        return condition is not None and condition.is_unsent
