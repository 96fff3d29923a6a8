"""The outbox pattern: rows of a query are sent, and marked as sent only after that.

A row whose send fails stays as it is, and the next query has it again.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from advisor.intake.programs.python import syntax

MARKS_SENT = re.compile(r"(?:mark|ack|confirm|delete|remove|set_(?:sent|status|state))\w*")
"""A call that marks a row as sent."""


def attempts(tree: ast.AST) -> Iterator[ast.Try]:
    """Yields each `try` that sends a row and then marks it, in a loop over the result of a call.
    The messages of a consumer are no such rows: a poll does not return them again."""
    for loop in () if syntax.consumer_names(tree) else syntax.nodes(tree):
        if not isinstance(loop, ast.For) or not isinstance(loop.iter, ast.Call):
            continue
        items = syntax.names_in(loop.target)
        yield from (
            node for node in ast.walk(loop) if isinstance(node, ast.Try) and _marks(node, items)
        )


def _marks(attempt: ast.Try, items: set[str]) -> bool:
    is_sent = False
    for statement in [*attempt.body, *attempt.orelse]:
        for call in syntax.calls(statement):
            if is_sent and MARKS_SENT.fullmatch(syntax.method_name(call)):
                return bool(items & syntax.names_in(call))
            is_sent = is_sent or syntax.method_name(call) in ("flush", "poll", "result")
    return False
