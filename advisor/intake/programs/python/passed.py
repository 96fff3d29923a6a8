"""Statements of a Python program that go on whatever became of a message.

Sources: concurrent.futures (`exception` returns the error, and the functions of `add_done_callback`
are called after one, too); The Python Language Reference, 8.4.4 (`return` and `continue` in
`finally` drop the error); confluent-kafka, Consumer.seek.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from advisor.intake.programs.python import words
from advisor.intake.programs.python.branch import Branch
from advisor.intake.programs.python.made import Function

_TOO_FAR = re.compile(r"\.offset\(\) \+ (?!1\b)\d")
_NEXT = re.compile(r"\.offset\(\) \+ 1\b")


def too_far(call: ast.Call) -> bool:
    """Whether a call commits the offset behind the next message, too."""
    return words.verb(call) in words.COMMITS and bool(_TOO_FAR.search(ast.unparse(call)))


def is_behind(value: ast.expr, names: set[str]) -> bool:
    """Whether a commit that is given this is behind a message of these names."""
    if isinstance(value, ast.Name) and value.id in names:
        return True
    return bool(words.names_in(value) & names) and ".offset() + 1" in ast.unparse(value)


def seeks_next(call: ast.Call) -> bool:
    """Whether a call goes on behind a message."""
    return words.verb(call) == "seek" and bool(_NEXT.search(ast.unparse(call)))


def tells_of_future(node: ast.stmt) -> bool:
    """Whether a condition asks a future for its error, only to write of it."""
    asked = words.calls(node.test) if isinstance(node, ast.If) else ()
    is_asked = any(words.verb(it) == "exception" and not it.args for it in asked)
    return is_asked and words.goes_on([node], lambda call: False, in_function=False)


def done_by(call: ast.Call) -> list[ast.expr]:
    """What is called as soon as others are done with what they were given."""
    return call.args if words.verb(call) == "add_done_callback" else []


def asks(body: ast.AST) -> bool:
    """Whether what is done behind a future asks it for its error."""
    return any(words.verb(it) in ("result", "exception") for it in words.calls(body))


def ends(body: Iterable[ast.stmt], *, in_function: bool) -> int:
    """The line where `finally` drops an error; 0 if it drops none."""
    dropping = (ast.Continue, ast.Return) if in_function else ast.Continue
    return next((node.lineno for node in body if isinstance(node, dropping)), 0)


def is_left_aside(call: ast.Call, functions: Iterable[Function], unread: set[int]) -> bool:
    """Whether a coroutine of the file is made, and nothing awaits it: it never runs."""
    return id(call) in unread and any(isinstance(it, ast.AsyncFunctionDef) for it in functions)


def takes_apart(node: ast.Try, branch: Branch) -> bool:
    """Whether an attempt reads a message that was polled before it."""
    calls = (call for one in node.body for call in words.calls(one))
    of_message = (call for call in calls if words.names_in(call) & branch.names)
    return branch.polled >= 0 and any(words.takes_apart(call) for call in of_message)
