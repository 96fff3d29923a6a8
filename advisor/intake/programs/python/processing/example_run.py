"""Runs a part of a Python program with example messages, to see which of them it uses.

A message is used where it is an argument of a call whose effect is not known, or decides something.
Code that is not understood uses all messages that it names. Nothing of the program is executed:
only lists, numbers and messages are computed (`example_values`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function, parameters
from advisor.intake.programs.python.processing.example_expressions import Expressions
from advisor.intake.programs.python.processing.example_program import (
    Closure,
    Jump,
    NotRun,
    Stopped,
    is_generator,
)
from advisor.intake.programs.python.processing.example_values import (
    ENDLESS,
    UNKNOWN,
    ItemIterator,
    PythonError,
    element,
    extend,
    items,
    operation,
    truth,
)

_ROUNDS = 3


class _Left(BaseException):
    """The body of a loop over a generator leaves the loop, and the function if there is a jump."""

    def __init__(self, jump: Jump | None) -> None:
        self.jump = jump


class ExampleRun(Expressions):
    """One run of the statements of a function."""

    is_done: bool = False
    """Whether the statements ran to their end."""

    def run(self, scope: Function | ast.Module, rows: str = "") -> ExampleRun:
        """Runs the module, or a function with unknown arguments. `rows` is the name of one that
        holds the messages of a poll."""
        self.frames = [{}]
        for name, value in self.program.constants.items():
            self.frames[0][name] = self.value(value)
        if isinstance(scope, Function):
            self.frames.append(dict.fromkeys(parameters(scope), UNKNOWN))
        if rows:
            self.frames[-1][rows] = self.messages(scope.body[0].lineno)
        try:
            self.block(scope.body)
            self.is_done = True
        except Jump as jump:
            self.use(jump.value)
            self.is_done = True
        except (Stopped, PythonError):
            pass
        self.held = self.held or self.offsets_of_names()
        return self

    def block(self, body: Iterable[ast.stmt]) -> None:
        """Runs statements."""
        for node in body:
            self.step()
            self._statement(node)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                result = self.value(value)
                for target in targets:
                    self.assign(target, result)
            case ast.AnnAssign(target=target, value=value):
                if value:
                    self.assign(target, self.value(value))
            case ast.AugAssign(target=target, op=op, value=value):
                self._augment(target, op, self.value(value))
            case ast.Expr(value=value):
                self.value(value)
            case ast.Delete(targets=targets):
                for target in targets:
                    self._delete(target)
            case ast.Return(value=value):
                raise Jump(ast.Return, self.value(value))
            case ast.Raise():
                raise PythonError
            case ast.Break() | ast.Continue():
                raise Jump(type(node))
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                self.frames[-1][name] = Closure(node, [*self.frames])
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                self.frames[-1].update((f"global {name}", None) for name in names)
            case ast.Assert(test=test):
                self.use(self.value(test))
            case ast.Pass() | ast.Import() | ast.ImportFrom() | ast.ClassDef():
                pass
            case _:
                self._compound(node)

    def _compound(self, node: ast.stmt) -> None:
        match node:
            case ast.If(test=test, body=then, orelse=other):
                is_true = self.decision(test, is_kept=lambda value: _keeps(node, value))
                self.block(then if is_true else other)
            case ast.While():
                self._while(node)
            case ast.For() | ast.AsyncFor():
                self._for(node)
            case ast.Try():
                self._try(node)
            case ast.With(items=managers, body=body) | ast.AsyncWith(items=managers, body=body):
                for manager in managers:
                    value = self.value(manager.context_expr)
                    if manager.optional_vars:
                        self.assign(manager.optional_vars, value)
                self.block(body)
                self.used |= self.submitted  # the end of a pool waits
            case _:
                raise NotRun

    def _augment(self, target: ast.expr, op: ast.operator, right: Any) -> None:
        left = self.value(target)
        self.count_items(left, right)
        if isinstance(left, list) and isinstance(op, ast.Add):
            extend(left, [*items(right)])
            return
        self.assign(target, operation(type(op).__name__, left, right))

    def _delete(self, target: ast.expr) -> None:
        match target:
            case ast.Subscript(value=source, slice=index):
                values, place = self.value(source), self.index(index)
                element(values, place)
                if isinstance(values, list) and isinstance(place, int | slice):
                    del values[place]
            case ast.Name(name):
                self.frames[-1].pop(name, None)
            case _:
                pass

    def _while(self, node: ast.While) -> None:
        polls, rounds = self.program.polls(node), 0
        while truth(value := self.value(node.test)) is not False:
            self.use(value)
            rounds += truth(value) is None
            if (rounds > _ROUNDS and not polls) or self._leaves(node.body):
                return
        self.block(node.orelse)

    def _leaves(self, body: Iterable[ast.stmt]) -> bool:
        """Runs an iteration; returns whether it ends the loop."""
        self.step()
        try:
            self.block(body)
        except Jump as jump:
            if jump.kind is ast.Return:
                raise
            return jump.kind is ast.Break
        return False

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        if isinstance(call := node.iter, ast.Call):
            function = self.closure(call)
            if function and is_generator(function.node):
                self._for_yielded(node, call, function)
                return
        source = self.value(node.iter)
        if source is ENDLESS:
            raise NotRun
        values = iter(items(source))
        if isinstance(source, ItemIterator):
            values = (value for (value,) in iter(lambda: source.take(1), []))
        for value in values:
            self.assign(node.target, value)
            if self._leaves(node.body):
                return
        self.block(node.orelse)

    def _for_yielded(
        self, node: ast.For | ast.AsyncFor, call: ast.Call, generator: Closure
    ) -> None:
        """Runs a loop over what a generator of the program yields."""
        frames = self.frames

        def run_body(value: Any) -> None:
            handler, inner, self.frames = self.yields.pop(), self.frames, frames
            try:
                self.assign(node.target, value)
                if self._leaves(node.body):
                    raise _Left(None)
            except Jump as jump:
                raise _Left(jump) from None
            self.frames = inner
            self.yields.append(handler)

        arguments, callers = self.values(call.args), [*self.callers]
        keywords = {word.arg or "": self.value(word.value) for word in call.keywords}
        self.yields.append(run_body)
        try:
            self.run_function(generator, arguments, keywords)
            self.yields.pop()
        except _Left as left:
            self.callers = callers
            if left.jump:
                raise left.jump from None
            return
        self.block(node.orelse)

    def _try(self, node: ast.Try) -> None:
        try:
            self.block(node.body)
        except PythonError:
            if not node.handlers:
                raise
            self.block(node.handlers[0].body)
        else:
            self.block(node.orelse)
        self.block(node.finalbody)


def _keeps(node: ast.If, is_true: bool) -> bool:
    """Whether the program goes on with a message after a condition on it, and does not filter it
    out."""
    taken, other = (node.body, node.orelse) if is_true else (node.orelse, node.body)
    if not taken:
        return isinstance(other[-1], ast.Continue | ast.Break | ast.Return | ast.Raise)
    names = syntax.names_in(node.test)
    return any(names & syntax.names_in(statement) for statement in taken)
