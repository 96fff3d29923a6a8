"""Names of what became of something in a Python program, and conditions that compare with one:
`if result == Outcome.FAILED`, `isinstance(result, Failed)`, `result.status is Status.OK`.
"""

from __future__ import annotations

import ast
import re

WRONG = re.compile(r"(?i)(?:\w+\.)*(?:\w*(?:Failure|Failed|Err|Error|Left)|None|False)")
RIGHT = re.compile(
    r"(?i)(?:\w+\.)*(?:\w*(?:Success|Succeeded|Ok|Okay|Right|Some)|True)|2\d\d(?: \| 2\d\d)*"
)
"""Patterns of `match` for what became of something."""


def is_outcome(kind: ast.AST) -> bool:
    """Whether a name is one of what became of something: `Outcome.FAILED`, `Ok`."""
    written = ast.unparse(kind).strip("'")
    return any(known.fullmatch(written) for known in (WRONG, RIGHT)) and written != "None"


def of_state(node: ast.expr) -> ast.expr:
    """What has a state, such as `r` in `r.status`; else the expression."""
    match node:
        case ast.Attribute(value=inner, attr="status" | "state" | "outcome" | "result" | "kind"):
            return inner
        case _:
            return node


def kind_asked(test: ast.AST) -> str:
    """The name of an outcome that a condition compares something with."""
    match test:
        case (
            ast.Compare(
                ops=[ast.Eq() | ast.NotEq() | ast.Is() | ast.IsNot()],
                comparators=[ast.Name() | ast.Attribute() | ast.Constant(str()) as kind],
            )
            | ast.Call(func=ast.Name("isinstance"), args=[_, kind])
        ):
            return ast.unparse(kind).strip("'") if is_outcome(kind) else ""
        case _:
            return ""


def holds_for_failure(test: ast.AST) -> bool:
    """Whether such a condition holds where something failed."""
    is_turned = isinstance(getattr(test, "ops", [None])[0], ast.NotEq | ast.IsNot)
    return bool(WRONG.fullmatch(kind_asked(test))) is not is_turned
