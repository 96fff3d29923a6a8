"""A Python program that is run with example messages (`example_run`): its functions, and what ends
a run or a part of one."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function

Frame = dict[str, Any]
"""The values of names, and a marker for each name that is declared global."""


class Stopped(BaseException):
    """The run ends: there is nothing more to poll."""


class NotRun(BaseException):
    """The code cannot be run."""


class Jump(BaseException):
    """`break`, `continue` or `return`."""

    def __init__(self, kind: type, value: Any = None) -> None:
        self.kind, self.value = kind, value


@dataclass(slots=True)
class Closure:
    """A function of the program, and the frames of the names that it sees."""

    node: Function | ast.Lambda
    frames: list[Frame]


@dataclass
class Program:
    """What all runs of a program share: its functions, its consumers, and the first values of its
    constants and fields."""

    functions: Mapping[str, Function]
    consumers: set[str]
    constants: dict[str, ast.expr]
    callbacks: Sequence[Function] = ()
    """The functions that are called when partitions are revoked."""
    steps: int = 0
    texts: dict[int, str] = field(default_factory=dict)

    def text(self, node: ast.AST) -> str:
        """The source of a node."""
        if id(node) not in self.texts:
            self.texts[id(node)] = ast.unparse(node)
        return self.texts[id(node)]

    def polls(self, node: ast.AST) -> bool:
        """Whether a node polls, or calls a function of the program that does."""
        functions = [
            function for call in syntax.calls(node)
            if (function := self.functions.get(syntax.method_name(call)))
        ]  # fmt: skip
        return any(
            syntax.polls(call, self.consumers)
            for inner in (node, *functions) for call in syntax.calls(inner)
        )  # fmt: skip


def is_generator(node: Function | ast.Lambda) -> bool:
    """Whether a function is a generator."""
    body = node.body if isinstance(node, Function) else []
    parts = (part for statement in body for part in syntax.own_nodes(statement))
    return any(isinstance(part, ast.Yield | ast.YieldFrom) for part in parts)
