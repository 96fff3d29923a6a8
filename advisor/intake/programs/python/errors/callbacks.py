"""How a delivery callback of confluent-kafka's producer handles its error.

An exception in a callback propagates out of `poll()` or `flush()` (confluent-kafka,
Producer.produce), unless the callback catches it, or the code around that call does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass, replace

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.errors.outbox import MARKS_SENT

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Functions = Mapping[str, Sequence[Function]]
_MAX_DEPTH = 3


def without_bound_arguments(function: Function, bound: int) -> Function:
    """A copy of a function without its first parameters, which `partial` has bound."""
    remaining, arguments = copy(function), copy(function.args)
    arguments.args = function.args.args[bound:]
    remaining.args = arguments
    return remaining


def ignores_error(function: Function) -> bool:
    """Whether a callback never reads its error, or does nothing if there is one."""
    error = _error_name(function)
    if not error:
        return False
    body = _without_marks(function, error)
    if not any(_reads(node, error) for node in body):
        return True
    if marks_sent(function):
        return False
    return not any(map(_has_effect, _statements_on_error(body, error)))


def only_logs(function: Function, read_names: Set[str], functions: Functions) -> bool:
    """Whether a callback only logs some error, does nothing about it, or stores it in names that
    are not in `read_names`. `functions` are the functions of the file."""
    error = _error_name(function)
    if not error or marks_sent(function):
        return False
    check = _ErrorCheck(read_names, functions)
    first, *others = _paths(_without_marks(function, error), error)
    return check.only_logs_error(first, error) or any(
        check.all_log(path, error) for path in (first, *others) if others
    )


def marks_sent(function: Function) -> bool:
    """Whether a callback marks a message as sent, and only where there is no error: one that is not
    marked is sent again."""
    failed = {id(call) for node in error_statements(function) for call in syntax.calls(node)}
    return any(
        MARKS_SENT.fullmatch(syntax.method_name(call)) and id(call) not in failed
        for node in _body(function) for call in syntax.calls(node)
    )  # fmt: skip


def only_raises(function: Function) -> bool:
    """Whether a callback does nothing with its error but raise it, and perhaps log it."""
    error = _error_name(function)
    statements = (
        [node for node in _statements_on_error(_body(function), error) if _has_effect(node)]
        if error
        else []
    )
    others = [node for node in statements if not isinstance(node, ast.Raise)]
    return len(others) < len(statements) and all(
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and syntax.is_log(statement.value)
        for statement in others
    )


def error_statements(function: Function) -> list[ast.AST]:
    """The statements of a callback that run if there is an error."""
    error = _error_name(function)
    return [*_statements_on_error(_body(function), error)] if error else _body(function)


@dataclass(frozen=True, slots=True)
class _ErrorCheck:
    """Checks that a callback only logs its error. `caught` is true where an exception does not
    propagate out of the callback."""

    read_names: Set[str]
    functions: Functions
    caught: bool = False
    depth: int = 0

    def only_logs_error(self, body: Iterable[ast.AST], error: str) -> bool:
        """Whether statements log an error, and do nothing else with it."""
        statements = [node for node in _statements_on_error(body, error) if _has_effect(node)]
        return bool(statements) and all(self._logs_or_stores(node, error) for node in statements)

    def all_log(self, body: Iterable[ast.AST], error: str) -> bool:
        """Whether statements do nothing with an error but log it."""
        return all(self._logs_or_stores(node, error) for node in _statements_on_error(body, error)
                   if _has_effect(node))  # fmt: skip

    def _logs_or_stores(self, node: ast.AST, error: str) -> bool:
        """Whether a statement only logs, or stores a value in a name that nothing reads."""
        match node:
            case ast.Raise() | ast.Assert():
                return self.caught
            case ast.With() | ast.AsyncWith() if attempt := syntax.suppress_as_try(node):
                return self._try_logs(attempt, error)
            case ast.With() | ast.AsyncWith() | ast.For():
                return self.all_log(node.body, error)
            case ast.Try():
                return self._try_logs(node, error)
            case ast.If():
                return self.all_log([*node.body, *node.orelse], error)
            case ast.Match():
                return all(
                    self.all_log(case.body, error) for case in node.cases if not _is_none(case)
                )
            case ast.AugAssign() | ast.Assign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                are_unread = all(isinstance(target, ast.Name) and target.id not in self.read_names
                                 for target in targets)  # fmt: skip
                return are_unread and all(map(self._only_reads, syntax.calls(node.value)))
            case _:
                pass
        value = node.value if isinstance(node, ast.Expr | ast.Return) else node
        return value is None or (isinstance(value, ast.expr) and self._value_logs(value, error))

    def _value_logs(self, value: ast.expr, error: str) -> bool:
        match value:
            case ast.IfExp():
                return self._value_logs(value.body, error) and self._value_logs(value.orelse, error)
            case ast.BoolOp():
                return all(self._value_logs(node, error) for node in value.values)
            case ast.Call():
                return self._call_logs(value, error)
            case _:
                return not any(syntax.calls(value))

    def _only_reads(self, call: ast.Call) -> bool:
        return (syntax.only_parses(call) and not syntax.only_stores(call)) or syntax.method_name(
            call
        ) == "format"

    def _try_logs(self, node: ast.Try, error: str) -> bool:
        caught = any(syntax.catches_all(clause) or "Kafka" in ast.unparse(clause.type or ast.Pass())
                     for clause in node.handlers)  # fmt: skip
        guarded = replace(self, caught=self.caught or caught)
        handled = [statement for handler in node.handlers for statement in handler.body]
        return guarded.all_log([*node.body, *node.orelse], error) and self.all_log(
            [*handled, *node.finalbody], error
        )

    def _call_logs(self, call: ast.Call, error: str) -> bool:
        if syntax.is_log(call):
            return True
        if syntax.only_stores(call) and syntax.receiver(call).isidentifier():
            return syntax.receiver(call) not in self.read_names
        callees = self.functions.get(syntax.method_name(call), [])
        if len(callees) != 1 or self.depth == _MAX_DEPTH:
            return False
        arguments = [ast.unparse(node) for node in call.args]
        parameters = [
            parameter.arg for parameter in (*callees[0].args.posonlyargs, *callees[0].args.args)
        ]
        parameters = parameters[1:] if parameters[:1] in (["self"], ["cls"]) else parameters
        callee_error = (
            parameters[arguments.index(error)] if error in arguments[: len(parameters)] else ""
        )
        return replace(self, depth=self.depth + 1).all_log(_body(callees[0]), callee_error)


def _is_none(case: ast.match_case) -> bool:
    return isinstance(case.pattern, ast.MatchSingleton) and case.pattern.value is None


def _error_name(function: Function) -> str:
    """The name of a callback's first parameter, the error; empty if it has none."""
    names = [parameter.arg for parameter in (*function.args.posonlyargs, *function.args.args)]
    names = names[1:] if names[:1] in (["self"], ["cls"]) else names
    return names[0] if names else ""


def _body(function: Function) -> list[ast.AST]:
    return [function.body] if isinstance(function, ast.Lambda) else [*function.body]


def _without_marks(function: Function, error: str) -> list[ast.AST]:
    """The body without calls that mark a message as sent whether or not there is an error."""
    return [
        node for node in _body(function)
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
                and MARKS_SENT.fullmatch(syntax.method_name(node.value))
                and not _reads(node, error))
    ]  # fmt: skip


def _reads(node: ast.AST, name: str) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(node))


def _statements_on_error(body: Iterable[ast.AST], error: str) -> Iterator[ast.AST]:
    """Yields the statements that run if there is an error."""
    for node in body:
        condition, then, other = _branches(node)
        if condition in (error, f"{error} is not None", f"{error} != None"):
            yield from _statements_on_error(then, error)
            if isinstance(then[-1], ast.Return | ast.Raise):
                return
        elif condition in (f"not {error}", f"{error} is None", f"{error} == None"):
            yield from _statements_on_error(other, error)
        else:
            yield node


def _paths(body: Iterable[ast.AST], error: str, depth: int = _MAX_DEPTH) -> list[list[ast.AST]]:
    """The statements that run if there is an error, for each kind of error that a condition tells
    apart: `if err.retriable(): raise …`."""
    paths, ended = [list[ast.AST]()], list[list[ast.AST]]()
    for node in _statements_on_error(body, error):
        if depth and isinstance(node, ast.If) and _asks_kind(node.test, error):
            continued = list[list[ast.AST]]()
            for branch in (node.body, node.orelse):
                is_last = bool(branch) and isinstance(branch[-1], ast.Return | ast.Raise)
                inner = _paths(branch, error, depth - 1)
                joined = [[*path, *rest] for path in paths for rest in inner]
                (ended if is_last else continued).extend(joined)
            paths = continued
        else:
            paths = [[*path, node] for path in paths]
    return [*paths, *ended] or [[]]


def _asks_kind(test: ast.expr, error: str) -> bool:
    """Whether a condition asks what kind of error it is, such as `err.fatal()`."""
    return any(isinstance(node, ast.Attribute) and ast.unparse(node.value) == error
               for node in ast.walk(test))  # fmt: skip


def _branches(node: ast.AST) -> tuple[str, Sequence[ast.AST], Sequence[ast.AST]]:
    """The condition of a statement, and the code that runs if it holds and if it does not."""
    match node.value if isinstance(node, ast.Expr) else node:
        case ast.If(test, then, other):
            return ast.unparse(test), then, other
        case ast.IfExp() as conditional:
            return ast.unparse(conditional.test), (conditional.body,), (conditional.orelse,)
        case ast.BoolOp(ast.And(), [test, body]):
            return ast.unparse(test), (body,), ()
        case _:
            return "", (), ()


def _has_effect(node: ast.AST) -> bool:
    kinds = (ast.Call, ast.Raise, ast.Assign, ast.AugAssign, ast.Delete, ast.Yield, ast.NamedExpr,
             ast.Assert)  # fmt: skip
    return any(isinstance(inner, kinds) for inner in ast.walk(node))
