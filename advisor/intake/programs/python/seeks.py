"""Seeks of a program of confluent-kafka: positions that it sets itself, regardless of the offsets
that its group has committed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.intake.programs.facts import DROPS, STARTS_AT_END, STARTS_ELSEWHERE
from advisor.intake.programs.python import syntax

_OFFSET_LOOKUPS = {"get_watermark_offsets", "offsets_for_times"}
_POSITION_CALLS = {"pause", "seek", "assign"}
_ASSIGNMENT_ROUNDS = 3


def refused_seeks(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yields the lines where a consumer skips messages, each with the reason why the program is
    refused."""
    for node in syntax.nodes(tree):
        name = node.id if isinstance(node, ast.Name) else ""
        name = node.attr if isinstance(node, ast.Attribute) else name
        if isinstance(node, ast.Name | ast.Attribute) and name == "OFFSET_END":
            yield node.lineno, f"{name}: {STARTS_AT_END}"
        if syntax.begins_at_end(node):
            yield node.lineno, f"the offset -1: {STARTS_AT_END}"
    for line in _computed_positions(tree):
        yield line, f"offset: {STARTS_ELSEWHERE}"
    for line in _discarded_polls(tree):
        yield line, f"poll: {DROPS}"


def _computed_positions(tree: ast.Module) -> Iterator[int]:
    """Yields the lines where a partition is set to its end, or to the offset of a time."""
    if not any(syntax.method_name(call) in _OFFSET_LOOKUPS for call in syntax.calls(tree)):
        return
    names = set[str]()
    for _ in range(_ASSIGNMENT_ROUNDS):
        for node in syntax.nodes(tree):
            if isinstance(node, ast.Assign) and _is_looked_up(node.value, names):
                for target in node.targets:
                    names |= _high_watermark_names(target)
            elif isinstance(node, ast.For) and _is_looked_up(node.iter, names):
                names |= _high_watermark_names(node.target)
    for node in syntax.nodes(tree):
        if isinstance(node, ast.Assign):
            sets_offset = any(
                isinstance(target, ast.Attribute) and target.attr == "offset"
                for target in node.targets
            )
            if sets_offset and _is_looked_up(node.value, names):
                yield node.lineno
        elif isinstance(node, ast.Call):
            offsets = [word.value for word in node.keywords if word.arg == "offset"]
            positions = {"TopicPartition": [*node.args[2:3], *offsets]}
            positions |= dict.fromkeys(("seek", "assign"), node.args[:1])
            if any(
                _is_looked_up(argument, names)
                for argument in positions.get(syntax.method_name(node), [])
            ):
                yield node.lineno


def _high_watermark_names(target: ast.expr) -> set[str]:
    """The names in the target of an assignment; of a pair of watermarks, the high one."""
    is_pair = isinstance(target, ast.Tuple) and len(target.elts) == 2
    last = target.elts[1] if isinstance(target, ast.Tuple) and is_pair else target
    return {node.id for node in ast.walk(last) if isinstance(node, ast.Name)}


def _is_looked_up(node: ast.expr, names: set[str]) -> bool:
    """Whether an expression uses the result of an offset lookup, or one of these names. The first
    of two watermarks is the beginning, and does not count."""
    if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "0":
        return False
    nodes = [*ast.walk(node)]
    return any(
        isinstance(inner, ast.Call) and syntax.method_name(inner) in _OFFSET_LOOKUPS
        for inner in nodes
    ) or any(isinstance(inner, ast.Name) and inner.id in names for inner in nodes)


def _discarded_polls(tree: ast.Module) -> Iterator[int]:
    """Yields the lines that poll and ignore the message, in a consumer that neither pauses nor
    seeks."""
    if any(syntax.method_name(call) in _POSITION_CALLS for call in syntax.calls(tree)):
        return
    consumers = syntax.consumer_names(tree)
    statements = [node.value for node in syntax.nodes(tree) if isinstance(node, ast.Expr)]
    for call in statements:
        if isinstance(call, ast.Call) and syntax.polls(call, consumers):
            yield call.lineno
