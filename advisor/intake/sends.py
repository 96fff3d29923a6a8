"""What programs make of the messages that they send."""

from __future__ import annotations

import ast

from advisor.catalog import Component
from advisor.intake.reading import Reading

_TAKES = frozenset({"callback", "on_delivery", None})
"""Keywords that hear of a send; None is a dict that may hold one."""
_POSITION = 4
"""Of the callback among the arguments of confluent-kafka's `produce`."""


def unheard(reading: Reading, line: int) -> None:
    """States that nobody hears of a send that fails."""
    reading.state(Component.APPLICATION, "delivery.errors", "ignored", line)
    words = "nothing takes the result of this send, so that one that fails goes unnoticed"
    reading.note(line, f"{words} (application.delivery.errors)")


def unheard_in_python(tree: ast.Module) -> int:
    """The line of a `produce` of confluent-kafka without a callback; 0 if there is none, or if
    transactions are committed, which fail with it. Errors come by the callback alone."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    if any(_verb(call) == "commit_transaction" for call in calls):
        return 0
    alone = (node.value for node in ast.walk(tree) if isinstance(node, ast.Expr))
    lines = (
        call.lineno
        for call in alone
        if isinstance(call, ast.Call) and _verb(call) == "produce"
        and len(call.args) <= _POSITION
        and not any(_hears(word) for word in call.keywords)
        and not any(isinstance(given, ast.Starred) for given in call.args)
    )  # fmt: skip
    return min(lines, default=0)


def _hears(word: ast.keyword) -> bool:
    is_none = isinstance(word.value, ast.Constant) and word.value.value is None
    return word.arg in _TAKES and not is_none


def _verb(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""
