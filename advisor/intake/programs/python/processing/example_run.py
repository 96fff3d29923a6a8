"""Runs a part of a Python program with example messages, to see which of them it uses.

A message is used where it is an argument of a call whose effect is not known, or decides something.
Code that is not understood uses all messages that it names. Nothing of the program is executed:
only lists, numbers and messages are computed (`example_values`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function, parameters
from advisor.intake.programs.python.processing.example_calls import Calls
from advisor.intake.programs.python.processing.example_expressions import Expressions
from advisor.intake.programs.python.processing.example_memory import Memory
from advisor.intake.programs.python.processing.example_program import (
    KNOWN_DECORATORS,
    Bound,
    Closure,
    Frame,
    Jump,
    NotRun,
    Program,
    Stopped,
    first_value,
    is_generator,
)
from advisor.intake.programs.python.processing.example_record import Record
from advisor.intake.programs.python.processing.example_values import (
    ENDLESS,
    UNKNOWN,
    Exited,
    Instance,
    ItemIterator,
    PythonError,
    element,
    extend,
    items,
    operation,
    truth,
)

_ROUNDS, _MOST_CALLS, _MOST_CALLS_OF_METHODS = 3, 4, 8


class _Left(BaseException):
    """The body of a loop over a generator leaves the loop, and more if there is a jump or an
    error."""

    def __init__(self, cause: Jump | PythonError | None) -> None:
        self.cause = cause


class ExampleRun:
    """One run of the statements of a function.

    The parts of a run: what names hold (`memory`), what is seen (`record`), the values of
    expressions, and calls. An expression asks this class for the result of a call.
    """

    def __init__(self, program: Program, record: Record) -> None:
        self.program, self.record, self.memory = program, record, Memory()
        self._yields = list[Callable[[Any], Any]]()
        self._outer_decisions = 0
        self._expressions = Expressions(program, self.memory, record, self._call, self._give)
        self._calls = Calls(self._expressions, self._enter, self._create)

    def run(self, scope: Function | ast.Module, rows: str = "") -> None:
        """Runs the module, or a function with unknown arguments. `rows` is the name of one that
        holds the messages of a poll."""
        try:
            for name, value in self.program.constants.items():
                self.memory.frames[0][name] = self._expressions.value(value)
        except PythonError:
            raise NotRun from None
        if isinstance(scope, Function):
            self.memory.frames.append(dict.fromkeys(parameters(scope), UNKNOWN))
        if rows:
            self.memory.frames[-1][rows] = self.record.poll(scope.body[0].lineno)
        try:
            self._block(scope.body)
            self.record.is_done = True
        except Jump as jump:
            self.record.use(jump.value)
            self.record.is_done = True
        except (Stopped, PythonError):
            pass
        self._calls.note_held()

    # functions

    def _call(self, call: ast.Call) -> Any:
        return self._calls.run(call)

    def _give(self, value: Any) -> None:
        """Passes on what a generator yields."""
        if self._yields:
            self._yields[-1](value)
        else:
            self.record.use(value)

    def _enter(self, function: Closure, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """The result of a function of the program; a generator runs to its end."""
        if not is_generator(function.node):
            return self._run_function(function, arguments, keywords)
        values = ItemIterator()
        self._calls.ahead += 1
        self._yields.append(values.append)
        try:
            self._run_function(function, arguments, keywords)
        finally:
            self._yields.pop()
            self._calls.ahead -= 1
        return values

    def _create(
        self, definition: ast.ClassDef, arguments: list[Any], keywords: dict[str, Any]
    ) -> Instance:
        """A new object of a class of the program."""
        object_ = Instance(definition, {})
        for node in definition.body:
            for name, value in _class_fields(node):
                object_.fields[name] = self._expressions.value(value)
        method = self.program.method(definition, "__init__")
        if method:
            self._enter(Bound(method, self.memory.frames[:1], object_), arguments, keywords)
        else:
            names = [name for node in definition.body for name in _annotated(node)]
            object_.fields |= dict(zip(names, arguments, strict=False)) | keywords
            object_.fields |= {"": arguments[len(names) :]}
        return object_

    def _run_function(
        self, function: Closure, arguments: list[Any], keywords: Mapping[str, Any]
    ) -> Any:
        """Runs a function of the program, and returns its result."""
        node = function.node
        names = parameters(node) if isinstance(node, Function) else [a.arg for a in node.args.args]
        first = names[:1] if isinstance(function, Bound) and not _is_static(node) else []
        names = [name for name in names if name not in (*syntax.OWN, *first)]
        decorators = [*map(ast.unparse, getattr(node, "decorator_list", []))]
        is_other = len(arguments) > len(names) or not KNOWN_DECORATORS.issuperset(decorators)
        limit = _MOST_CALLS_OF_METHODS if isinstance(function, Bound) else _MOST_CALLS
        if is_other or len(self.memory.callers) >= limit:
            values = [*arguments, *keywords.values()]
            self.record.attempt(getattr(node, "name", ""), values, node.lineno)
            self.record.call(getattr(node, "name", ""), values)
            self.record.use([*values, getattr(function, "owner", None)])
            self.record.use([*self.memory.frames[0].values()])
            return UNKNOWN
        frame = dict.fromkeys(names, UNKNOWN) | self._defaults(node) | dict(keywords)
        frame |= dict(zip(names, arguments, strict=False))
        if isinstance(function, Bound):
            frame |= dict.fromkeys(first, function.owner)
        self.memory.enter(function.frames, frame)
        try:
            result = self._run_body(node)
        except PythonError:
            self.memory.leave()
            raise
        self.memory.leave()
        return result

    def _run_body(self, node: Function | ast.Lambda) -> Any:
        """The result of the body of a function. In a condition, only what it returns decides."""
        if isinstance(node, ast.Lambda):
            return self._expressions.value(node.body)
        before, expressions = self._outer_decisions, self._expressions
        self._outer_decisions, expressions.decisions = expressions.decisions, 0
        try:
            self._block(node.body)
        except Jump as jump:
            return jump.value
        finally:
            expressions.decisions, self._outer_decisions = self._outer_decisions, before
        return None

    def _defaults(self, node: Function | ast.Lambda) -> Frame:
        values = node.args.defaults
        names = [argument.arg for argument in node.args.args[len(node.args.args) - len(values) :]]
        return {
            name: self._expressions.value(value) for name, value in zip(names, values, strict=True)
        }

    # statements

    def _block(self, body: Iterable[ast.stmt]) -> None:
        """Runs statements."""
        for node in body:
            self.program.step()
            self._statement(node)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                result = self._expressions.value(value)
                for target in targets:
                    self._expressions.assign(target, result)
            case ast.AnnAssign(target=target, value=value):
                if value:
                    self._expressions.assign(target, self._expressions.value(value))
            case ast.AugAssign(target=target, op=op, value=value):
                self._augment(target, op, self._expressions.value(value))
            case ast.Expr(value=value):
                self._expressions.value(value)
            case ast.Delete(targets=targets):
                for target in targets:
                    self._delete(target)
            case ast.Return(value=value):
                self._expressions.decisions = self._outer_decisions
                raise Jump(ast.Return, self._expressions.value(value))
            case ast.Raise(exc=error):
                self._raise(error)
            case ast.Break() | ast.Continue():
                raise Jump(type(node))
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                self.memory.frames[-1][name] = Closure(node, [*self.memory.frames])
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                self.memory.declare_global(names)
            case ast.Assert(test=test):
                self.record.use(value := self._expressions.value(test))
                if truth(value) is False:
                    raise PythonError
            case ast.Pass() | ast.Import() | ast.ImportFrom() | ast.ClassDef():
                pass
            case _:
                self._compound(node)

    def _compound(self, node: ast.stmt) -> None:
        match node:
            case ast.If(test=test, body=then, orelse=other):
                is_true = self._expressions.decision(
                    test, is_kept=lambda value: _keeps(node, value)
                )
                self._block(then if is_true else other)
            case ast.While():
                self._while(node)
            case ast.For() | ast.AsyncFor():
                self._for(node)
            case ast.Try():
                self._try(node)
            case ast.With() | ast.AsyncWith() if attempt := syntax.suppress_as_try(node):
                self._try(attempt)
            case ast.With(items=managers, body=body) | ast.AsyncWith(items=managers, body=body):
                self._with(managers, body)
            case _:
                raise NotRun

    def _augment(self, target: ast.expr, op: ast.operator, right: Any) -> None:
        left = self._expressions.value(target)
        self.program.count_items(left, right)
        if isinstance(left, list) and isinstance(op, ast.Add):
            extend(left, [*items(right)])
            return
        self._expressions.assign(target, operation(type(op).__name__, left, right))

    def _delete(self, target: ast.expr) -> None:
        match target:
            case ast.Subscript(value=source, slice=index):
                values, place = self._expressions.value(source), self._expressions.index(index)
                element(values, place)
                if isinstance(values, list) and isinstance(place, int | slice):
                    del values[place]
            case ast.Name(name):
                self.memory.frames[-1].pop(name, None)
            case _:
                pass

    def _while(self, node: ast.While) -> None:
        polls, rounds = self.program.polls(node), 0
        while truth(value := self._expressions.value(node.test)) is not False:
            self.record.use(value)
            rounds += truth(value) is None
            if (rounds > _ROUNDS and not polls) or self._leaves(node.body):
                return
        self._block(node.orelse)

    def _leaves(self, body: Iterable[ast.stmt]) -> bool:
        """Runs an iteration; returns whether it ends the loop."""
        self.program.step()
        try:
            self._block(body)
        except Jump as jump:
            if jump.kind is ast.Return:
                raise
            return jump.kind is ast.Break
        return False

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        if isinstance(call := node.iter, ast.Call):
            function = self._calls.callee(call)
            if isinstance(function, Closure) and is_generator(function.node):
                self._for_yielded(node, call, function)
                return
        source = self._expressions.value(node.iter)
        if source is ENDLESS:
            raise NotRun
        values = iter(items(source))
        if isinstance(source, ItemIterator):
            values = (value for (value,) in iter(lambda: source.take(1), []))
        for value in values:
            self._expressions.assign(node.target, value)
            if self._leaves(node.body):
                return
        self._block(node.orelse)

    def _for_yielded(
        self, node: ast.For | ast.AsyncFor, call: ast.Call, generator: Closure
    ) -> None:
        """Runs a loop over what a generator of the program yields."""
        frames = self.memory.frames

        def run_body(value: Any) -> None:
            handler, inner, self.memory.frames = self._yields.pop(), self.memory.frames, frames
            try:
                self._expressions.assign(node.target, value)
                if self._leaves(node.body):
                    raise _Left(None)
            except (Jump, PythonError) as cause:
                raise _Left(cause) from None
            self.memory.frames = inner
            self._yields.append(handler)

        arguments, callers = self._expressions.values(call.args), [*self.memory.callers]
        keywords = {word.arg or "": self._expressions.value(word.value) for word in call.keywords}
        self._yields.append(run_body)
        try:
            self._run_function(generator, arguments, keywords)
            self._yields.pop()
        except _Left as left:
            self.memory.callers = callers
            if left.cause:
                raise left.cause from None
            return
        self._block(node.orelse)

    def _with(self, managers: Iterable[ast.withitem], body: Iterable[ast.stmt]) -> None:
        """Runs a block with context managers, those of the program with their methods."""
        objects = list[Instance]()
        for manager in managers:
            value = self._expressions.value(manager.context_expr)
            if isinstance(value, Instance):
                objects.append(value)
                value = self._method(value, "__enter__", "__aenter__")
            if manager.optional_vars:
                self._expressions.assign(manager.optional_vars, value)
        try:
            self._block(body)
        except PythonError:
            if objects:
                raise NotRun from None  # its method may handle the error
            raise
        self.record.used |= self.record.submitted  # the end of a pool waits
        for manager in managers:
            self._calls.end_tasks(ast.unparse(manager.optional_vars or manager.context_expr))
        for object_ in objects:
            self._method(object_, "__exit__", "__aexit__")

    def _method(self, object_: Instance, *names: str) -> Any:
        """The result of the first of these methods that an object has."""
        for name in names:
            if isinstance(method := self._expressions.member(object_, name), Bound):
                count = len(parameters(method.node)) - 1 if isinstance(method.node, Function) else 0
                return self._enter(method, [None] * count, {})
        return UNKNOWN

    def _raise(self, error: ast.expr | None) -> None:
        """Raises an error of the program."""
        self._expressions.value(error)
        if error and "Exit" in self.program.text(error):
            raise Exited
        raise PythonError(self.record.failure() if self.record.failed else None)

    def _try(self, node: ast.Try) -> None:
        try:
            self._attempt(node)
        except (Jump, PythonError):
            self._block(node.finalbody)
            raise
        self._block(node.finalbody)

    def _attempt(self, node: ast.Try) -> None:
        """Runs a `try` without its `finally`."""
        try:
            self._block(node.body)
        except Exited:
            raise
        except PythonError as error:
            handler = self._handler(node, error)
            if not handler:
                raise
            if not handler.name:
                self._block(handler.body)
                return
            self._expressions.assign(ast.Name(handler.name), error.value or UNKNOWN)
            try:
                self._block(handler.body)
            finally:
                self.memory.frames[-1].pop(handler.name, None)
        else:
            self._block(node.orelse)

    def _handler(self, node: ast.Try, error: PythonError) -> ast.ExceptHandler | None:
        """The handler of an error. The error of a message may be any that a handler catches."""
        if not error.value:
            return next(iter(node.handlers), None)
        handlers = [handler for handler in node.handlers if syntax.catches_all(handler, node.body)]
        for handler in handlers[:-1]:
            text = f"except {handler.lineno}"
            if self.record.choose(text, is_free=True, is_timed=False):
                return handler
        return handlers[-1] if handlers else None


def _keeps(node: ast.If, is_true: bool) -> bool:
    """Whether the program goes on with a message after a condition on it, and does not filter it
    out."""
    taken, other = (node.body, node.orelse) if is_true else (node.orelse, node.body)
    if not taken:
        return isinstance(other[-1], ast.Continue | ast.Break | ast.Return | ast.Raise)
    names = syntax.names_in(node.test)
    return any(names & syntax.names_in(statement) for statement in taken)


def _is_static(node: Function | ast.Lambda) -> bool:
    decorators = getattr(node, "decorator_list", [])
    return "staticmethod" in map(ast.unparse, decorators)


def _class_fields(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """The fields that a statement of a class gives a value to."""
    value = getattr(node, "value", None)
    targets = node.targets if isinstance(node, ast.Assign) else []
    targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
    value = first_value(value) or value
    yield from ((target.id, value) for target in targets
                if isinstance(target, ast.Name) and value)  # fmt: skip


def _annotated(node: ast.stmt) -> list[str]:
    """The name of a field that a class declares, in the order of its constructor."""
    match node:
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            return []
