"""Errors that a function of a Python program catches and returns, and what its caller does then.

Sources of the decorators that catch errors: loguru (`logger.catch`); backoff (`on_predicate`, which
returns the last result after the last attempt).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.intake.programs.python.clients import Function
from advisor.intake.programs.python.errors.flags import Flags, flag_assignment


@dataclass(frozen=True, slots=True)
class CallResult:
    """What a caller does with the result of a call: whether it uses it, and the names to which it
    assigns it. `flags` are those of the caller."""

    is_used: bool = False
    names: tuple[str, ...] = ()
    flags: Flags | None = None
    in_function: bool = False

    def ignores(self, failures: Sequence[bool]) -> bool:
        """Whether conditions check all the names, and do nothing if they have these values."""
        flags = self.flags
        return flags is not None and len(self.names) == len(failures) and all(
            flags.asks(name) and flags.is_idle(name, value, in_function=self.in_function)
            for name, value in zip(self.names, failures, strict=True)
        )  # fmt: skip

    def handles(self, failures: Sequence[bool]) -> bool:
        """Whether conditions check one of the names, and do something if it has this value."""
        flags = self.flags
        return flags is not None and len(self.names) == len(failures) and any(
            flags.asks(name) and not flags.is_idle(name, value, in_function=self.in_function)
            for name, value in zip(self.names, failures, strict=True)
        )  # fmt: skip


UNUSED = CallResult()


def assigned_names(tree: ast.AST) -> dict[int, tuple[str, ...]]:
    """The names to which the result of each call is assigned, by the `id` of the call."""
    names = dict[int, tuple[str, ...]]()
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[target], value=value):
                call = value.value if isinstance(value, ast.Await) else value
                elements = getattr(target, "elts", [target])
                if all(isinstance(element, ast.Name) for element in elements):
                    names[id(call)] = tuple(element.id for element in elements)
            case _:
                pass
    return names


def reports_error(
    scope: ast.AST, attempt: ast.Try, handler: ast.ExceptHandler, flags: Flags, result: CallResult
) -> bool:
    """Whether a function returns the error that its handler catches, and its caller handles it.
    `flags` are those of the function."""
    if not result.is_used:
        return False
    failures = _failures(scope, attempt, handler)
    if flags.tells(attempt, handler):
        return not result.ignores(failures)
    return bool(failures) and result.handles(failures)


def swallowing_decorator_line(function: Function, result: CallResult) -> int:
    """The line of a library's decorator that swallows the errors of a function, or returns a
    failure that its caller does not handle; 0 if there is none."""
    for decorator in function.decorator_list:
        keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
        values = {word.arg: ast.unparse(word.value) for word in keywords}
        name = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
        if name.endswith("logger.catch") and values.get("reraise") != "True":
            return decorator.lineno
        is_unchecked = not result.is_used or result.ignores([False])
        if name.endswith("backoff.on_predicate") and is_unchecked:
            return decorator.lineno
    return 0


def _failures(scope: ast.AST, attempt: ast.Try, handler: ast.ExceptHandler) -> list[bool]:
    """The truth values of what a function returns after an error; empty if they are unknown."""
    returns = [node for node in ast.walk(handler) if isinstance(node, ast.Return)]
    inside = {id(node) for node in ast.walk(attempt)}
    following = [node for node in ast.walk(scope)
                 if isinstance(node, ast.Return) and id(node) not in inside]  # fmt: skip
    values = {ast.unparse(node) for node in returns or following}
    if len(values) > 1:
        return []
    value = (returns or following)[0].value if values else None
    match value:
        case None:
            return [False]
        case ast.Constant(constant):
            return [bool(constant)]
        case ast.Call(args=arguments, keywords=words) if any(
            isinstance(part, ast.Constant) and part.value is False
            for part in (*arguments, *(word.value for word in words))
        ):
            return [False]  # an object such as Result(ok=False)
        case ast.Tuple(elts=elements):
            return [
                bool(element.value) if isinstance(element, ast.Constant) else True
                for element in elements
            ]
        case ast.Name(id=name):
            pairs = filter(None, map(flag_assignment, handler.body))
            assigned = [is_true for target, is_true in pairs if target == name]
            return assigned[:1] or ([True] if name == handler.name else [])
        case _:
            return []
