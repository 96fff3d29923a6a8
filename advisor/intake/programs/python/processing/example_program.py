"""A Python program that is run with example messages (`example_run`): its functions, and what ends
a run or a part of one."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function

_MOST_STEPS, _ITEMS_A_STEP = 100_000, 50
KNOWN_DECORATORS = frozenset({"staticmethod", "classmethod"})
_LISTS = frozenset({"list", "deque", "set"})
Frame = dict[str, Any]
"""The values of names, and a marker for each name that is declared global."""


class Stopped(BaseException):
    """The run ends: there is nothing more to poll."""


class NotRun(BaseException):
    """The code cannot be run."""


class Blocked(BaseException):
    """A worker waits for the next message of its queue."""


class Jump(BaseException):
    """`break`, `continue` or `return`."""

    def __init__(self, kind: type, value: Any = None) -> None:
        self.kind, self.value = kind, value


@dataclass(slots=True)
class Closure:
    """A function of the program, and the frames of the names that it sees."""

    node: Function | ast.Lambda
    frames: list[Frame]


@dataclass(slots=True)
class Bound(Closure):
    """A method of an object."""

    owner: Any


@dataclass
class Program:
    """What all runs of a program share: its functions, its classes, its consumers, and the first
    values of its constants and fields."""

    scopes: Sequence[Function]
    functions: Mapping[str, Function]
    classes: Mapping[str, ast.ClassDef]
    consumers: set[str]
    constants: dict[str, ast.expr]
    executors: set[str]
    producers: set[str]
    """The pools that keep the errors of their tasks."""
    callbacks: Sequence[Function] = ()
    """The functions that are called when partitions are revoked."""
    tested: frozenset[int] = frozenset()
    """The calls whose result is assigned to a name that a condition tests, by their `id`."""
    refusals: frozenset[str] = frozenset()
    """The names of what a lock or a limit that may be refused returned."""
    steps: int = 0
    texts: dict[int, str] = field(default_factory=dict)

    def step(self, count: int = 1) -> None:
        """Counts steps. Raises `NotRun` if the runs take too long."""
        self.steps += count
        if self.steps > _MOST_STEPS:
            raise NotRun

    def count_items(self, *values: Any) -> None:
        """Counts the steps of an operation that copies or reads all items of lists and dicts."""
        lists = sum(len(value) for value in values if isinstance(value, list))
        dicts = sum(len(getattr(value, "entries", ())) for value in values)
        self.step((lists + len(values)) // _ITEMS_A_STEP + dicts)

    def method(self, definition: ast.ClassDef, name: str) -> Function | None:
        """A method of a class, or of a base class of the program."""
        classes, seen = [definition], set[int]()
        while classes:
            definition = classes.pop(0)
            seen.add(id(definition))
            for node in definition.body:
                if isinstance(node, Function) and node.name == name:
                    return node
            bases = [self.classes.get(ast.unparse(base)) for base in definition.bases]
            classes += [base for base in bases if base and id(base) not in seen]
        return None

    def text(self, node: ast.AST) -> str:
        """The source of a node."""
        if id(node) not in self.texts:
            self.texts[id(node)] = ast.unparse(node)
        return self.texts[id(node)]

    def sends(self, call: ast.Call) -> bool:
        """Whether a call is one of a producer."""
        receiver = syntax.receiver(call)
        return receiver in self.producers or "producer" in receiver.lower()

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


def first_value(value: ast.expr | None) -> ast.expr | None:
    """A number, an empty list or a new queue; None for any other value."""
    match value:
        case ast.Constant(value=int() | None) | ast.List(elts=[]):
            return value
        case ast.Call() if syntax.method_name(value) in syntax.QUEUE_CLASSES:
            return value
        case ast.Call(args=arguments, keywords=words) if syntax.method_name(value) in _LISTS:
            is_empty = not arguments and all(word.arg == "maxlen" for word in words)
            return ast.List([], ast.Load()) if is_empty else None
        case ast.Call(keywords=[ast.keyword(arg="default_factory", value=ast.Name("list"))]):
            return ast.List([], ast.Load())
        case _:
            return None
