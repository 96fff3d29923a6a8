"""What a Python program does with its transactions (`programs.transactions`)."""

from __future__ import annotations

import ast
import re

from advisor.intake.programs.python import syntax
from advisor.intake.programs.transactions import Transactions

_BACK_NAME = re.compile(r"(?i)seek|rewind|reset|unsubscribe|replay|go_?back|restore|incremental_un")


def transactions(tree: ast.Module) -> Transactions:
    """Those of a program of confluent-kafka."""
    found = Transactions()
    calls = [*syntax.calls(tree)]
    consumers = syntax.consumer_names(tree)
    for call in calls:
        if syntax.method_name(call) == "send_offsets_to_transaction":
            found.offsets = found.offsets or call.lineno
            found.with_group = "consumer_group_metadata" in map(syntax.method_name, calls)
            found.of_itself = found.of_itself or _of_itself(tree, call)
        if syntax.method_name(call) == "commit" and syntax.receiver(call) in consumers:
            found.outside = found.outside or call.lineno
    goes_back = any(_BACK_NAME.search(syntax.method_name(call)) for call in calls)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Try):
            continue
        ends = [call for part in node.finalbody for call in syntax.calls(part)]
        commits = [call.lineno for call in ends if syntax.method_name(call) == "commit_transaction"]
        found.always = found.always or min(commits, default=0)
        for handler in node.handlers:
            inside = [call for part in handler.body for call in syntax.calls(part)]
            aborts = [
                call.lineno for call in inside if syntax.method_name(call) == "abort_transaction"
            ]
            leaves = any(
                isinstance(inner, ast.Raise | ast.Return | ast.Break) for inner in ast.walk(handler)
            ) or any(syntax.method_name(call) in ("exit", "_exit", "close") for call in inside)
            if aborts and consumers and not leaves and not goes_back:
                found.continues = found.continues or aborts[0]
    return found


def _of_itself(tree: ast.Module, call: ast.Call) -> int:
    """The line where one of the offsets of a transaction is that of a message itself."""
    names = {
        inner.id for part in call.args for inner in ast.walk(part) if isinstance(inner, ast.Name)
    }
    filled = [
        node.value for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id in names for target in node.targets
        )
    ]  # fmt: skip
    for made in (made for value in (*call.args, *filled) for made in syntax.calls(value)):
        offsets = [*made.args[2:3], *(word.value for word in made.keywords if word.arg == "offset")]
        if syntax.method_name(made) == "TopicPartition" and any(
            syntax.method_name(call) == "offset" for call in offsets
        ):
            return made.lineno
    return 0
