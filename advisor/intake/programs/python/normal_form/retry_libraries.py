"""Retries of tenacity and backoff that end without an error, as handlers.

If all attempts fail, tenacity returns what its `retry_error_callback` returns, and backoff with
`raise_on_giveup=False` returns None after `on_giveup`. Both are like a `try` around the function,
whose handler calls the callback (tenacity, BaseRetrying.iter; backoff, on_exception). Without
them, the error is raised, and nothing changes here.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function, parameters

_RETRIERS = frozenset({"retry", "Retrying", "AsyncRetrying", "retry_with", "on_exception"})
_CALLBACK = "retry_error_callback"
DEAD_LETTERS = re.compile(r"(?i)dead|letter|dlq|dlt|quarantine|poison|park")
"""Names of what keeps messages that failed."""


def with_retries_as_handlers(tree: ast.Module) -> ast.Module:
    """Returns the program with such retries as handlers."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    if not any(syntax.method_name(call) in _RETRIERS for call in calls):
        return tree
    rewritten: ast.Module = _Retries(tree).visit(tree)
    return ast.fix_missing_locations(rewritten)


_Store = Callable[[ast.expr], ast.stmt]
"""Makes the statement that returns, assigns or drops a value."""


@dataclass(frozen=True, slots=True)
class _GivingUp:
    """What happens after the last attempt: the callbacks, and the line of the retry."""

    callbacks: Sequence[ast.expr]
    at: ast.expr


class _Retries(ast.NodeTransformer):
    def __init__(self, tree: ast.Module) -> None:
        self._functions = {node.name: node for node in ast.walk(tree) if isinstance(node, Function)}
        values = dict[str, list[ast.expr]]()
        for node in ast.walk(tree):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    values.setdefault(name, []).append(value)
                case _:
                    pass
        self._values = {
            name: name_values[0] for name, name_values in values.items() if len(name_values) == 1
        }

    def _retry(self, node: ast.AST) -> _GivingUp | None:
        """How a retry gives up without an error; None for any other expression."""
        value = self._values.get(node.id) if isinstance(node, ast.Name) else node
        if not isinstance(value, ast.Call) or syntax.method_name(value) not in _RETRIERS:
            return None
        words = dict[str, ast.expr]()
        for keyword in value.keywords:
            words |= {keyword.arg: keyword.value} if keyword.arg else self._pairs(keyword.value)
        if syntax.method_name(value) == "on_exception":
            if not _is_constant(words.get("raise_on_giveup"), False):
                return None
            handlers = words.get("on_giveup")
            return _GivingUp(getattr(handlers, "elts", [handlers] if handlers else []), value)
        callback = words.get(_CALLBACK)
        return None if callback is None or _is_constant(callback, None) else _GivingUp(
            [callback], value
        )  # fmt: skip

    def _pairs(self, value: ast.expr) -> Mapping[str, ast.expr]:
        """The pairs of a dict of the program that is passed as keywords."""
        dict_ = self._values.get(value.id, value) if isinstance(value, ast.Name) else value
        match dict_:
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                return {
                    str(key.value): pair_value
                    for key, pair_value in pairs
                    if isinstance(key, ast.Constant)
                }
            case ast.Call(func=ast.Name("dict"), keywords=keywords):
                return {keyword.arg: keyword.value for keyword in keywords if keyword.arg}
            case _:
                return {}

    def _function(self, node: Function) -> Function:
        self.generic_visit(node)
        for decorator in node.decorator_list:
            retry = self._retry(decorator)
            if retry is None or any(map(_yields, node.body)):
                continue
            names = [name for name in parameters(node) if name not in syntax.OWN]
            handler = self._handler(retry, names, ast.Return)
            node.decorator_list.remove(decorator)
            node.body = [_attempt(node.body, handler, retry.at)]
            break
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _function

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return self._called(node, ast.Expr)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        targets = copy.deepcopy(node.targets)
        return self._called(node, lambda value: ast.Assign(targets, value))

    def _called(self, node: ast.Expr | ast.Assign, store: _Store) -> ast.AST:
        """A statement that calls a function by a retry: `Retrying(…)(save, m)`,
        `save.retry_with(…)(m)`."""
        self.generic_visit(node)
        is_awaited = isinstance(node.value, ast.Await)
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        retry = self._retry(call.func) if isinstance(call, ast.Call) else None
        if retry is None or not isinstance(call, ast.Call):
            return node
        direct = _direct_call(call)
        if direct is None:
            return node
        names = [value.id for value in direct.args if isinstance(value, ast.Name)]
        node.value = ast.copy_location(ast.Await(direct), call) if is_awaited else direct
        return _attempt([node], self._handler(retry, names, store), retry.at)

    def _loop(self, node: ast.For | ast.AsyncFor) -> ast.AST:
        """A loop over attempts: `for attempt in Retrying(…): with attempt: save(m)`."""
        self.generic_visit(node)
        retry = self._retry(node.iter)
        if retry is None or any(isinstance(inner, ast.Continue) for inner in ast.walk(node)):
            return node
        names = [call.args[0].id for call in syntax.calls(node)
                 if call.args and isinstance(call.args[0], ast.Name)]  # fmt: skip
        body = [
            statement
            for inner in node.body
            for statement in (
                inner.body if isinstance(inner, ast.With | ast.AsyncWith) else [inner]
            )
            if not isinstance(statement, ast.Break)
        ]
        return _attempt(body or [ast.Pass()], self._handler(retry, names, ast.Expr), retry.at)

    visit_For = visit_AsyncFor = _loop

    def _handler(self, retry: _GivingUp, names: Sequence[str], store: _Store) -> list[ast.stmt]:
        """The statements after the last attempt, which `store` the result. The callbacks take the
        first of the names, which is that of the message."""
        argument: ast.expr = ast.Name(names[0], ast.Load()) if names else ast.Constant(None)
        values = [self._result(callback, argument) for callback in retry.callbacks]
        if any(value is None for value in values):
            return [ast.Raise()]
        *others, last = [value for value in values if value is not None] or [ast.Constant(None)]
        return [*map(ast.Expr, others), store(last)]

    def _result(self, callback: ast.expr, argument: ast.expr) -> ast.expr | None:
        """What a callback returns; None if it raises the last error (`state.outcome.result()`)."""
        name = ast.unparse(callback).rpartition(".")[2]
        function = callback if isinstance(callback, ast.Lambda) else self._functions.get(name)
        if function and _raises_last_error(function):
            return None
        if isinstance(callback, ast.Lambda):
            substitution = _Argument([parameter.arg for parameter in callback.args.args], argument)
            result: ast.expr = substitution.visit(copy.deepcopy(callback.body))
            return result
        if function is None and not DEAD_LETTERS.search(name):
            return ast.Constant(None)
        call = ast.Call(copy.deepcopy(callback), [argument], [])
        return ast.Await(call) if isinstance(function, ast.AsyncFunctionDef) else call


class _Argument(ast.NodeTransformer):
    """Replaces the parameters of a lambda with an argument."""

    def __init__(self, names: Sequence[str], argument: ast.expr) -> None:
        self._names, self._argument = names, argument

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self._argument) if node.id in self._names else node


def _direct_call(call: ast.Call) -> ast.Call | None:
    """The call that a retry makes; None if it is not certain."""
    if syntax.method_name(call.func) == "retry_with":
        function = getattr(getattr(call.func, "func", None), "value", None)
        arguments = call.args
    else:
        function, arguments = next(iter(call.args), None), call.args[1:]
    if not isinstance(function, ast.Name | ast.Attribute):
        return None
    return ast.copy_location(ast.Call(function, [*arguments], call.keywords), call)


def _attempt(body: list[ast.stmt], handler: list[ast.stmt], at: ast.expr) -> ast.Try:
    clause = ast.ExceptHandler(ast.Name("Exception", ast.Load()), None, handler)
    attempt = ast.copy_location(ast.Try(body, [ast.copy_location(clause, at)], [], []), at)
    for statement in handler:
        ast.copy_location(statement, at)
        for node in ast.walk(statement):
            if "lineno" in node._attributes:
                ast.copy_location(node, at)
    return attempt


def _is_constant(value: ast.expr | None, constant: object) -> bool:
    return isinstance(value, ast.Constant) and value.value is constant


def _yields(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in ast.walk(node))


def _raises_last_error(function: Function | ast.Lambda) -> bool:
    """Whether a callback asks for the result of the last attempt, which raises its error."""
    if any(isinstance(node, ast.Try) for node in ast.walk(function)):
        return False
    return any(ast.unparse(call.func).endswith("outcome.result") for call in syntax.calls(function))
