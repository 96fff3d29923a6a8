"""Seeks of a program of confluent-kafka: positions that it chooses itself, whatever its group has
committed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.intake.programs.facts import DROPS, STARTS_AT_END, STARTS_ELSEWHERE
from advisor.intake.programs.python import syntax

_PLACES = {"get_watermark_offsets", "offsets_for_times"}
_ELSEWHERE = {"pause", "seek", "assign"}
_STEPS = 3


def refused_seeks(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Lines where a reader is taken past messages, and why that is not advised on."""
    for node in syntax.nodes(tree):
        name = node.id if isinstance(node, ast.Name) else ""
        name = node.attr if isinstance(node, ast.Attribute) else name
        if isinstance(node, ast.Name | ast.Attribute) and name == "OFFSET_END":
            yield node.lineno, f"{name}: {STARTS_AT_END}"
        if syntax.begins_at_end(node):
            yield node.lineno, f"the offset -1: {STARTS_AT_END}"
    for line in _elsewhere(tree):
        yield line, f"offset: {STARTS_ELSEWHERE}"
    for line in _dropped(tree):
        yield line, f"poll: {DROPS}"


def _elsewhere(tree: ast.Module) -> Iterator[int]:
    """Lines where a partition is given its end, or an offset by its time."""
    if not any(syntax.method_name(call) in _PLACES for call in syntax.calls(tree)):
        return
    names = set[str]()
    for _ in range(_STEPS):
        for node in syntax.nodes(tree):
            if isinstance(node, ast.Assign) and _is_place(node.value, names):
                for target in node.targets:
                    names |= _high(target)
            elif isinstance(node, ast.For) and _is_place(node.iter, names):
                names |= _high(node.target)
    for node in syntax.nodes(tree):
        if isinstance(node, ast.Assign):
            to = any(
                isinstance(target, ast.Attribute) and target.attr == "offset"
                for target in node.targets
            )
            if to and _is_place(node.value, names):
                yield node.lineno
        elif isinstance(node, ast.Call):
            offsets = [word.value for word in node.keywords if word.arg == "offset"]
            given = {"TopicPartition": [*node.args[2:3], *offsets]}
            given |= dict.fromkeys(("seek", "assign"), node.args[:1])
            if any(
                _is_place(argument, names) for argument in given.get(syntax.method_name(node), [])
            ):
                yield node.lineno


def _high(target: ast.expr) -> set[str]:
    """The names that a target gives; of a pair of watermarks, the high one."""
    pair = isinstance(target, ast.Tuple) and len(target.elts) == 2
    last = target.elts[1] if isinstance(target, ast.Tuple) and pair else target
    return {node.id for node in ast.walk(last) if isinstance(node, ast.Name)}


def _is_place(node: ast.expr, names: set[str]) -> bool:
    """Whether an expression is worked out from such a call, or from these names; the first of two
    watermarks is the beginning."""
    if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "0":
        return False
    inner = [*ast.walk(node)]
    return any(
        isinstance(part, ast.Call) and syntax.method_name(part) in _PLACES for part in inner
    ) or any(isinstance(part, ast.Name) and part.id in names for part in inner)


def _dropped(tree: ast.Module) -> Iterator[int]:
    """Lines that poll and take no message, of a reader that neither pauses nor seeks."""
    if any(syntax.method_name(call) in _ELSEWHERE for call in syntax.calls(tree)):
        return
    consumers = syntax.consumer_names(tree)
    alone = [node.value for node in syntax.nodes(tree) if isinstance(node, ast.Expr)]
    for call in alone:
        if isinstance(call, ast.Call) and syntax.polls(call, consumers):
            yield call.lineno
