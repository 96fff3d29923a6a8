"""The transactions of a Python program (see `programs.transactions`)."""

from __future__ import annotations

import ast
import re

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.errors import error_branches
from advisor.intake.programs.transactions import Step, Transactions, separate_offsets

_REWINDING_METHOD = re.compile(
    r"(?i)seek|rewind|reset|unsubscribe|replay|go_?back|restore|incremental_un"
)
_STEPS = {
    "begin_transaction": Step.BEGIN, "produce": Step.SEND,
    "send_offsets_to_transaction": Step.OFFSETS, "commit_transaction": Step.COMMIT,
}  # fmt: skip


def transactions(tree: ast.Module) -> Transactions:
    """Returns the facts about the transactions of a program of confluent-kafka."""
    facts = Transactions()
    calls = [*syntax.calls(tree)]
    consumers = syntax.consumer_names(tree)
    for call in calls:
        if syntax.method_name(call) == "send_offsets_to_transaction":
            facts.offsets = facts.offsets or call.lineno
            facts.with_group = "consumer_group_metadata" in map(syntax.method_name, calls)
            facts.of_itself = facts.of_itself or _line_of_message_offset(tree, call)
        if syntax.method_name(call) == "commit" and syntax.receiver(call) in consumers:
            facts.outside = facts.outside or call.lineno
    places = sorted((call.lineno, call.col_offset, syntax.method_name(call)) for call in calls)
    facts.separate = separate_offsets(
        [(_STEPS[name], line) for line, _, name in places if name in _STEPS]
    )
    rewinds = any(_REWINDING_METHOD.search(syntax.method_name(call)) for call in calls)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Try):
            continue
        final_calls = [call for statement in node.finalbody for call in syntax.calls(statement)]
        commits = [
            call.lineno for call in final_calls if syntax.method_name(call) == "commit_transaction"
        ]
        facts.always = facts.always or min(commits, default=0)
        if consumers and not rewinds:
            aborts = filter(None, (_continuing_abort(node, handler) for handler in node.handlers))
            facts.continues = facts.continues or next(aborts, 0)
    return facts


def _continuing_abort(attempt: ast.Try, handler: ast.ExceptHandler) -> int:
    """The line where a handler aborts a transaction and the program continues, for one of the
    errors that its conditions tell apart; 0 if there is none."""
    for statements in error_branches.branches(handler, attempt):
        nodes = [inner for statement in statements for inner in ast.walk(statement)]
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        names = {*map(syntax.method_name, calls)}
        leaves = any(isinstance(node, ast.Raise | ast.Return | ast.Break) for node in nodes)
        if leaves or names & {"exit", "_exit", "close"}:
            continue
        for call in calls:
            if syntax.method_name(call) == "abort_transaction":
                return call.lineno
    return 0


def _line_of_message_offset(tree: ast.Module, call: ast.Call) -> int:
    """The line where a transaction commits the offset of the message itself, and not the next one;
    0 if there is none."""
    names = {
        inner.id
        for argument in call.args
        for inner in ast.walk(argument)
        if isinstance(inner, ast.Name)
    }
    values = [
        node.value for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id in names for target in node.targets
        )
    ]  # fmt: skip
    for created in (created for value in (*call.args, *values) for created in syntax.calls(value)):
        offsets = [
            *created.args[2:3],
            *(keyword.value for keyword in created.keywords if keyword.arg == "offset"),
        ]
        if syntax.method_name(created) == "TopicPartition" and any(
            syntax.method_name(call) == "offset" for call in offsets
        ):
            return created.lineno
    return 0
