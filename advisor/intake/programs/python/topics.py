"""Topics that a Python program makes: `NewTopic(name, partitions, copies)`.

Sources: confluent_kafka.admin.NewTopic (`replication_factor`, `config`), kafka-python and aiokafka
NewTopic (`replication_factor`, `topic_configs`). Without copies, or with -1, the brokers' default
counts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from advisor.intake.programs.python import syntax
from advisor.intake.programs.topics import CreatedTopic, Pair

_CONFIGS = ("config", "topic_configs")


def created_topics(tree: ast.Module, known: Mapping[str, ast.expr]) -> Iterator[CreatedTopic]:
    """The topics that a program makes; `known` are its names that stand for one value."""
    for call in syntax.calls(tree):
        if syntax.method_name(call) != "NewTopic":
            continue
        given = {word.arg: word.value for word in call.keywords if word.arg}
        copies = call.args[2] if len(call.args) > 2 else given.get("replication_factor")
        configs = [pair for name in _CONFIGS if name in given for pair in _configs(given[name])]
        yield CreatedTopic(call.lineno, _number(copies, known), configs)


def _number(node: ast.expr | None, known: Mapping[str, ast.expr]) -> int | None:
    """A number of copies; 0 where the brokers' default counts, None for what is worked out."""
    if node is None:
        return 0
    node = known.get(node.id, node) if isinstance(node, ast.Name) else node
    try:
        number = ast.literal_eval(node)
    except ValueError:
        return None
    return max(0, number) if isinstance(number, int) else None


def _configs(node: ast.expr) -> Iterator[Pair]:
    if not isinstance(node, ast.Dict):
        yield "configs", None, node.lineno
        return
    for key, value in zip(node.keys, node.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            text = str(value.value) if isinstance(value, ast.Constant) else None
            yield key.value, text, key.lineno
