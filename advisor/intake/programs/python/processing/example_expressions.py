"""The expressions of a Python program that is run with example messages (`example_run`)."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from advisor.intake.programs.conditions import is_harmless
from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.errors.outcome_names import SUCCESS, is_outcome
from advisor.intake.programs.python.processing.conditions import may_refuse
from advisor.intake.programs.python.processing.example_memory import Memory
from advisor.intake.programs.python.processing.example_program import (
    KNOWN_DECORATORS,
    Bound,
    Closure,
    Program,
)
from advisor.intake.programs.python.processing.example_record import Record
from advisor.intake.programs.python.processing.example_values import (
    SAMPLE,
    UNKNOWN,
    Failure,
    Future,
    Instance,
    ItemIterator,
    Message,
    PythonError,
    Table,
    element,
    extend,
    items,
    merged,
    number,
    of_message,
    offsets_in,
    operation,
    store,
    truth,
)

_MAIN_CHECK = "__name__ == '__main__'"
_CLOCK = re.compile(r"\b(?:time|monotonic|perf_counter|now|utcnow|done|random|randint)\(")


@dataclass
class Expressions:
    """Computes the values of expressions. `call` runs a call, and `give` takes what a generator
    yields."""

    program: Program
    memory: Memory
    record: Record
    call: Callable[[ast.Call], Any]
    give: Callable[[Any], None]
    keeps_errors: bool = False
    """Whether an error in a comprehension is kept as that of a task."""
    decisions: int = 0
    """How many conditions are computed, one in another."""

    def decision(self, test: ast.expr, *, is_kept: Callable[[bool], bool] | None = None) -> bool:
        """The result of a condition: its value, or else the choice of this run. A message that
        decides is used, unless `is_kept` says that the program goes on with it."""
        self.decisions += 1
        try:
            value = self.value(test)
        finally:
            self.decisions -= 1
        if (known := truth(value)) is not None:
            return known
        text = self.program.text(test)
        if text == _MAIN_CHECK:
            return True
        asks_refusal = may_refuse(test) or syntax.names_in(test) & self.program.refusals
        is_timed = bool(_CLOCK.search(text) or asks_refusal)
        choice = self.record.choose(text, is_free=bool(offsets_in(value)), is_timed=is_timed)
        if not (is_kept and is_kept(choice)):
            self.record.decide(value)
        if self.record.failed and is_harmless(text) and self._asks_failure(test):
            self.record.handled |= self.record.failed.keys()  # processed before
        return choice

    def _asks_failure(self, test: ast.expr) -> bool:
        """Whether a condition is about the error of a message."""
        return any(isinstance(self.memory.read(name), Failure) for name in syntax.names_in(test))

    # names

    def assign(self, target: ast.expr, value: Any) -> None:
        """Assigns a value to a target; one that is stored elsewhere counts as used."""
        match target:
            case ast.Name(name):
                self.memory.store(name, value)
            case ast.Attribute(value=owner, attr=name):
                object_ = self.value(owner)
                if isinstance(object_, Instance):
                    object_.fields[name] = value
                else:
                    self.memory.frames[0][self.program.text(target)] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                self._unpack(targets, value)
            case ast.Starred(value=inner):
                self.assign(inner, value)
            case ast.Subscript(value=source, slice=index):
                if not store(self.value(source), self.index(index), value):
                    self.record.use(value)
            case _:
                self.record.use(value)

    def _unpack(self, targets: list[ast.expr], value: Any) -> None:
        if not isinstance(value, list):
            for target in targets:
                self.assign(target, value)
            return
        starred = [n for n, node in enumerate(targets) if isinstance(node, ast.Starred)]
        if starred:
            begin, end = starred[0], len(value) - len(targets) + starred[0] + 1
            value = [*value[:begin], value[begin:end], *value[end:]]
        if len(value) != len(targets):
            raise PythonError
        for target, part in zip(targets, value, strict=True):
            self.assign(target, part)

    def _named(self, name: str) -> Any:
        """The value of a plain name: a variable, or else a function or a class of the program."""
        value = self.memory.read(name)
        if value is not UNKNOWN:
            return value
        function = self.program.functions.get(name)
        if function:
            return Closure(function, self.memory.frames[:1])
        return self.program.classes.get(name, UNKNOWN)

    def _attribute(self, node: ast.Attribute) -> Any:
        object_ = self.memory.read(getattr(node.value, "id", ""))
        value = self.memory.read(self.program.text(node))
        if value is not UNKNOWN and not isinstance(object_, Instance):
            return value
        owner = self.value(node.value)
        if isinstance(owner, Instance):
            return self.member(owner, node.attr)
        if node.attr in self.program.functions and getattr(node.value, "id", "") in syntax.OWN:
            return Closure(self.program.functions[node.attr], self.memory.frames[:1])
        if isinstance(owner, Message) and owner.is_polled:
            return of_message(owner, node.attr)  # a column of a row
        if isinstance(owner, bool) and is_outcome(node.attr):
            # the result of a call that returns whether it succeeded
            return owner is bool(SUCCESS.fullmatch(node.attr))
        return owner if isinstance(owner, list) and node.attr == "rdd" else merged((owner,))

    def member(self, owner: Instance, name: str) -> Any:
        """A field, a property or a method of an object."""
        if name in owner.fields:
            return owner.fields[name]
        method = self.program.method(owner.definition, name)
        decorators = method.decorator_list if method else []
        if not method or any(ast.unparse(node) not in KNOWN_DECORATORS for node in decorators):
            return UNKNOWN
        return Bound(method, self.memory.frames[:1], owner)

    # values

    def value(self, node: ast.expr | None) -> Any:
        """The value of an expression."""
        self.program.step()
        match node:
            case None:
                return None
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self._named(name)
            case ast.Attribute():
                return self._attribute(node)
            case ast.List(elts=elts) | ast.Tuple(elts=elts) | ast.Set(elts=elts):
                return self.values(elts)
            case ast.Dict(keys=keys, values=values):
                return self._dict(keys, values)
            case ast.Subscript(value=source, slice=index):
                values = self.value(source)
                self.program.count_items(values)
                return element(values, self.index(index))
            case ast.Call():
                return self.call(node)
            case ast.Await(value=inner):
                return awaited(self.value(inner))
            case ast.Starred(value=inner):
                return self.value(inner)
            case ast.NamedExpr(target=target, value=inner):
                value = self.value(inner)
                self.assign(target, value)
                return value
            case ast.Lambda():
                return Closure(node, [*self.memory.frames])
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                return self._comprehension(node)
            case _:
                return self._operation(node)

    def _operation(self, node: ast.expr) -> Any:
        match node:
            case ast.BinOp(left=left, op=op, right=right):
                return operation(type(op).__name__, *self._sides(left, right))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return operation(type(op).__name__, *self._sides(left, right))
            case ast.UnaryOp(op=op, operand=inner):
                value = self.value(inner)
                if isinstance(op, ast.Not):
                    known = truth(value)
                    return value if known is None else not known
                return -value if isinstance(value, int) and isinstance(op, ast.USub) else value
            case ast.BoolOp(op=op, values=values):
                for operand in values[:-1]:
                    if self.decision(operand) == isinstance(op, ast.Or):
                        return isinstance(op, ast.Or)
                return self.value(values[-1])
            case ast.IfExp(test=test, body=then, orelse=other):
                return self.value(then if self.decision(test) else other)
            case ast.Yield(value=inner):
                self.give(self.value(inner))
            case ast.YieldFrom(value=inner):
                for value in items(self.value(inner)):
                    self.give(value)
            case _:
                names = (part for part in ast.walk(node) if isinstance(part, ast.Call | ast.Name))
                return merged([self.value(part) for part in names])
        return UNKNOWN

    def _sides(self, *nodes: ast.expr) -> list[Any]:
        """The values of two operands. Next to a number, an unknown name is a number, too."""
        values = [self.value(node) for node in nodes]
        self.program.count_items(*values)
        if not any(isinstance(value, int) for value in values):
            return values
        return [
            SAMPLE if value is UNKNOWN and isinstance(node, ast.Name | ast.Attribute) else value
            for node, value in zip(nodes, values, strict=True)
        ]

    def values(self, nodes: Iterable[ast.expr]) -> list[Any]:
        """The values of list elements or arguments, with starred ones expanded."""
        values = list[Any]()
        for node in nodes:
            value = self.value(node)
            extend(values, items(value) if isinstance(node, ast.Starred) else [value])
        return values

    def index(self, node: ast.expr) -> Any:
        """The value of an index or a slice."""
        if not isinstance(node, ast.Slice):
            return self.value(node)
        bounds = [
            None if bound is None else number(self.value(bound))
            for bound in (node.lower, node.upper, node.step)
        ]
        return slice(*bounds)

    def _dict(self, keys: Iterable[ast.expr | None], nodes: Iterable[ast.expr]) -> Any:
        """A dict; `None` for a key is a dict that is merged into it."""
        table, pairs = Table(), [*zip(keys, nodes, strict=True)]
        values = [(None if key is None else self.value(key), self.value(node))
                  for key, node in pairs]  # fmt: skip
        if any(key is None for key, _ in pairs) or not all(store(table, *pair) for pair in values):
            return merged([part for pair in values for part in pair])
        return table

    def _comprehension(
        self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp
    ) -> Any:
        """The result of a comprehension; what a dict of unknown keys has is used."""
        results = ItemIterator() if isinstance(node, ast.GeneratorExp) else list[Any]()
        self.memory.frames.append({})
        try:
            if isinstance(node, ast.DictComp):
                pair = ast.Tuple([node.key, node.value], ast.Load())
                self._generators(node.generators, pair, results)
            else:
                self._generators(node.generators, node.elt, results)
        finally:
            self.memory.frames.pop()
        if not isinstance(node, ast.DictComp):
            return results
        table = Table()
        return table if all(store(table, *pair) for pair in results) else merged((results,))

    def _generators(
        self, generators: list[ast.comprehension], result: ast.expr, results: list[Any]
    ) -> None:
        if not generators:
            results.append(self.task(result) if self.keeps_errors else self.value(result))
            return
        for value in items(self.value(generators[0].iter)):
            self.assign(generators[0].target, value)
            if all(self.decision(test, is_kept=bool) for test in generators[0].ifs):
                self._generators(generators[1:], result, results)

    def task(self, node: ast.expr) -> Any:
        """The result of a coroutine, with its error, if there is one, as that of its task."""
        try:
            value = self.value(node)
        except PythonError as error:
            return Future(offsets_in(error.value), None, error.value or Failure(frozenset()))
        return value


def awaited(value: Any) -> Any:
    """The result of a future or of a coroutine. Raises its error."""
    if not isinstance(value, Future):
        return value
    if value.failure:
        raise PythonError(value.failure)
    return value.result
