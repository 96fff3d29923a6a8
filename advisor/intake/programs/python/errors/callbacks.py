"""What a callback of confluent-kafka's producer does with the error that it is given.

What it raises leaves `poll()` or `flush()` (confluent-kafka, Producer.produce), unless the callback
catches it itself, or whoever calls those does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass, replace

from advisor.intake.programs.python import syntax

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Functions = Mapping[str, Sequence[Function]]
_DEEPEST = 3


def without_bound_arguments(function: Function, bound: int) -> Function:
    """A function whose first arguments `partial` has given already."""
    rest, arguments = copy(function), copy(function.args)
    arguments.args = function.args.args[bound:]
    rest.args = arguments
    return rest


def ignores_error(function: Function) -> bool:
    """Whether a callback never looks at its error, or does nothing where there is one."""
    error = _error(function)
    if not error:
        return False
    body = _body(function)
    if not any(_reads(node, error) for node in body):
        return True
    return not any(map(_acts, _with_error(body, error)))


def only_logs(function: Function, looked_at: Set[str], functions: Functions) -> bool:
    """Whether a callback only writes of an error, or keeps it in names that are not `looked_at`;
    `functions` are those of the file."""
    error = _error(function)
    return bool(error) and _Callback(looked_at, functions).is_quiet(_body(function), error)


def only_raises(function: Function) -> bool:
    """Whether all that a callback does with an error is to raise it."""
    error = _error(function)
    acts = [node for node in _with_error(_body(function), error) if _acts(node)] if error else []
    rest = [node for node in acts if not isinstance(node, ast.Raise)]
    return len(rest) < len(acts) and all(
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and syntax.is_log(statement.value)
        for statement in rest
    )


def error_statements(function: Function) -> list[ast.AST]:
    """The statements of a callback that run where there is an error."""
    error = _error(function)
    return [*_with_error(_body(function), error)] if error else _body(function)


@dataclass(frozen=True, slots=True)
class _Callback:
    """What is known of the file of a callback; `caught` where nothing that it raises leaves it."""

    looked_at: Set[str]
    functions: Functions
    caught: bool = False
    depth: int = 0

    def is_quiet(self, body: Iterable[ast.AST], error: str) -> bool:
        """Whether statements only write of an error, and do so."""
        acts = [node for node in _with_error(body, error) if _acts(node)]
        return bool(acts) and all(self._only_kept(node, error) for node in acts)

    def _all(self, body: Iterable[ast.AST], error: str) -> bool:
        return all(self._only_kept(node, error) for node in _with_error(body, error)
                   if _acts(node))  # fmt: skip

    def _only_kept(self, node: ast.AST, error: str) -> bool:
        """Whether a statement writes a line, or keeps something that nobody looks at."""
        match node:
            case ast.Raise() | ast.Assert():
                return self.caught
            case ast.With() | ast.AsyncWith() if attempt := syntax.suppress_as_try(node):
                return self._attempt(attempt, error)
            case ast.With() | ast.AsyncWith() | ast.For():
                return self._all(node.body, error)
            case ast.Try():
                return self._attempt(node, error)
            case ast.If():
                return self._all([*node.body, *node.orelse], error)
            case ast.Match():
                return all(self._all(case.body, error) for case in node.cases if not _is_none(case))
            case ast.AugAssign() | ast.Assign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                own = all(isinstance(target, ast.Name) and target.id not in self.looked_at
                          for target in targets)  # fmt: skip
                return own and all(map(self._only_reads, syntax.calls(node.value)))
            case _:
                pass
        value = node.value if isinstance(node, ast.Expr | ast.Return) else node
        return value is None or (isinstance(value, ast.expr) and self._value(value, error))

    def _value(self, value: ast.expr, error: str) -> bool:
        match value:
            case ast.IfExp():
                return self._value(value.body, error) and self._value(value.orelse, error)
            case ast.BoolOp():
                return all(self._value(node, error) for node in value.values)
            case ast.Call():
                return self._call(value, error)
            case _:
                return not any(syntax.calls(value))

    def _only_reads(self, call: ast.Call) -> bool:
        return (syntax.only_parses(call) and not syntax.only_stores(call)) or syntax.method_name(
            call
        ) == "format"

    def _attempt(self, node: ast.Try, error: str) -> bool:
        caught = any(syntax.catches_all(clause) or "Kafka" in ast.unparse(clause.type or ast.Pass())
                     for clause in node.handlers)  # fmt: skip
        inner = replace(self, caught=self.caught or caught)
        rest = [part for handler in node.handlers for part in handler.body]
        return inner._all([*node.body, *node.orelse], error) and self._all(
            [*rest, *node.finalbody], error
        )

    def _call(self, call: ast.Call, error: str) -> bool:
        if syntax.is_log(call):
            return True
        if syntax.only_stores(call) and syntax.receiver(call).isidentifier():
            return syntax.receiver(call) not in self.looked_at
        own = self.functions.get(syntax.method_name(call), [])
        if len(own) != 1 or self.depth == _DEEPEST:
            return False
        given = [ast.unparse(node) for node in call.args]
        names = [word.arg for word in (*own[0].args.posonlyargs, *own[0].args.args)]
        names = names[1:] if names[:1] in (["self"], ["cls"]) else names
        theirs = names[given.index(error)] if error in given[: len(names)] else ""
        return replace(self, depth=self.depth + 1)._all(_body(own[0]), theirs)


def _is_none(case: ast.match_case) -> bool:
    return isinstance(case.pattern, ast.MatchSingleton) and case.pattern.value is None


def _error(function: Function) -> str:
    """The name of the error that a callback is given; empty where it cannot be told."""
    names = [word.arg for word in (*function.args.posonlyargs, *function.args.args)]
    names = names[1:] if names[:1] in (["self"], ["cls"]) else names
    return names[0] if names else ""


def _body(function: Function) -> list[ast.AST]:
    return [function.body] if isinstance(function, ast.Lambda) else [*function.body]


def _reads(node: ast.AST, name: str) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(node))


def _with_error(body: Iterable[ast.AST], error: str) -> Iterator[ast.AST]:
    """The statements that run where there is an error."""
    for node in body:
        asked, then, other = _sides(node)
        if asked in (error, f"{error} is not None", f"{error} != None"):
            yield from _with_error(then, error)
            if isinstance(then[-1], ast.Return | ast.Raise):
                return
        elif asked in (f"not {error}", f"{error} is None", f"{error} == None"):
            yield from _with_error(other, error)
        else:
            yield node


def _sides(node: ast.AST) -> tuple[str, Sequence[ast.AST], Sequence[ast.AST]]:
    """The condition of a statement, what is done where it holds, and what where it does not."""
    match node.value if isinstance(node, ast.Expr) else node:
        case ast.If(test, then, other):
            return ast.unparse(test), then, other
        case ast.IfExp() as chosen:
            return ast.unparse(chosen.test), (chosen.body,), (chosen.orelse,)
        case ast.BoolOp(ast.And(), [test, does]):
            return ast.unparse(test), (does,), ()
        case _:
            return "", (), ()


def _acts(node: ast.AST) -> bool:
    kinds = (ast.Call, ast.Raise, ast.Assign, ast.AugAssign, ast.Delete, ast.Yield, ast.NamedExpr,
             ast.Assert)  # fmt: skip
    return any(isinstance(inner, kinds) for inner in ast.walk(node))
