"""A dict of settings in a Python program, and a client that takes one."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import NamedTuple

from advisor.catalog import Component

CONF = frozenset({"conf", "config", "producer_conf", "consumer_conf"})
"""Keywords by which a client is handed its dict."""
LONGEST_NAME = 100
"""Letters of a name that are looked at."""
Function = ast.FunctionDef | ast.AsyncFunctionDef
_AIO, _AVRO = "AIO", "Avro"
"""Clients whose keywords and keys are their own, and not settings of Kafka."""
_OF_REGISTRY = "schema.registry."
"""What clients of `confluent_kafka.avro` take out of their dict (confluent_kafka/avro)."""


class Pair(NamedTuple):
    """A key with its value, where it stands."""

    key: str
    value: ast.expr
    line: int


@dataclass(slots=True)
class SettingsDict:
    """A dict.

    `doubts` are keys that depend on a condition, and `unread` the lines that put into it what is
    not known. `branch` is the path of conditions under which it was made.
    """

    name: str
    line: int
    branch: tuple[int, ...] = ()
    pairs: dict[str, Pair] = field(default_factory=dict)
    inner: dict[str, SettingsDict] = field(default_factory=dict)
    doubts: dict[str, int] = field(default_factory=dict)
    unread: list[int] = field(default_factory=list)
    origin: int = 0
    """Tells expressions apart: a function that is called twice makes two dicts of one."""
    is_unknown: bool = False
    """Whether it comes from elsewhere, so that it may not be a dict."""

    is_part: bool = False
    """Whether another dict, or a client, has what it holds."""

    is_of_others: bool = False
    """Whether something that is not a client is made of it."""

    def put(self, pair: Pair, branch: tuple[int, ...]) -> None:
        """Puts a pair in, or a doubt where that depends on a condition."""
        before = self.pairs.get(pair.key)
        if self.branch[: len(branch)] == branch:
            self.doubts.pop(pair.key, None)
            self.pairs[pair.key] = pair
        elif before is None or ast.dump(before.value) != ast.dump(pair.value):
            self.pairs.setdefault(pair.key, pair)
            self.doubts[pair.key] = pair.line

    def merge(self, other: SettingsDict, branch: tuple[int, ...]) -> None:
        """Puts all of another dict in."""
        other.is_part = True
        for pair in other.pairs.values():
            self.put(pair, branch)
        self.inner |= other.inner
        self.doubts |= other.doubts
        self.unread += other.unread

    def joined(self, other: SettingsDict) -> SettingsDict:
        """This dict or the other one, whichever a condition chooses."""
        either = SettingsDict(self.name, self.line, self.branch)
        either.merge(self, self.branch)
        either.inner |= other.inner
        either.unread += other.unread
        for key in self.pairs.keys() | other.pairs.keys():
            one, two = self.pairs.get(key), other.pairs.get(key)
            if not one or not two or ast.dump(one.value) != ast.dump(two.value):
                pair = two or one
                either.doubts[key] = pair.line if pair else self.line
                if two:
                    either.pairs.setdefault(key, two)
        either.doubts |= other.doubts
        other.is_part = True
        return either


class Client(NamedTuple):
    """A client that the code makes; `settings` is None where nothing of them is in the file."""

    component: Component
    line: int
    settings: SettingsDict | None
    of_parameter: bool


def keywords(call: ast.Call, settings: SettingsDict) -> list[ast.keyword]:
    """The keywords of a client that are settings; of its dict, its registry's keys are dropped."""
    called = ast.unparse(call.func).rpartition(".")[2]
    if called.startswith(_AIO):
        return []
    if called.startswith(_AVRO):
        for key in [key for key in settings.pairs if key.startswith(_OF_REGISTRY)]:
            settings.pairs.pop(key)
    own = [word for word in call.keywords if word.arg not in CONF]
    own = [word for word in own if word.arg is None or not word.arg.endswith("schema")]
    return [word for word in own if word.arg not in ("logger", "schema_registry")]


def dotted_name(value: ast.expr) -> str:
    """A name as it is written; empty for anything else."""
    is_name = isinstance(value, ast.Name | ast.Attribute)
    return ast.unparse(value)[:LONGEST_NAME] if is_name else ""


def attributes_of_class(node: ast.stmt) -> list[str]:
    """The names that a statement of a class gives to what it has."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    targets = [node.target] if isinstance(node, ast.AnnAssign) and node.value else targets
    return [target.id for target in targets if isinstance(target, ast.Name)]


def parameters(function: Function) -> list[str]:
    every = function.args
    return [word.arg for word in (*every.posonlyargs, *every.args, *every.kwonlyargs)]
