"""Names of outcomes in a Python program, and conditions that compare a value with one: `if result
== Outcome.FAILED`, `isinstance(result, Failed)`, `result.status is Status.OK`.
"""

from __future__ import annotations

import ast
import re

from advisor.intake.programs.facts import VERBS

FAILURE = re.compile(
    r"(?i)(?:\w+\.)*(?:\w*(?:Failure|Failed|Err|Error|Left|Reject(?:ed)?|Fatal|Timeout|Timed_?Out"
    r"|Aborted|Denied|Unavailable)|None|False)"
)
SUCCESS = re.compile(
    r"(?i)(?:\w+\.)*(?:\w*(?:Success|Succeeded|Ok|Okay|Right|Some)|True)|2\d\d(?: \| 2\d\d)*"
)
"""Names of outcomes, also in the patterns of a `match`; `2xx` is a status of HTTP."""

ACTION = re.compile(rf"_*{VERBS}\w*")
"""Methods that act on something, and may return whether they succeeded."""
FAILURES = re.compile(r"(?i)_*(?:\w+_)?(?:fail|error|reject|unsaved|unprocessed|unsent)\w*")
"""Names of what holds the messages that failed."""


def is_outcome(name: str) -> bool:
    """Whether a name is that of an outcome: `Outcome.FAILED`, `Ok`."""
    return any(outcome.fullmatch(name) for outcome in (FAILURE, SUCCESS)) and name != "None"


def state_owner(node: ast.expr) -> ast.expr:
    """The object that has a state, such as `r` in `r.status`; any other expression itself."""
    match node:
        case ast.Attribute(value=inner, attr="status" | "state" | "outcome" | "result" | "kind"):
            return inner
        case _:
            return node


def compared_outcome(test: ast.AST) -> str:
    """The name of the outcome with which a condition compares a value; empty if there is none."""
    match test:
        case (
            ast.Compare(
                ops=[ast.Eq() | ast.NotEq() | ast.Is() | ast.IsNot()],
                comparators=[ast.Name() | ast.Attribute() | ast.Constant(str()) as name],
            )
            | ast.Call(func=ast.Name("isinstance"), args=[_, name])
        ):
            source = ast.unparse(name).strip("'")
            return source if is_outcome(source) else ""
        case _:
            return ""


def holds_for_failure(test: ast.AST) -> bool:
    """Whether such a condition holds if the operation failed."""
    is_negated = isinstance(getattr(test, "ops", [None])[0], ast.NotEq | ast.IsNot)
    return bool(FAILURE.fullmatch(compared_outcome(test))) is not is_negated
