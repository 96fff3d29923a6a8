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


def is_open_circuit(test: ast.expr) -> bool:
    """Whether a condition asks a circuit breaker whether it is open, and then refuses messages."""
    match test:
        case ast.Call(func=ast.Attribute(attr="is_open" | "opened"), args=[]):
            return True
        case ast.Attribute(attr="is_open" | "opened"):
            return True
        case ast.Compare(ast.Attribute(), [ast.Eq()], [ast.Constant("open" | "OPEN")]):
            return True
        case _:
            return False


def may_refuse(call: ast.Call) -> bool:
    """Whether a call acquires a lock or a limit that may be refused (threading, Lock.acquire), or
    asks whether the target of messages is up."""
    name, receiver = syntax.method_name(call), syntax.receiver(call)
    if name == "acquire":
        arguments = [*call.args, *(word.value for word in call.keywords)]
        return any(ast.unparse(value) not in ("True", "-1") for value in arguments)
    if name in _IS_UP:
        return bool(_TARGET.search(receiver))
    return name == "try_acquire" or (name in _PERMITS and bool(_LIMITER.search(receiver)))
