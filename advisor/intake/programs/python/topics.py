"""Topics that a Python program creates: `NewTopic(name, partitions, replicas)`.

Sources: confluent_kafka.admin.NewTopic (`replication_factor`, `config`), kafka-python and aiokafka
NewTopic (`replication_factor`, `topic_configs`). Without a replication factor, or with -1, the
default of the brokers applies.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from advisor.intake.programs.python import syntax
from advisor.intake.programs.topics import CreatedTopic, Pair

_CONFIG_KEYWORDS = ("config", "topic_configs")


def created_topics(tree: ast.Module, constants: Mapping[str, ast.expr]) -> Iterator[CreatedTopic]:
    """Yields the topics that a program creates. `constants` are its names that stand for one
    value."""
    for call in syntax.calls(tree):
        if syntax.method_name(call) != "NewTopic":
            continue
        keywords = {word.arg: word.value for word in call.keywords if word.arg}
        factor = call.args[2] if len(call.args) > 2 else keywords.get("replication_factor")
        configs = [
            pair
            for name in _CONFIG_KEYWORDS
            if name in keywords
            for pair in _config_pairs(keywords[name])
        ]
        yield CreatedTopic(call.lineno, _replication_factor(factor, constants), configs)


def _replication_factor(node: ast.expr | None, constants: Mapping[str, ast.expr]) -> int | None:
    """The replication factor; 0 for the default of the brokers, None for one that is computed."""
    if node is None:
        return 0
    node = constants.get(node.id, node) if isinstance(node, ast.Name) else node
    try:
        number = ast.literal_eval(node)
    except ValueError:
        return None
    return max(0, number) if isinstance(number, int) else None


def _config_pairs(node: ast.expr) -> Iterator[Pair]:
    if not isinstance(node, ast.Dict):
        yield "configs", None, node.lineno
        return
    for key, value in zip(node.keys, node.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            text = str(value.value) if isinstance(value, ast.Constant) else None
            yield key.value, text, key.lineno
