"""Conditions of Python code about limits of a rate, locks, and whether a target is up."""

from __future__ import annotations

import ast
import re

from advisor.intake.programs.python import syntax

_IS_UP = frozenset({"is_up", "is_healthy", "healthy", "is_available", "is_connected", "ping"})
_TARGET = re.compile(
    r"(?i)health|db|database|conn|client|service|sink|downstream|target|pool|redis"
)
_PERMITS = frozenset({"allow", "allow_request", "is_allowed", "hit", "consume"})
_LIMITER = re.compile(r"(?i)limit|bucket|breaker|circuit|throttl")
"""Names of limits of a rate and of circuit breakers."""


def refusal_names(tree: ast.Module) -> frozenset[str]:
    """The names to which a program assigns the result of a call that `may_refuse`."""
    return frozenset(
        target.id for node in syntax.nodes(tree) if isinstance(node, ast.Assign)
        for target in node.targets if isinstance(target, ast.Name) and may_refuse(node.value)
    )  # fmt: skip


def may_refuse(test: ast.expr) -> bool:
    """Whether a condition asks for a lock or a limit that may be refused, whether a circuit breaker
    is open, or whether the target of messages is up."""
    return _is_open_circuit(test) or any(map(_is_refusal, syntax.calls(test)))


def _is_open_circuit(test: ast.expr) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _is_open_circuit(inner)
        case ast.Call(func=ast.Attribute(attr="is_open" | "opened"), args=[]):
            return True
        case ast.Attribute(attr="is_open" | "opened"):
            return True
        case ast.Compare(ast.Attribute(), [ast.Eq()], [ast.Constant("open" | "OPEN")]):
            return True
        case _:
            return False


def _is_refusal(call: ast.Call) -> bool:
    """A lock that is not awaited without limit may be refused (threading, Lock.acquire)."""
    name, receiver = syntax.method_name(call), syntax.receiver(call)
    if name == "acquire":
        arguments = [*call.args, *(word.value for word in call.keywords)]
        return any(ast.unparse(value) not in ("True", "-1") for value in arguments)
    if name in _IS_UP:
        return bool(_TARGET.search(receiver))
    return name == "try_acquire" or (name in _PERMITS and bool(_LIMITER.search(receiver)))
