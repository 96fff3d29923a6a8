"""A Python program that only sends, as a tree that can be played (`programs.simulation`): it sends
what it was given or reads somewhere, and ends.
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

_MOST_ROOTS, _DEEPEST = 12, 4
_EXITS = frozenset({"exit", "_exit", "quit"})
_IS_MAIN = "__name__ == '__main__'"


def ignored_send_error(tree: ast.Module) -> int:
    """The line where a program goes on to its end without a message whose send fails; 0 if there
    is none."""
    functions = error_handling.functions_of_file(tree)
    sends = Sends(tree, functions)
    for body, is_whole in _roots(tree, functions):
        with suppress(Unclear):
            reader = _Reader(sends, functions)
            if found := simulation.ignored_send_errors(reader.block(body), is_whole=is_whole):
                return found[IGNORED]
    return 0


def _roots(
    tree: ast.Module, functions: dict[str, Function]
) -> Iterator[tuple[list[ast.stmt], bool]]:
    """What sends, itself or by others, and is not called by another function of the file; and
    whether the program ends with it."""
    calls = {name: {syntax.method_name(call) for call in syntax.calls(function)}
             for name, function in functions.items()}  # fmt: skip
    sending = {name for name, called in calls.items() if "produce" in called}
    for _ in range(_DEEPEST):
        sending |= {name for name, called in calls.items() if called & sending}
    top = [node for node in tree.body if not isinstance(node, Function | ast.ClassDef)]
    called = {syntax.method_name(call) for node in top for call in syntax.calls(node)}
    if called & {*sending, "produce"}:
        yield top, True
    others = sorted(sending - called.union(*calls.values()))
    yield from ((functions[name].body, False) for name in others[:_MOST_ROOTS])


class _Reader(loop_tree.Reader):
    """Reads a function that sends. What else it does does not matter, unless it may be what is
    done about a send that failed."""

    def __init__(self, sends: Sends, functions: dict[str, Function]) -> None:
        super().__init__(sends, set(), functions)

    def _statement(self, node: ast.stmt) -> Block:
        if isinstance(node, ast.Assert):
            raise Unclear
        return super()._statement(node)

    def _assigned(self, name: str, value: ast.expr) -> Block:
        if isinstance(value, ast.Call) and (flushed := self._flush(value)):
            self._sends.left(name)
            return flushed
        return self._expression(value, is_alone=False)

    def _expression(self, value: ast.expr, *, is_alone: bool) -> Block:
        if isinstance(value, ast.Call) and (sent := self._sends.of(value)) is not None:
            return sent
        if self._sends.is_used(value):
            raise Unclear
        if isinstance(value, ast.Call):
            if syntax.method_name(value) in _EXITS:
                return [Jump("exit")]
            if syntax.method_name(value) in self._functions:
                return [self._called(value)]
        calls = [*syntax.calls(value)]
        if any(syntax.method_name(call) in self._functions for call in calls):
            raise Unclear
        if self._sends.are_served(value):
            raise Unclear
        is_log = isinstance(value, ast.Call) and syntax.is_log(value)
        if self._decides and calls and not is_log:
            raise Unclear  # it may be what is done with a message that fails
        return []

    def _called(self, call: ast.Call) -> Call:
        function = self._functions[syntax.method_name(call)]
        is_plain = isinstance(function, ast.FunctionDef) and not function.decorator_list
        if self._depth == _DEEPEST or not is_plain:
            raise Unclear
        before, self._depth, self._decides = self._decides, self._depth + 1, False
        body = self.block(function.body)
        self._decides, self._depth = before, self._depth - 1
        return Call(body)

    def _condition(self, test: ast.expr) -> Condition:
        if ast.unparse(test) == _IS_MAIN:
            return Condition(True)
        if asked := self._sends.asked(test):
            return asked
        if any(syntax.method_name(call) in self._functions for call in syntax.calls(test)):
            raise Unclear
        return Condition()

    def _loop(self, node: ast.For | ast.While) -> Block:
        if isinstance(node, ast.While) and (isinstance(node.test, ast.Constant) or node.orelse):
            raise Unclear
        if isinstance(node, ast.While) and self._is_flush(node.test):
            return [Flush()]
        if isinstance(node, ast.For) and syntax.method_name(node.iter) == "range":
            return super()._loop(node)
        head = self._expression(
            node.iter if isinstance(node, ast.For) else node.test, is_alone=False
        )
        body, behind = self.block(node.body), self.block(node.orelse)
        return [*head, ForEach(body, behind=behind)] if body or behind else [*head]

    def _is_flush(self, test: ast.expr) -> bool:
        asked = self._sends.asked(test)
        return asked is not None and asked.is_left
