"""A dict of settings in a Python program, and a client that it configures."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import NamedTuple

from advisor.catalog import Component

CONFIG_KEYWORDS = frozenset({"conf", "config", "producer_conf", "consumer_conf"})
"""Keywords under which a client takes its dict."""
MAX_NAME_LENGTH = 100
"""Characters of a name that are compared."""
Function = ast.FunctionDef | ast.AsyncFunctionDef
_AIO, _AVRO = "AIO", "Avro"
"""Prefixes of clients whose keywords and keys include names that are no settings of Kafka."""
_REGISTRY_PREFIX = "schema.registry."
"""Keys that clients of `confluent_kafka.avro` remove from their dict (confluent_kafka/avro)."""


class Pair(NamedTuple):
    """A key with its value, and the line of both."""

    key: str
    value: ast.expr
    line: int


@dataclass(slots=True)
class SettingsDict:
    """A dict of settings.

    `doubts` are keys that depend on a condition, and `unread` the lines that add settings which
    cannot be read. `branch` is the path of conditions under which the dict is created.
    """

    name: str
    line: int
    branch: tuple[int, ...] = ()
    pairs: dict[str, Pair] = field(default_factory=dict)
    inner: dict[str, SettingsDict] = field(default_factory=dict)
    doubts: dict[str, int] = field(default_factory=dict)
    unread: list[int] = field(default_factory=list)
    origin: int = 0
    """Identifies the expression: a function that is called twice creates two dicts from one."""
    is_unknown: bool = False
    """Whether it comes from another file, so that it may not be a dict."""

    is_contained: bool = False
    """Whether another dict, or a client, contains its settings."""

    is_for_other_object: bool = False
    """Whether it configures an object that is not a client."""

    def put(self, pair: Pair, branch: tuple[int, ...]) -> None:
        """Adds a pair, and a doubt if it depends on a condition."""
        before = self.pairs.get(pair.key)
        if self.branch[: len(branch)] == branch:
            self.doubts.pop(pair.key, None)
            self.pairs[pair.key] = pair
        elif before is None or ast.dump(before.value) != ast.dump(pair.value):
            self.pairs.setdefault(pair.key, pair)
            self.doubts[pair.key] = pair.line

    def merge(self, other: SettingsDict, branch: tuple[int, ...]) -> None:
        """Adds all settings of another dict."""
        other.is_contained = True
        for pair in other.pairs.values():
            self.put(pair, branch)
        self.inner |= other.inner
        self.doubts |= other.doubts
        self.unread += other.unread

    def join(self, other: SettingsDict) -> SettingsDict:
        """Returns this dict or the other one, whichever a condition chooses."""
        either = SettingsDict(self.name, self.line, self.branch)
        either.merge(self, self.branch)
        either.inner |= other.inner
        either.unread += other.unread
        for key in self.pairs.keys() | other.pairs.keys():
            first, second = self.pairs.get(key), other.pairs.get(key)
            if not first or not second or ast.dump(first.value) != ast.dump(second.value):
                pair = second or first
                either.doubts[key] = pair.line if pair else self.line
                if second:
                    either.pairs.setdefault(key, second)
        either.doubts |= other.doubts
        other.is_contained = True
        return either


class Client(NamedTuple):
    """A client that the code creates; `settings` is None if none of them are in the file."""

    component: Component
    line: int
    settings: SettingsDict | None
    is_parameter: bool


def setting_keywords(call: ast.Call, settings: SettingsDict) -> list[ast.keyword]:
    """The keywords of a client that are settings. Removes the keys of the schema registry from its
    dict."""
    class_name = ast.unparse(call.func).rpartition(".")[2]
    if class_name.startswith(_AIO):
        return []
    if class_name.startswith(_AVRO):
        for key in [key for key in settings.pairs if key.startswith(_REGISTRY_PREFIX)]:
            settings.pairs.pop(key)
    keywords = [word for word in call.keywords if word.arg not in CONFIG_KEYWORDS]
    keywords = [word for word in keywords if word.arg is None or not word.arg.endswith("schema")]
    return [word for word in keywords if word.arg not in ("logger", "schema_registry")]


def dotted_name(value: ast.expr) -> str:
    """A name as it is written; empty for any other expression."""
    is_name = isinstance(value, ast.Name | ast.Attribute)
    return ast.unparse(value)[:MAX_NAME_LENGTH] if is_name else ""


def class_attributes(node: ast.stmt) -> list[str]:
    """The names of the class attributes that a statement assigns."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    targets = [node.target] if isinstance(node, ast.AnnAssign) and node.value else targets
    return [target.id for target in targets if isinstance(target, ast.Name)]


def parameters(function: Function) -> list[str]:
    arguments = function.args
    return [word.arg for word in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
